import type { Operation } from '../../catalog/operation.ts';
import { highestPrice } from '../../journeys/highest-price.ts';
import type { Texts } from '../../text/texts.ts';

/** The refused request with as many units as the account can pay for; `quantity` in words. */
export type SmallerRequest = { path: string; body: string; quantity: string };

/** Returns the request with `units`, where a member of its body states their number; null where that is not enough to make it cheaper. */
export function smaller(
  texts: Texts,
  operation: Operation,
  { path, body }: { path: string; body: string },
  units: number,
): SmallerRequest | null {
  const { unitsMax, service } = operation;
  if (units === 0 || unitsMax.kind !== 'pointer') return null;
  try {
    const value = JSON.parse(body);
    const [last = '', ...above] = [...unitsMax.pointer].reverse();
    const holder = above.reverse().reduce((at, key) => at[key], value);
    if (!Object.hasOwn(holder, last) || typeof holder[last] === 'object') return null;
    holder[last] = units;
    const fewer = {
      path,
      body: JSON.stringify(value, null, 2),
      quantity: texts.quantity(units, service.unit),
    };
    const most = highestPrice(operation, fewer)?.units ?? null;
    return most === null || most > units ? null : fewer;
  } catch {
    return null;
  }
}
