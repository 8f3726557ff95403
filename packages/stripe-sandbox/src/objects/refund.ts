import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { refundPolicy } from './account.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import * as Card from './card.ts';
import { type Charge, charges } from './charge.ts';
import * as Dispute from './dispute.ts';
import * as EarlyFraudWarning from './early-fraud-warning.ts';
import * as Event from './event.ts';
import { paymentMethods } from './payment-method.ts';
import * as Review from './review.ts';
import type { Stored } from './stored.ts';

/** Money on its way back to a payer. */
export type Refund = Stored<Stripe.Refund> & {
  status: Status;
  /** The status that the refund will change to, and when; null when it stays as it is. */
  _ends: { at: number; as: 'succeeded' | 'failed' } | null;
};

type Status = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';

/** A slow refund ends after so long. */
const slowSeconds = 5 * 86_400;

export const refunds = Store.table<Refund>('refunds');

export type RefundDraft = {
  /** In minor units; absent for all that is left. */
  amount?: number | undefined;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | undefined;
  metadata: Record<string, string>;
};

/** Refunds all or part of a charge. Refused when too little is left to refund, or while the charge is disputed. */
export function create(ctx: RequestContext, charge: Charge, draft: RefundDraft): Refund | Refusal {
  const left = charge.amount_captured - charge.amount_refunded;
  const amount = draft.amount ?? left;
  if (charge.status !== 'succeeded') {
    return invalid('This charge did not succeed, so there is nothing to refund.', {
      code: 'charge_not_refundable',
    });
  }
  if (Dispute.holds(ctx, charge)) {
    return invalid('This charge is disputed.', { code: 'charge_disputed' });
  }
  if (left === 0) {
    return invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  if (amount < 1) {
    return invalid('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' });
  }
  if (amount > left) {
    return invalid(`Refund amount (${amount}) is greater than what is left of the charge (${left}).`, {
      param: 'amount',
    });
  }
  return give(ctx, charge, amount, draft);
}

function give(ctx: RequestContext, charge: Charge, amount: number, draft: RefundDraft): Refund {
  const refundId = id('re');
  const method = Store.get(ctx.store, paymentMethods, charge.payment_method ?? '');
  const conduct = Card.conductOf(method?.card.last4 ?? '');
  const slowEnd = conduct.kind === 'refunds_slowly' ? conduct.end : null;
  const policy = refundPolicy(ctx);
  const isUnfunded = policy !== 'debit' && BalanceTransaction.available(ctx, charge.currency) < amount;
  const isPending = slowEnd === 'succeeded' || isUnfunded;
  const refund = Store.put(ctx.store, refunds, {
    id: refundId,
    object: 'refund',
    amount,
    balance_transaction: isUnfunded ? null : debit(ctx, { ...charge, id: refundId, amount }),
    charge: charge.id,
    created: ctx.now,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      type: 'card',
      card: { reference: '4242424242', reference_status: 'available', type: 'refund' },
    },
    metadata: draft.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: draft.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: isPending ? 'pending' : 'succeeded',
    transfer_reversal: null,
    ...(isPending && {
      pending_reason: isUnfunded ? ('insufficient_funds' as const) : ('processing' as const),
    }),
    _ends: slowEnd === null || isUnfunded ? null : { at: ctx.now + slowSeconds, as: slowEnd },
  });
  Event.record(ctx, 'refund.created', refund);
  Event.record(ctx, 'charge.refunded', recount(ctx, charge, amount), charge);
  if (charge.amount_refunded + amount === charge.amount_captured) settleClaims(ctx, charge, draft);
  return isUnfunded && policy === 'fail' ? end(ctx, refund, 'failed', 'insufficient_funds') : refund;
}

/** Ends inquiries, warnings and reviews of a charge that has been refunded in full. */
function settleClaims(ctx: RequestContext, charge: Charge, { reason }: RefundDraft): void {
  for (const dispute of Store.all(ctx.store, Dispute.disputes)) {
    if (dispute.charge === charge.id && Dispute.isOpen(dispute)) Dispute.close(ctx, dispute, 'won');
  }
  EarlyFraudWarning.settle(ctx, charge.id);
  Review.closeAll(ctx, charge.id, reason === 'fraudulent' ? 'refunded_as_fraud' : 'refunded');
}

/** Takes the money of a refund from the balance. Returns the id of the transaction. */
function debit(
  ctx: RequestContext,
  refund: Pick<Refund, 'id' | 'amount' | 'currency'> & { description?: string | null },
): string {
  return BalanceTransaction.create(ctx, {
    type: 'refund',
    reportingCategory: 'refund',
    amount: -refund.amount,
    fee: 0,
    currency: refund.currency,
    source: refund.id,
    description: refund.description ?? null,
  }).id;
}

/** Returns true while the refund waits for money in the balance. */
function isUnfunded({ status, balance_transaction }: Refund): boolean {
  return status === 'pending' && balance_transaction === null;
}

/** Returns true when the balance covers a refund that waits for money. */
export function canBeFunded(ctx: RequestContext, refund: Refund): boolean {
  return isUnfunded(refund) && BalanceTransaction.available(ctx, refund.currency) >= refund.amount;
}

/** Applies `change` to the refund and records the events. */
export function update(ctx: RequestContext, refund: Refund, change: Partial<Refund>): Refund {
  const changed = Store.put(ctx.store, refunds, { ...refund, ...change });
  Event.record(ctx, 'refund.updated', changed, refund);
  Event.record(ctx, 'charge.refund.updated', changed, refund);
  return changed;
}

/** Ends a refund, or undoes it: one that failed or was cancelled leaves the money with the shop after all. */
export function end(
  ctx: RequestContext,
  refund: Refund,
  status: 'succeeded' | 'failed' | 'canceled',
  failureReason = 'expired_or_canceled_card',
): Refund {
  const { pending_reason: _reason, ...plain } = refund;
  if (status === 'succeeded') {
    return update(ctx, plain, {
      status,
      balance_transaction: refund.balance_transaction ?? debit(ctx, refund),
      _ends: null,
    });
  }
  const credit = refund.balance_transaction === null ? null : creditBack(ctx, refund);
  const charge = Store.get(ctx.store, charges, refund.charge ?? '');
  if (charge !== undefined) recount(ctx, charge, -refund.amount);
  const undone = update(ctx, plain, {
    status,
    _ends: null,
    ...(credit !== null && { failure_balance_transaction: credit }),
    ...(status === 'failed' && { failure_reason: failureReason }),
  });
  if (status === 'failed') Event.record(ctx, 'refund.failed', undone);
  return undone;
}

/** Returns the money of a refund to the balance. Returns the id of the transaction. */
function creditBack(ctx: RequestContext, { id: source, amount, currency }: Refund): string {
  return BalanceTransaction.create(ctx, {
    type: 'refund_failure',
    reportingCategory: 'refund_failure',
    amount,
    fee: 0,
    currency,
    source,
    description: null,
  }).id;
}

/** Returns true for a refund that failed or was canceled, which is final. */
export function isUndone({ status }: Refund): boolean {
  return status === 'failed' || status === 'canceled';
}

function recount(ctx: RequestContext, charge: Charge, amount: number): Charge {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount_captured;
  return Store.put(ctx.store, charges, { ...charge, amount_refunded, refunded });
}
