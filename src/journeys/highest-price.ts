import * as Money from '@sluice/kernel/money';
import * as Target from '@sluice/kernel/request-target';
import type { Operation } from '../catalog/operation.ts';
import { worstCase } from './call-hold.ts';

/** The most that a request can cost. `units` is null for a request that is charged by meters. */
export type HighestPrice = { cost: Money.Money; units: number | null };

/** Returns the most that a JSON request can cost: what is held for it. Null when the request cannot be read, or has no known price. */
export function highestPrice(
  operation: Operation,
  { path, body }: { path: string; body: string },
): HighestPrice | null {
  const target = Target.parse(path.trim());
  if (target === null) return null;
  if (operation.answeredBy === 'storefront') return { cost: Money.zero, units: 0 };
  const rawHeaders = body === '' ? [] : ['content-type', 'application/json'];
  const worst = worstCase({ operation, rawHeaders, body: Buffer.from(body), target });
  if ('kind' in worst) return null;
  if (worst.priced !== undefined) return { cost: Money.ofMicro(worst.units), units: null };
  return { cost: Money.times(operation.service.price, worst.units), units: worst.units };
}
