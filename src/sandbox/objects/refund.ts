import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { invalid, type Refusal } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import { type Charge, charges } from './charge.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

export type Refund = Stored<Stripe.Refund>;

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
  if (charge.disputed) return invalid('This charge is disputed.', { code: 'charge_disputed' });
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
  const refundId = id('re');
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
    status: 'succeeded',
    transfer_reversal: null,
  });
  Event.record(act, 'refund.created', refund);
  const refunded = charge.amount_refunded + amount;
  Event.record(
    act,
    'charge.refunded',
    Store.put(act.store, charges, {
      ...charge,
      amount_refunded: refunded,
      refunded: refunded === charge.amount_captured,
    }),
  );
  return refund;
}
