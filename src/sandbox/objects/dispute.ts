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

/** Opens a dispute over the whole charge; the money leaves the balance at once. */
export function open(act: Act, charge: Charge): Dispute {
  const disputeId = id('dp');
  const { amount, currency } = charge;
  const withdrawal = BalanceTransaction.create(act, {
    type: 'adjustment',
    reportingCategory: 'dispute',
    amount: -amount,
    fee: BalanceTransaction.disputeFee,
    currency,
    source: disputeId,
    description: 'Chargeback withdrawal',
  });
  Store.put(act.store, charges, { ...charge, disputed: true });
  const dispute = Store.put(act.store, disputes, {
    id: disputeId,
    object: 'dispute',
    amount,
    balance_transactions: [withdrawal],
    charge: charge.id,
    created: act.now,
    currency,
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
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  });
  Event.record(act, 'charge.dispute.created', dispute);
  Event.record(act, 'charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Ends a dispute: won gives the money back to the shop (not the fee), lost leaves it with the payer. */
export function close(act: Act, dispute: Dispute, status: 'won' | 'lost'): Dispute | Refusal {
  if (dispute.status !== 'needs_response')
    return invalid('This dispute is already closed.', { param: 'dispute' });
  const { amount, currency } = dispute;
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
    status,
    balance_transactions:
      status === 'won'
        ? [...dispute.balance_transactions, BalanceTransaction.create(act, reversal)]
        : dispute.balance_transactions,
  });
  Event.record(act, 'charge.dispute.closed', closed);
  if (status === 'won') Event.record(act, 'charge.dispute.funds_reinstated', closed);
  return closed;
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
