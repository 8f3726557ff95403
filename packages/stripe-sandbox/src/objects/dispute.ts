import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import { type Charge, charges } from './charge.ts';
import * as EarlyFraudWarning from './early-fraud-warning.ts';
import * as Event from './event.ts';
import * as Review from './review.ts';
import type { Stored } from './stored.ts';

/** A payer's claim, made with the bank, that a charge was not right. */
export type Dispute = Stored<Stripe.Dispute>;

export const disputes = Store.table<Dispute>('disputes');

const evidenceDays = 9;

export type DisputeDraft = {
  /** Minor units; absent for everything that has not been refunded. */
  amount?: number | undefined;
  reason?: string | undefined;
  /** The bank only asks, and takes nothing yet. */
  isInquiry: boolean;
};

/** Opens a dispute over a charge. The money leaves the balance at once, but for an inquiry. */
export function openDispute(ctx: RequestContext, charge: Charge, draft: DisputeDraft): Dispute {
  const { isInquiry, reason = 'fraudulent' } = draft;
  const amount = draft.amount ?? charge.amount - charge.amount_refunded;
  Store.put(ctx.store, charges, { ...charge, disputed: true });
  EarlyFraudWarning.settle(ctx, charge.id);
  Review.closeAll(ctx, charge.id, 'disputed');
  const dispute = Store.put(ctx.store, disputes, {
    id: id('dp'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: ctx.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: ctx.now + evidenceDays * 24 * 3_600,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  });
  if (isInquiry) {
    Event.record(ctx, 'charge.dispute.created', dispute);
    return dispute;
  }
  const withdrawn = withdraw(ctx, dispute);
  Event.record(ctx, 'charge.dispute.created', withdrawn);
  Event.record(ctx, 'charge.dispute.funds_withdrawn', withdrawn);
  return withdrawn;
}

/** Returns true while the dispute needs a response from the shop. */
export function isOpen({ status }: Dispute): boolean {
  return status === 'needs_response' || status === 'warning_needs_response';
}

/** Returns true when a dispute holds the money of this charge. Inquiries and disputes that were won do not. */
export function holds({ store }: RequestContext, charge: Charge): boolean {
  return Store.all(store, disputes).some(
    ({ charge: disputed, status }) =>
      disputed === charge.id &&
      (status === 'needs_response' || status === 'lost' || status.startsWith('appeal_')),
  );
}

/** Applies `change` to the dispute and records the event. */
export function update(ctx: RequestContext, dispute: Dispute, change: Partial<Dispute>): Dispute {
  const changed = Store.put(ctx.store, disputes, { ...dispute, ...change });
  Event.record(ctx, 'charge.dispute.updated', changed, dispute);
  return changed;
}

/** Turns an inquiry into a dispute, which withdraws the money. */
export function escalate(ctx: RequestContext, dispute: Dispute): Dispute {
  const withdrawn = withdraw(ctx, dispute);
  const due_by = ctx.now + evidenceDays * 24 * 3_600;
  const escalated = update(ctx, withdrawn, {
    evidence_details: { ...dispute.evidence_details, due_by },
    is_charge_refundable: false,
    status: 'needs_response',
  });
  Event.record(ctx, 'charge.dispute.funds_withdrawn', escalated);
  return escalated;
}

/** Ends a dispute: won gives the money back to the shop (not the fee), lost leaves it with the payer. An inquiry just ends. */
export function close(ctx: RequestContext, dispute: Dispute, verdict: 'won' | 'lost'): Dispute | Refusal {
  if (!isOpen(dispute)) return invalid('This dispute is already closed.', { param: 'dispute' });
  const isInquiry = dispute.status === 'warning_needs_response';
  const isReinstated = !isInquiry && verdict === 'won';
  const { amount, currency, balance_transactions: moved } = dispute;
  const reversal = {
    type: 'adjustment',
    reportingCategory: 'dispute_reversal',
    amount,
    fee: 0,
    currency,
    source: dispute.id,
    description: 'Chargeback reversal',
  } as const;
  const closed = Store.put(ctx.store, disputes, {
    ...dispute,
    status: isInquiry ? 'warning_closed' : verdict,
    balance_transactions: isReinstated ? [...moved, BalanceTransaction.create(ctx, reversal)] : moved,
  });
  Event.record(ctx, 'charge.dispute.closed', closed, dispute);
  if (isReinstated) Event.record(ctx, 'charge.dispute.funds_reinstated', closed);
  return closed;
}

/** Stages of an appeal against a lost dispute, and of a dispute that an agreement with the bank prevents. */
export const laterStages = ['appeal_needs_response', 'appeal_under_review', 'prevented'] as const;

/** Moves a lost dispute into an appeal (its money stays gone), or an inquiry to `prevented`, which never took any. */
export function moveOn(
  ctx: RequestContext,
  dispute: Dispute,
  status: (typeof laterStages)[number],
): Dispute | Refusal {
  const isAppeal = status !== 'prevented';
  const fits = isAppeal
    ? dispute.status === 'lost' || dispute.status.startsWith('appeal_')
    : dispute.balance_transactions.length === 0;
  return fits
    ? update(ctx, dispute, { status })
    : invalid(`A dispute that is ${dispute.status} cannot be ${status}.`);
}

/** Closes a dispute that was not answered in time: a dispute is lost, an inquiry ends. */
export function lapse(ctx: RequestContext, dispute: Dispute): void {
  const late = { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: true } };
  close(ctx, late, 'lost');
}

function withdraw(ctx: RequestContext, dispute: Dispute): Dispute {
  const withdrawal = BalanceTransaction.create(ctx, {
    type: 'adjustment',
    reportingCategory: 'dispute',
    amount: -dispute.amount,
    fee: BalanceTransaction.disputeFee,
    currency: dispute.currency,
    source: dispute.id,
    description: 'Chargeback withdrawal',
  });
  const balance_transactions = [...dispute.balance_transactions, withdrawal];
  return Store.put(ctx.store, disputes, { ...dispute, balance_transactions });
}

const noEvidence: Stored<Stripe.Dispute.Evidence> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
