import type { Order } from '../payment/order.ts';
import type { Checkout } from '../payment/processor.ts';

/**
 * A browser that opens a hosted page. `payer`: the person who is signed in there, with the address that they have proved. The page shows that
 * address only for an order of their own account: the link of an order can be sent to other people.
 */
export type Opener = { secret: string; payer: { account: string; email: string } | null };

/** Returns the address that the hosted page of an order may show to a browser; null for none. */
export function shownTo({ account }: Pick<Order, 'account'>, { payer }: Opener): string | null {
  return payer !== null && payer.account === account ? payer.email : null;
}

/** Returns true for a page with the address of a person who is not signed in to the browser now. */
export function isOfOther(
  { email = null }: Pick<Checkout, 'email'>,
  order: Pick<Order, 'account'>,
  browser: Opener,
): boolean {
  return email !== null && email !== shownTo(order, browser);
}
