import * as Checkout from './checkout.ts';
import { finish } from './purchase.ts';
import type { Shop } from './shop.ts';

export type Noticed = { kind: 'unsigned' } | { kind: 'done' };

/**
 * A notice of the processor: any order, any number of times. What it names is read anew, and its work is durable before
 * the notice is acknowledged; a rejection makes the processor send it again.
 */
export async function receive(shop: Shop, body: string, signature: string): Promise<Noticed> {
  const notice = shop.processor.readNotice(body, signature);
  if (!notice) return { kind: 'unsigned' };
  if (!(await shop.notices.record(notice.id, notice.type))) return { kind: 'done' };
  switch (notice.object?.kind) {
    case 'checkout':
      await Checkout.complete(shop, await shop.processor.readCheckout(notice.object.id));
      break;
    case 'payment':
      await paid(shop, notice.object.id);
      break;
    case undefined:
      break;
  }
  await shop.notices.done(notice.id);
  return { kind: 'done' };
}

async function paid(shop: Shop, paymentId: string): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId);
  if (payment.state !== 'succeeded' || payment.order === null) return;
  const order = await shop.orders.find(payment.order);
  if (order) await finish(shop, order, payment.id, payment.received);
}
