import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import * as ChargeOrder from './charge-order.ts';
import { complete } from './checkout.ts';
import { settle } from './grant-order.ts';
import * as PlanChange from './plan-change.ts';
import * as Renewal from './renewal.ts';
import * as X402Settlement from './x402-settlement.ts';

/** After this time a charge that the processor does not know can no longer reach it, because its challenge expired long before. */
const forsakenMs = 20 * 60_000;
const reasonCharsMax = 500;
/** Maximum number of settlement retries without an outcome in one run, so that an unavailable facilitator does not delay everything else. */
const inconclusiveTriesMax = 2;
/** Maximum time that one run spends on payments in dollar tokens, so that an unavailable chain does not delay everything else. */
const x402RunMs = 60_000;

/**
 * Resolves everything that a crash, a lost response or a lost webhook event left open: reads the outcome from the processor and records it.
 * With `settles`, signed payments whose settlement failed are sent to the facilitator again while they are valid; nothing else is charged.
 * Rejects when the processor is unavailable. An order that cannot be resolved is reported and does not delay the others.
 */
export async function resolveAll(shop: PaymentContext, { settles } = { settles: false }): Promise<void> {
  const nowMs = shop.clock();
  const budget = { tries: settles ? inconclusiveTriesMax : 0, untilMs: nowMs + x402RunMs };
  const inDoubt = await shop.orders.inDoubt();
  const isX402 = ({ rail }: Order) => rail === 'x402';
  // These come first, because an unavailable processor ends the run.
  await each(shop, inDoubt.filter(isX402), (order) => endX402(shop, order, budget));
  const charges = inDoubt.filter((order) => !isX402(order));
  await each(shop, charges, (order) => endCharge(shop, order, nowMs));
  await each(shop, await shop.orders.closedPages(nowMs), (order) => endPage(shop, order));
  await PlanChange.finish(shop);
  await Renewal.catchUp(shop, nowMs);
  await shop.orders.sweep(nowMs);
}

async function each(
  shop: Pick<PaymentContext, 'orders' | 'report'>,
  orders: readonly Order[],
  work: (order: Order) => Promise<void>,
): Promise<void> {
  for (const order of orders) {
    try {
      await work(order);
      await shop.orders.markUnreconciled(order.id, null);
    } catch (fault) {
      if (fault instanceof ProcessorUnavailable) throw fault;
      const reason = String(fault);
      shop.report('not_reconciled', { order: order.id, reason });
      await shop.orders.markUnreconciled(order.id, reason.slice(0, reasonCharsMax));
    }
  }
}

async function endCharge(shop: PaymentContext, order: Order, nowMs: number): Promise<void> {
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
    await shop.orders.decline(order, failed?.failure ?? 'The payment did not succeed.', []);
}

/**
 * Resolves a payment in a dollar token from the chain's evidence. One that can still be settled is sent to the facilitator again. Without
 * access to the chain, a payment in doubt is left to an operator; one that was never sent is declined when it expires.
 */
async function endX402(
  shop: PaymentContext,
  order: Order,
  budget: { tries: number; untilMs: number },
): Promise<void> {
  const nowMs = shop.clock();
  if (nowMs > budget.untilMs) return;
  const outcome = order.isQueued ? null : await X402Settlement.inquire(shop, order);
  if (outcome?.kind === 'succeeded') await settle(shop, order, outcome.payment);
  else if (outcome?.kind === 'declined') await shop.orders.decline(order, outcome.reason, []);
  else if (order.isQueued && !X402Settlement.isSettleable(order, nowMs))
    await shop.orders.decline(order, X402Settlement.expired, []);
  else if (
    budget.tries > 0 &&
    X402Settlement.isSettleable(order, nowMs) &&
    (await shop.orders.resume(order.id))
  ) {
    const { challengeId } = order;
    if (challengeId === null) throw new Error(`order ${order.id} is claimed by nothing`);
    const taken = await ChargeOrder.charge(shop, {
      orderId: order.id,
      challengeId,
      credentialDigest: challengeId,
      payer: null,
      charge: (claimed) => X402Settlement.charge(shop, claimed),
    });
    if (taken?.kind === 'pending') budget.tries -= 1;
  }
}

async function endPage(shop: PaymentContext, order: Order): Promise<void> {
  if (order.checkoutSession === null) return;
  const checkout = await shop.processor.readCheckout(order.checkoutSession);
  // It has expired by our clock, but the processor's clock may be slightly behind.
  if (checkout.state === 'open') return;
  await complete(shop, checkout);
  if (checkout.state !== 'processing') await shop.orders.retirePage(order);
}
