import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import type { Checkout } from '../payment/processor.ts';
import { finish } from './purchase.ts';
import type { Shop } from './shop.ts';

export type Opened =
  | { kind: 'redirect'; url: string }
  | { kind: 'paid'; order: Order }
  | { kind: 'gone' }
  | { kind: 'unknown' };

/** A person opens the hosted page of an offered order; the page is made when it is first asked for. */
export async function open(shop: Shop, orderId: string): Promise<Opened> {
  const order = await shop.orders.find(orderId);
  if (!order) return { kind: 'unknown' };
  if (order.state === 'granted') return { kind: 'paid', order };
  if (order.state !== 'offered' || order.expiresMs <= shop.clock()) return { kind: 'gone' };
  const plan = shop.catalog.plans.find((candidate) => candidate.id === order.plan);
  const pages = {
    title: `${plan?.name ?? order.plan}: ${Money.format(order.amount)} USD at ${shop.catalog.storefront.name}`,
    success: `${shop.publicUrl}/purchases/${order.id}/return?session={CHECKOUT_SESSION_ID}`,
    cancel: order.returnUrl ?? `${shop.publicUrl}/purchases/${order.id}/cancelled`,
  };
  const checkout = order.checkoutSession
    ? await shop.processor.readCheckout(order.checkoutSession)
    : await shop.processor.openCheckout(order, pages);
  await shop.orders.attachCheckout(order.id, checkout.session);
  if (checkout.payment) await complete(shop, checkout);
  if (checkout.url === null || !checkout.open)
    return checkout.payment ? { kind: 'paid', order } : { kind: 'gone' };
  return { kind: 'redirect', url: checkout.url };
}

export type Returned =
  | { kind: 'paid'; order: Order; account: string }
  | { kind: 'pending'; order: Order }
  | { kind: 'unknown' };

/** The buyer comes back from the hosted page, perhaps before the processor's notice: both end in the same step. */
export async function comeBack(shop: Shop, orderId: string, session: string): Promise<Returned> {
  const order = await shop.orders.find(orderId);
  // The session's id is what only the payer's browser and the processor know.
  if (!order || order.checkoutSession === null || order.checkoutSession !== session)
    return { kind: 'unknown' };
  if (order.state === 'granted' && order.account !== null)
    return { kind: 'paid', order, account: order.account };
  const account = await complete(shop, await shop.processor.readCheckout(session));
  return account === null ? { kind: 'pending', order } : { kind: 'paid', order, account };
}

/** Books what a hosted page took, if it did. Returns the account. */
export async function complete(shop: Shop, { order: orderId, payment }: Checkout): Promise<string | null> {
  if (orderId === null || payment?.state !== 'succeeded') return null;
  const order = await shop.orders.find(orderId);
  return order ? finish(shop, order, payment.id, payment.received) : null;
}
