import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import * as Card from './card.ts';
import { type Charge, charges } from './charge.ts';
import * as Dispute from './dispute.ts';
import * as Event from './event.ts';
import { paymentMethods } from './payment-method.ts';
import type { Stored } from './stored.ts';

/** Money on its way back to a payer. */
export type Refund = Stored<Stripe.Refund> & {
  status: Status;
  /** What becomes of it by itself, and when. */
  _ends: { at: number; as: 'succeeded' | 'failed' } | null;
};

type Status = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';

/** A slow refund ends after so long. */
const slowSeconds = 5 * 86_400;

export const refunds = Store.table<Refund>('refunds');

export type Draft = {
  /** In minor units; absent for all that is left. */
  amount?: number | undefined;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | undefined;
  metadata: Record<string, string>;
};

/** Gives back what `draft` names of a charge. Refused where nothing is left, less is left, or its payer disputes it. */
export function create(act: Act, charge: Charge, draft: Draft): Refund | Refusal {
  const left = charge.amount_captured - charge.amount_refunded;
  const amount = draft.amount ?? left;
  if (charge.status !== 'succeeded') {
    return invalid('This charge did not succeed, so there is nothing to refund.', {
      code: 'charge_not_refundable',
    });
  }
  if (Dispute.holds(act, charge)) {
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
  return give(act, charge, amount, draft);
}

function give(act: Act, charge: Charge, amount: number, draft: Draft): Refund {
  const refundId = id('re');
  const method = Store.get(act.store, paymentMethods, charge.payment_method ?? '');
  const conduct = Card.conductOf(method?.card.last4 ?? '');
  const end = conduct.kind === 'refunds_slowly' ? conduct.end : null;
  const isPending = end === 'succeeded';
  const transaction = BalanceTransaction.create(act, {
    type: 'refund',
    reportingCategory: 'refund',
    amount: -amount,
    fee: 0,
    currency: charge.currency,
    source: refundId,
    description: charge.description,
  });
  const refund = Store.put(act.store, refunds, {
    id: refundId,
    object: 'refund',
    amount,
    balance_transaction: transaction.id,
    charge: charge.id,
    created: act.now,
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
    ...(isPending ? { pending_reason: 'processing' as const } : {}),
    _ends: end === null ? null : { at: act.now + slowSeconds, as: end },
  });
  Event.record(act, 'refund.created', refund);
  Event.record(act, 'charge.refunded', recount(act, charge, amount), charge);
  for (const dispute of Store.all(act.store, Dispute.disputes)) {
    const isAnswered = charge.amount_refunded + amount === charge.amount_captured;
    // What the bank asks about has been given back, so it asks no more.
    if (isAnswered && dispute.charge === charge.id && Dispute.isOpen(dispute))
      Dispute.close(act, dispute, 'won');
  }
  return refund;
}

/** Puts `change` into the refund, and tells of it. */
export function update(act: Act, refund: Refund, change: Partial<Refund>): Refund {
  const changed = Store.put(act.store, refunds, { ...refund, ...change });
  Event.record(act, 'refund.updated', changed, refund);
  Event.record(act, 'charge.refund.updated', changed, refund);
  return changed;
}

/** Ends a refund, or undoes it: one that failed or was cancelled leaves the money with the shop after all. */
export function end(act: Act, refund: Refund, status: 'succeeded' | 'failed' | 'canceled'): Refund {
  const { pending_reason: _reason, ...plain } = refund;
  if (status === 'succeeded') return update(act, plain, { status, _ends: null });
  const back = BalanceTransaction.create(act, {
    type: 'refund_failure',
    reportingCategory: 'refund_failure',
    amount: refund.amount,
    fee: 0,
    currency: refund.currency,
    source: refund.id,
    description: null,
  });
  const charge = Store.get(act.store, charges, refund.charge ?? '');
  if (charge !== undefined) recount(act, charge, -refund.amount);
  const undone = update(act, plain, {
    status,
    _ends: null,
    failure_balance_transaction: back.id,
    ...(status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
  });
  if (status === 'failed') Event.record(act, 'refund.failed', undone);
  return undone;
}

/** Whether a refund has come to an end that nothing follows. */
export function isUndone({ status }: Refund): boolean {
  return status === 'failed' || status === 'canceled';
}

function recount(act: Act, charge: Charge, amount: number): Charge {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount_captured;
  return Store.put(act.store, charges, { ...charge, amount_refunded, refunded });
}
