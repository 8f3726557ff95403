import * as Checkout from './checkout.ts';
import * as Renewal from './renewal.ts';
import * as Reversal from './reversal.ts';
import { settle, type Till } from './settlement.ts';

export type Noticed = { kind: 'unsigned' } | { kind: 'done' };

/**
 * A notice of the processor: any order, any number of times. What it names is read anew, and its work is durable before
 * the notice is acknowledged; a rejection makes the processor send it again.
 */
export async function receive(shop: Till, body: string, signature: string): Promise<Noticed> {
  const notice = shop.processor.readNotice(body, signature);
  if (!notice) return { kind: 'unsigned' };
  if (!(await shop.notices.record(notice.id, notice.type))) return { kind: 'done' };
  switch (notice.object?.kind) {
    case 'checkout':
      await Checkout.complete(shop, await shop.processor.readCheckout(notice.object.id));
      break;
    case 'payment':
      await look(shop, notice.object.id);
      break;
    case 'invoice':
      await Renewal.book(shop, await shop.processor.readInvoice(notice.object.id));
      break;
    case 'subscription':
      await Renewal.look(shop, notice.object.id);
      break;
    case undefined:
      break;
  }
  await shop.notices.done(notice.id);
  return { kind: 'done' };
}

/** Whatever a notice says of a payment, how it stands is read anew: what was paid, and what has gone back. */
async function look(shop: Till, paymentId: string): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId);
  const order = payment.order === null ? null : await shop.orders.find(payment.order);
  if (order) await settle(shop, order, payment);
  await Reversal.look(shop, paymentId);
}
