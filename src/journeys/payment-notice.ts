import type { Notice } from '../payment/processor.ts';
import * as Checkout from './checkout.ts';
import * as Renewal from './renewal.ts';
import * as Reversal from './reversal.ts';
import { settle, type Till } from './settlement.ts';

const failureCharsMax = 500;

export type Noticed = { kind: 'unsigned' } | { kind: 'done' };

/**
 * A notice of the processor: any order, any number of times. What it names is read anew, and its work is durable before
 * the notice is acknowledged; a rejection makes the processor send it again.
 */
export async function receive(shop: Till, body: string, signature: string): Promise<Noticed> {
  const notice = shop.processor.readNotice(body, signature);
  if (!notice) return { kind: 'unsigned' };
  if (!(await shop.notices.record(notice.id, notice.type))) return { kind: 'done' };
  try {
    await workOff(shop, notice);
  } catch (fault) {
    // The database may be what is away: then the fault itself says more.
    await shop.notices.failed(notice.id, String(fault).slice(0, failureCharsMax)).catch(() => undefined);
    throw fault;
  }
  await shop.notices.done(notice.id);
  return { kind: 'done' };
}

async function workOff(shop: Till, { object }: Notice): Promise<void> {
  switch (object?.kind) {
    case 'checkout':
      await Checkout.complete(shop, await shop.processor.readCheckout(object.id));
      break;
    case 'payment':
      await look(shop, object.id);
      break;
    case 'invoice':
      await Renewal.book(shop, await shop.processor.readInvoice(object.id));
      break;
    case 'subscription':
      await Renewal.look(shop, object.id);
      break;
    case undefined:
      break;
  }
}

/** Whatever a notice says of a payment, how it stands is read anew: what was paid, and what has gone back. */
async function look(shop: Till, paymentId: string): Promise<void> {
  const payment = await shop.processor.readPayment(paymentId);
  const order = payment.order === null ? null : await shop.orders.find(payment.order);
  if (order) await settle(shop, order, payment);
  await Reversal.look(shop, paymentId);
}
