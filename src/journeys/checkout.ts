import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import { type Checkout, ProcessorAway } from '../payment/processor.ts';
import * as Renewal from './renewal.ts';
import { type Counter, settle, type Till } from './settlement.ts';

export type Opened =
  | { kind: 'redirect'; url: string }
  | { kind: 'paid' }
  /** An agent's charge for it is under way. */
  | { kind: 'pending' }
  | { kind: 'gone' }
  | { kind: 'away' }
  | { kind: 'unknown' };

/** A person opens the hosted page of an unpaid order; the page is made when it is first asked for. */
export async function open(shop: Counter, orderId: string): Promise<Opened> {
  const order = await shop.orders.find(orderId);
  if (!order) return { kind: 'unknown' };
  if (order.state === 'granted') return { kind: 'paid' };
  if (order.state === 'claimed') return { kind: 'pending' };
  if (order.checkoutSession === null && order.expiresMs <= shop.clock()) return { kind: 'gone' };
  try {
    const checkout = await pageOf(shop, order);
    if (checkout.payment || checkout.invoice) {
      await complete(shop, checkout);
      return { kind: 'paid' };
    }
    return checkout.url === null ? { kind: 'gone' } : { kind: 'redirect', url: checkout.url };
  } catch (fault) {
    if (fault instanceof ProcessorAway) return { kind: 'away' };
    throw fault;
  }
}

async function pageOf(shop: Counter, order: Order): Promise<Checkout> {
  if (order.checkoutSession !== null) return shop.processor.readCheckout(order.checkoutSession);
  const plan = shop.catalog.plans.find((candidate) => candidate.id === order.plan);
  const checkout = await shop.processor.openCheckout(order, {
    title: `${plan?.name ?? order.plan}: ${Money.format(order.amount)} USD at ${shop.catalog.storefront.name}`,
    success: `${shop.publicUrl}/purchases/${order.id}/return?session={CHECKOUT_SESSION_ID}`,
    cancel: order.returnUrl ?? `${shop.publicUrl}/purchases/${order.id}/cancelled`,
  });
  await shop.orders.attachCheckout(order.id, checkout.session);
  return checkout;
}

export type Returned =
  | { kind: 'paid'; order: Order; account: string }
  | { kind: 'pending'; order: Order }
  | { kind: 'unknown' };

/** The buyer comes back from the hosted page, perhaps before the processor's notice: both end in the same step. */
export async function comeBack(shop: Till, orderId: string, session: string): Promise<Returned> {
  const order = await shop.orders.find(orderId);
  // The session's id is what only the payer's browser and the processor know.
  if (!order || order.checkoutSession === null || order.checkoutSession !== session)
    return { kind: 'unknown' };
  try {
    const account = await complete(shop, await shop.processor.readCheckout(session));
    return account === null ? { kind: 'pending', order } : { kind: 'paid', order, account };
  } catch (fault) {
    if (fault instanceof ProcessorAway) return { kind: 'pending', order };
    throw fault;
  }
}

/** Books what a hosted page took, if it did. Returns the account. */
export async function complete(
  shop: Till,
  { order: orderId, payment, invoice }: Checkout,
): Promise<string | null> {
  if (invoice) return Renewal.book(shop, invoice);
  if (orderId === null || payment === null) return null;
  const order = await shop.orders.find(orderId);
  return order ? settle(shop, order, payment) : null;
}
