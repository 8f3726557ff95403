import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import { type Charge, charges } from './charge.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A payer's claim, made with the bank, that a charge was not right. */
export type Dispute = Stored<Stripe.Dispute>;

export const disputes = Store.table<Dispute>('disputes');

const evidenceDays = 9;

export type Draft = {
  /** Minor units; absent for all that has not been given back. */
  amount?: number | undefined;
  reason?: string | undefined;
  /** The bank only asks, and takes nothing yet. */
  isInquiry: boolean;
};

/** Opens a dispute over a charge. The money leaves the balance at once, but for an inquiry. */
export function open(act: Act, charge: Charge, draft: Draft): Dispute {
  const { isInquiry, reason = 'fraudulent' } = draft;
  const amount = draft.amount ?? charge.amount - charge.amount_refunded;
  Store.put(act.store, charges, { ...charge, disputed: true });
  const dispute = Store.put(act.store, disputes, {
    id: id('dp'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: act.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: act.now + evidenceDays * 24 * 3_600,
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
    Event.record(act, 'charge.dispute.created', dispute);
    return dispute;
  }
  const withdrawn = withdraw(act, dispute);
  Event.record(act, 'charge.dispute.created', withdrawn);
  Event.record(act, 'charge.dispute.funds_withdrawn', withdrawn);
  return withdrawn;
}

/** Whether it waits for the shop's answer. */
export function isOpen({ status }: Dispute): boolean {
  return status === 'needs_response' || status === 'warning_needs_response';
}

/** Whether a dispute keeps the money of this charge, or may come to: an inquiry does not, nor one that was won. */
export function holds({ store }: Act, charge: Charge): boolean {
  return Store.all(store, disputes).some(
    ({ charge: disputed, status }) =>
      disputed === charge.id && (status === 'needs_response' || status === 'lost'),
  );
}

/** Puts `change` into the dispute, and tells of it. */
export function update(act: Act, dispute: Dispute, change: Partial<Dispute>): Dispute {
  const changed = Store.put(act.store, disputes, { ...dispute, ...change });
  Event.record(act, 'charge.dispute.updated', changed, dispute);
  return changed;
}

/** The bank goes on from asking to taking the money. */
export function escalate(act: Act, dispute: Dispute): Dispute {
  const withdrawn = withdraw(act, dispute);
  const due_by = act.now + evidenceDays * 24 * 3_600;
  const escalated = update(act, withdrawn, {
    evidence_details: { ...dispute.evidence_details, due_by },
    is_charge_refundable: false,
    status: 'needs_response',
  });
  Event.record(act, 'charge.dispute.funds_withdrawn', escalated);
  return escalated;
}

/** Ends a dispute: won gives the money back to the shop (not the fee), lost leaves it with the payer. An inquiry just ends. */
export function close(act: Act, dispute: Dispute, verdict: 'won' | 'lost'): Dispute | Refusal {
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
  const closed = Store.put(act.store, disputes, {
    ...dispute,
    status: isInquiry ? 'warning_closed' : verdict,
    balance_transactions: isReinstated ? [...moved, BalanceTransaction.create(act, reversal)] : moved,
  });
  Event.record(act, 'charge.dispute.closed', closed, dispute);
  if (isReinstated) Event.record(act, 'charge.dispute.funds_reinstated', closed);
  return closed;
}

/** A dispute that nobody answered in time is lost, an inquiry is over. */
export function lapse(act: Act, dispute: Dispute): void {
  const late = { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: true } };
  close(act, late, 'lost');
}

function withdraw(act: Act, dispute: Dispute): Dispute {
  const withdrawal = BalanceTransaction.create(act, {
    type: 'adjustment',
    reportingCategory: 'dispute',
    amount: -dispute.amount,
    fee: BalanceTransaction.disputeFee,
    currency: dispute.currency,
    source: dispute.id,
    description: 'Chargeback withdrawal',
  });
  const balance_transactions = [...dispute.balance_transactions, withdrawal];
  return Store.put(act.store, disputes, { ...dispute, balance_transactions });
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
