import { setTimeout as pause } from 'node:timers/promises';
import * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { ChargeOutcome } from '../payment/processor.ts';
import * as AcceptedToken from '../payment/x402/accepted-token.ts';
import type { Chain, Evidence } from '../payment/x402/chain.ts';
import { failures } from '../payment/x402/facilitator.ts';
import * as SignedPayment from '../payment/x402/signed-payment.ts';

/** Tolerance for a block's timestamp before the creation of its order: the clocks of the chain and of the database differ. */
const clockSkewMs = 30_000;
/** Time after its expiry at which a used authorization without a matching transaction is given up. */
const unexplainedMs = 10 * 60_000;
/** Maximum time that a buyer waits for the settlement's transaction to become final, and the interval at which the chain is read. */
const confirmationWaitMs = 10_000;
const confirmationLookMs = 500;
/** Time that a facilitator needs to settle. A payment that expires sooner is not sent to it again. */
const settleableMs = 6_000;

/** Reasons for a decline that follow from the chain, for the buyer. */
const reasons = {
  canceled: 'This authorization was canceled on the chain. Nothing was paid. Sign a new one.',
  spent: 'This authorization was used on the chain, but not for this purchase. Sign a new one.',
  expired: failures.expired,
} as const;

/**
 * Settles the signed payment of a claimed order. When the network's chain can be read, only its evidence counts as payment;
 * otherwise the facilitator's statement does. Safe to repeat: the token accepts an authorization once.
 */
export async function charge(
  shop: Pick<PaymentContext, 'acceptedTokens' | 'clock' | 'report'>,
  order: Order,
): Promise<ChargeOutcome> {
  const { acceptedTokens } = shop;
  const signed = order.signedPayment;
  const offered =
    signed && acceptedTokens && AcceptedToken.find(acceptedTokens, signed.network, signed.asset);
  // The network was removed from the settings while the payment was in progress.
  if (!signed || !acceptedTokens || !offered) return { kind: 'unknown' };
  const known = order.doubted ? await inquire(shop, order) : null;
  if (known) return known;
  if (order.expiresMs < shop.clock() + settleableMs) return unsettled(order, failures.expired);
  const payment = SignedPayment.restore(signed, offered.network);
  const settlement = await acceptedTokens.facilitator.settle(payment, signed.resource);
  switch (settlement.kind) {
    case 'succeeded':
      return offered.chain === null
        ? succeeded(order, settlement.transaction)
        : confirm(shop, order, signed, offered.chain, settlement.transaction);
    case 'unavailable':
      return { kind: 'unavailable', retries: !settlement.refused, detail: settlement.detail };
    case 'failed':
      return unsettled(order, failures[settlement.reason]);
    case 'unknown':
      shop.report('settlement_unknown', { order: order.id, reason: settlement.detail });
      return (await inquire(shop, order)) ?? { kind: 'unknown' };
  }
}

/** Handles an attempt that moved nothing. The wallet may be empty, or the authorization used, because an earlier attempt succeeded. */
function unsettled(order: Order, reason: string): ChargeOutcome {
  return order.doubted ? { kind: 'unknown' } : { kind: 'declined', reason, detail: null };
}

/** Waits, for a bounded time, until the chain confirms the facilitator's statement. */
async function confirm(
  shop: Pick<PaymentContext, 'clock' | 'report'>,
  order: Order,
  signed: SignedPayment.SignedPayment,
  chain: Chain,
  transaction: string,
): Promise<ChargeOutcome> {
  const deadlineMs = shop.clock() + confirmationWaitMs;
  for (;;) {
    const evidence = await readEvidence(chain, order, signed, transaction).catch((fault: unknown) => {
      shop.report('chain_unreadable', { order: order.id, reason: String(fault) });
      return null;
    });
    if (evidence?.kind === 'paid') return succeeded(order, evidence.transaction);
    if (evidence?.kind === 'canceled' || evidence?.kind === 'spent') {
      shop.report('settlement_untrue', { order: order.id, transaction, found: evidence.kind });
      return { kind: 'declined', reason: reasons[evidence.kind], detail: null };
    }
    if (shop.clock() >= deadlineMs) break;
    await pause(confirmationLookMs);
  }
  shop.report('settlement_unconfirmed', { order: order.id, transaction });
  return { kind: 'unknown' };
}

/**
 * Determines the outcome of a payment in doubt from the chain's evidence alone. Returns null when the chain cannot be read, or the outcome
 * is still open. A payment without evidence is declined once it can no longer happen.
 */
export async function inquire(
  shop: Pick<PaymentContext, 'acceptedTokens' | 'report'>,
  order: Order,
): Promise<ChargeOutcome | null> {
  const signed = order.signedPayment;
  const chain =
    signed &&
    shop.acceptedTokens &&
    AcceptedToken.find(shop.acceptedTokens, signed.network, signed.asset)?.chain;
  if (!signed || !chain) return null;
  const evidence = await readEvidence(chain, order, signed, null).catch((fault: unknown) => {
    shop.report('chain_unreadable', { order: order.id, reason: String(fault) });
    return null;
  });
  switch (evidence?.kind) {
    case undefined:
      return null;
    case 'paid':
      return succeeded(order, evidence.transaction);
    case 'canceled':
    case 'spent':
      return { kind: 'declined', reason: reasons[evidence.kind], detail: null };
    case 'unused':
      // The token compares the same block time with the end of the authorization.
      return evidence.asOfMs > order.expiresMs
        ? { kind: 'declined', reason: reasons.expired, detail: null }
        : null;
    case 'unseen':
      return evidence.asOfMs > order.expiresMs + unexplainedMs
        ? { kind: 'declined', reason: reasons.spent, detail: null }
        : null;
  }
}

/** Reads the chain's evidence for an order, paid or not. Rejects when the chain cannot be read. */
export function readEvidence(
  chain: Chain,
  order: Pick<Order, 'createdMs' | 'expiresMs'>,
  signed: SignedPayment.SignedPayment,
  transaction: string | null,
): Promise<Evidence> {
  const { asset, from, to, value, nonce } = signed;
  const window = { sinceMs: order.createdMs - clockSkewMs, untilMs: order.expiresMs + clockSkewMs };
  return chain.evidence({ asset, from, to, value: BigInt(value), nonce }, window, transaction);
}

/** Why a payment that was never sent to the facilitator is declined, for the buyer. */
export const { expired } = failures;

/** Returns true when the facilitator can still settle an order's payment. */
export function isSettleable(order: Order, nowMs: number): boolean {
  return order.signedPayment !== null && order.expiresMs >= nowMs + settleableMs;
}

/** Returns a succeeded payment, identified by its claim key, because one transaction can settle several payments. */
function succeeded(order: Order, transaction: string): ChargeOutcome {
  const { id, challengeId, amount } = order;
  if (challengeId === null) throw new Error(`order ${id} was charged without a claim`);
  return {
    kind: 'succeeded',
    payment: {
      id: challengeId,
      order: id,
      challengeId,
      state: 'succeeded',
      received: Money.ofMicro(amount),
      failure: null,
      transaction,
    },
  };
}
