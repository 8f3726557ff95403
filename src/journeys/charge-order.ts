import { withoutBudget } from '@sluice/kernel/statement-deadline';
import * as CardAttempt from '../payment/card-attempt.ts';
import type * as Order from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { type ChargeOutcome, ProcessorUnavailable } from '../payment/processor.ts';
import * as Receipt from '../payment/receipt.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import * as CardTesting from './card-testing.ts';
import * as Checkout from './checkout.ts';
import { settle } from './grant-order.ts';

/** Time that a repeated credential waits for the charge in progress, and the interval at which it reads the order. */
const companionWaitMs = 10_000;
const companionLookMs = 100;

export type Granted = Order.Order & { account: string; payment: string; grantedMs: number };

/** The result of charging an order. Once money has moved it is never `declined`. */
export type ChargeResult =
  /** `payer`: the evidence in this request. It decides on the account's tokens (journeys/purchase-tokens.ts). */
  | { kind: 'granted'; order: Granted; receipt: string; payer: Order.PayerEvidence }
  /** The outcome is not known yet; a webhook event or reconciliation will settle it. */
  | { kind: 'pending'; order: Order.Order }
  | { kind: 'declined'; reason: string }
  /** Not charged: the card, account or address has too many declines. */
  | ({ kind: 'too_many_declines' } & Pick<CardAttempt.Delay, 'waitMs'>)
  /** Nothing was charged, and nothing will be unless the buyer tries again: this rail is unavailable. */
  | { kind: 'unavailable' }
  /** Not claimed in time, by the database's clock. No process has charged it or will. */
  | { kind: 'expired' }
  /** Not charged: the account is frozen, so it could not use what is paid. */
  | { kind: 'frozen' };

/** A way to charge an order, under an id with which it can be charged once. */
export type Attempt = {
  orderId: string;
  /** The challenge, or another key that can be paid once. */
  challengeId: string;
  /** Digest of the whole credential. Sending it again returns the first result. */
  credentialDigest: string;
  /** The order can be claimed until then; null when that is checked elsewhere. */
  expiresMs?: number | null;
  /** The payer that a decline counts against; null for an automatic charge, which counts against nothing. */
  payer: CardAttempt.Payer | null;
  /** Returns the digest of the card that is charged; null when it is not known. */
  card?: () => Promise<string | null>;
  /** Charges once. Safe to repeat. */
  charge(order: Order.Order): Promise<ChargeOutcome>;
};

/** Charges the order, or waits for the process that does: a repeated credential gets the result of the first one, whatever its progress. */
export async function take(shop: PaymentContext, attempt: Attempt): Promise<ChargeResult> {
  const { challengeId } = attempt;
  const delay = await begin(shop, attempt);
  if (delay !== null) return { kind: 'too_many_declines', waitMs: delay.waitMs };
  const taken = await untilDecided(shop, attempt);
  // An open attempt counts for a while: it may still be declined.
  if (taken.kind !== 'pending') await shop.cardAttempts.end(challengeId);
  return taken;
}

/** Starts to count an attempt. One for an order that was claimed before only asks for its outcome. */
async function begin(
  shop: PaymentContext,
  { orderId, challengeId, payer, card }: Attempt,
): Promise<CardAttempt.Delay | null> {
  // An offer may have been removed since: then claiming it fails.
  if (payer === null || (await shop.orders.find(orderId))?.state !== 'offered') return null;
  const { cardAttempts, cardLimits } = shop;
  let delay = await cardAttempts.start(challengeId, payer, cardLimits);
  if (delay === null && card !== undefined) {
    // The processor is asked for the card only if the account and the address may pay.
    payer.card = await card();
    delay = await cardAttempts.start(challengeId, payer, cardLimits);
    if (delay !== null) await cardAttempts.end(challengeId);
  }
  if (delay !== null) CardTesting.report(shop, delay, orderId);
  return delay;
}

async function untilDecided(shop: PaymentContext, attempt: Attempt): Promise<ChargeResult> {
  const { orderId, challengeId, credentialDigest, expiresMs = null } = attempt;
  const deadlineMs = shop.clock() + companionWaitMs;
  const payer = { credentialDigest, isFirstClaim: false, browserDigest: null };
  for (;;) {
    const { outcome, isFirst } = await shop.orders.claim(orderId, challengeId, credentialDigest, expiresMs);
    switch (outcome) {
      case 'claimed': {
        payer.isFirstClaim = isFirst;
        const result = await withoutBudget(() => charge(shop, attempt));
        if (result) return result;
        break;
      }
      case 'busy':
        if (shop.clock() >= deadlineMs) return { kind: 'pending', order: await must(shop, orderId) };
        await new Promise((resolve) => setTimeout(resolve, companionLookMs));
        break;
      case 'in_doubt':
        return { kind: 'pending', order: await must(shop, orderId) };
      case 'granted':
        return granted(await must(shop, orderId), challengeId, payer);
      case 'declined': {
        const { failure } = await must(shop, orderId);
        return { kind: 'declined', reason: failure ?? 'The payment was declined.' };
      }
      case 'expired':
      case 'frozen':
        return { kind: outcome };
      case 'unknown':
        throw new Error(`order ${orderId} went away while it was paid`);
    }
  }
}

/**
 * Charges an order that this process has claimed, after closing its hosted page so that it cannot be paid twice. Returns null when
 * another process has taken the order over meanwhile.
 */
export async function charge(
  shop: PaymentContext,
  { orderId, payer, charge }: Attempt,
): Promise<ChargeResult | null> {
  const order = await must(shop, orderId);
  try {
    const outcome = (await mayCharge(shop, order)) ? await charge(order) : { kind: 'unknown' as const };
    switch (outcome.kind) {
      case 'unknown':
        shop.report('payment_pending', { order: orderId });
        // The webhook event may have arrived before we gave up.
        return (await must(shop, orderId)).state === 'granted' ? null : { kind: 'pending', order };
      case 'unavailable':
        return await postpone(shop, order, outcome);
      case 'declined':
        if (outcome.detail !== null)
          shop.report('charge_refused', { order: orderId, reason: outcome.detail });
        return (await shop.orders.decline(order, outcome.reason, subjectsOf(shop, payer)))
          ? { kind: 'declined', reason: outcome.reason }
          : null;
      case 'succeeded':
        return (await settle(shop, order, outcome.payment)) === null ? { kind: 'pending', order } : null;
    }
  } finally {
    await shop.orders.release(order);
  }
}

function subjectsOf({ cardLimits }: Pick<PaymentContext, 'cardLimits'>, payer: Attempt['payer']): string[] {
  return payer === null ? [] : CardAttempt.subjectsOf(cardLimits, payer).map(({ name }) => name);
}

/** Handles a rail that cannot charge now. The outcome stays open when an earlier attempt is in doubt. */
async function postpone(
  shop: Pick<PaymentContext, 'orders' | 'report'>,
  order: Order.Order,
  { retries, detail }: Extract<ChargeOutcome, { kind: 'unavailable' }>,
): Promise<ChargeResult> {
  shop.report(retries ? 'payment_postponed' : 'payment_rail_refuses', { order: order.id, reason: detail });
  const isUndone = await shop.orders.undoClaim(order, retries);
  return retries || !isUndone ? { kind: 'pending', order } : { kind: 'unavailable' };
}

/** Returns false when the order's page was paid first, or its state is unknown. */
async function mayCharge(shop: PaymentContext, order: Order.Order): Promise<boolean> {
  try {
    return await Checkout.close(shop, order);
  } catch (fault) {
    if (fault instanceof ProcessorUnavailable) return false;
    throw fault;
  }
}

function granted(order: Order.Order, challengeId: string, payer: Order.PayerEvidence): ChargeResult {
  const { account, payment, grantedMs } = order;
  if (account === null || payment === null || grantedMs === null)
    throw new Error(`order ${order.id} is granted and says not what for`);
  const receipt = Receipt.serialize({
    method: StripeCharge.method,
    reference: payment,
    challengeId,
    settledAtMs: grantedMs,
  });
  return { kind: 'granted', order: { ...order, account, payment, grantedMs }, receipt, payer };
}

async function must(shop: Pick<PaymentContext, 'orders'>, orderId: string): Promise<Order.Order> {
  const order = await shop.orders.find(orderId);
  if (!order) throw new Error(`no order ${orderId}`);
  return order;
}
