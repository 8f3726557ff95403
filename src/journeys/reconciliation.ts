import type { Order } from '../payment/order.ts';
import { ProcessorAway } from '../payment/processor.ts';
import { complete } from './checkout.ts';
import * as CoinPurchase from './coin-purchase.ts';
import * as Renewal from './renewal.ts';
import { settle, type Till } from './settlement.ts';

/** After this a charge that the processor does not know will not reach it any more: its challenge is long dead. */
const forsakenMs = 20 * 60_000;
const reasonCharsMax = 500;

/**
 * Finishes what a crash, a lost answer or a lost notice left open: asks the processor, and books or ends it.
 * Rejects where the processor is away; an order that cannot be judged is reported and does not hold up the others.
 */
export async function run(shop: Till): Promise<void> {
  const nowMs = shop.clock();
  await each(shop, await shop.orders.inDoubt(), (order) => endCharge(shop, order, nowMs));
  await each(shop, await shop.orders.closedPages(nowMs), (order) => endPage(shop, order));
  await Renewal.catchUp(shop, nowMs);
  await shop.orders.sweep(nowMs);
}

async function each(
  shop: Till,
  orders: readonly Order[],
  work: (order: Order) => Promise<void>,
): Promise<void> {
  for (const order of orders) {
    try {
      await work(order);
      await shop.orders.puzzle(order.id, null);
    } catch (fault) {
      if (fault instanceof ProcessorAway) throw fault;
      const reason = String(fault);
      shop.report('not_reconciled', { order: order.id, reason });
      await shop.orders.puzzle(order.id, reason.slice(0, reasonCharsMax));
    }
  }
}

async function endCharge(shop: Till, order: Order, nowMs: number): Promise<void> {
  if (order.rail === 'x402') return endCoin(shop, order, nowMs);
  const charges = await shop.processor.chargesOf(order);
  const paid = charges.find((charge) => charge.state === 'succeeded');
  if (paid) {
    await settle(shop, order, paid);
    return;
  }
  if (charges.some((charge) => charge.state === 'pending')) return;
  const [failed] = charges;
  const isForsaken = nowMs - (order.claimedMs ?? order.createdMs) > forsakenMs;
  if (failed || isForsaken)
    await shop.orders.decline(order, failed?.failure ?? 'The payment did not go through.', []);
}

/** Only the chain knows; without one a payment in doubt stays so, and is reported once it is too late for it to happen. */
async function endCoin(shop: Till, order: Order, nowMs: number): Promise<void> {
  const outcome = await CoinPurchase.inquire(shop.coin, order, nowMs);
  if (outcome?.kind === 'succeeded') await settle(shop, order, outcome.payment);
  else if (outcome?.kind === 'declined') await shop.orders.decline(order, outcome.reason, []);
}

async function endPage(shop: Till, order: Order): Promise<void> {
  if (order.checkoutSession === null) return;
  const checkout = await shop.processor.readCheckout(order.checkoutSession);
  // Its time is over by our clock; the processor's may be a little behind.
  if (checkout.url !== null) return;
  await complete(shop, checkout);
  await shop.orders.attachCheckout(order.id, null);
}
