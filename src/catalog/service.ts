import type { Money } from '@sluice/kernel/money';
import type { Metering } from './meter-prices.ts';

/** One or more operations whose units have the same price. */
export type Service = {
  slug: string;
  name: string;
  description: string;
  /** The name of a unit: `result`, `page`, `call`. */
  unit: string;
  /** The price of one unit. */
  price: Money;
  /** Several meters with prices of their own. Then a unit is one micro-dollar of cost, which no text or document should state as a price. */
  metering?: Metering;
};
