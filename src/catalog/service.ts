import type { Money } from '../kernel/money.ts';

/** What is priced: one or more operations whose results cost the same. */
export type Service = {
  slug: string;
  name: string;
  description: string;
  /** What is counted: `result`, `page`, `call`. */
  unit: string;
  /** The price of one unit. */
  price: Money;
};
