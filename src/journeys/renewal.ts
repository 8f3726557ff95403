import type { Invoice } from '../payment/subscription.ts';
import type { Till } from './settlement.ts';

/** A renewal that is this late has perhaps gone unheard: the processor is asked. */
const overdueMs = 2 * 60 * 60 * 1000;
/** How far back its invoices are looked through. */
const lookBackMs = 40 * 24 * 60 * 60 * 1000;

/** A paid invoice begins its period. Repeats change nothing. Returns the account; null where there was nothing to book. */
export async function book(shop: Till, invoice: Invoice | null): Promise<string | null> {
  if (invoice === null) return null;
  if (invoice.isFirst) {
    const order = await shop.orders.find(invoice.order);
    if (order && invoice.paid !== order.amount) {
      const { id, paid } = invoice;
      shop.report('payment_mismatch', {
        order: order.id,
        payment: id,
        ordered: order.amount,
        received: paid,
      });
      return null;
    }
  }
  const account = await shop.subscriptions.book(invoice);
  if (account === null) return null;
  await look(shop, invoice.subscription);
  shop.lane.touch(account);
  return account;
}

/** Brings a subscription in line with how it stands at the processor, whatever happened and in whatever order. */
export async function look(shop: Till, subscription: string): Promise<void> {
  const number = await shop.subscriptions.look(subscription);
  if (number === null) return;
  const standing = await shop.processor.readSubscription(subscription);
  if (standing) await shop.subscriptions.write(number, standing);
}

/** Asks after renewals of which nothing was heard. */
export async function catchUp(shop: Till, nowMs: number): Promise<void> {
  for (const subscription of await shop.subscriptions.overdue(nowMs - overdueMs)) {
    for await (const invoice of shop.processor.invoices(nowMs - lookBackMs, subscription))
      await book(shop, invoice);
    await look(shop, subscription);
  }
}
