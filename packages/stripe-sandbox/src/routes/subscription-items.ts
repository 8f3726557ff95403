import * as Price from '../objects/price.ts';
import { invalid, isRefusal, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';

/** Reads the recurring price that an item names or describes; undefined when it has none. */
export function wantPrice(
  ctx: RequestContext,
  given: Price.Given,
  place: number,
  currency: string | null,
): Price.Wanted | undefined | Refusal {
  if (given.price === undefined && given.price_data === undefined) return undefined;
  const wanted = Price.want(ctx, given, `items[${place}]`);
  if (isRefusal(wanted)) return wanted;
  const { terms } = wanted;
  const param = `items[${place}][price]`;
  if (terms.recurring === null) return invalid('This price is not recurring.', { param });
  if (currency !== null && terms.currency !== currency) {
    return invalid(`All prices of a subscription have the same currency: ${currency}.`, { param });
  }
  return wanted;
}

/** Reads the prices of all items, in their order, or refuses the first that is invalid. */
export function wantPrices(
  ctx: RequestContext,
  items: readonly Price.Given[],
  currency: string | null,
): (Price.Wanted | undefined)[] | Refusal {
  const wanted: (Price.Wanted | undefined)[] = [];
  for (const [place, item] of items.entries()) {
    const price = wantPrice(ctx, item, place, currency);
    if (price !== undefined && isRefusal(price)) return price;
    wanted.push(price);
  }
  return wanted;
}
