import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as BalanceTransaction from './balance-transaction.ts';
import * as Card from './card.ts';
import * as Event from './event.ts';
import type { PaymentMethod } from './payment-method.ts';
import type { Stored } from './stored.ts';

/** One attempt to take money from a card. */
export type Charge = Stored<Stripe.Charge>;

export const charges = Store.table<Charge>('charges');

/** The members of a payment intent that its charge copies. */
export type Purpose = {
  payment_intent: string;
  amount: number;
  currency: string;
  customer: string | null;
  description: string | null;
  metadata: Record<string, string>;
  receipt_email: string | null;
};

/** Why a card was not charged. */
export type Failure = { code: string; declineCode: string; message: string };

/** Creates a charge that succeeded, failed or is pending, moves the money of a successful one, and records the event. */
export function create(
  ctx: RequestContext,
  purpose: Purpose,
  method: PaymentMethod,
  result: { authenticated: boolean } | Failure | 'pending',
): Charge {
  const chargeId = id('ch');
  const isPending = result === 'pending';
  const failure = !isPending && 'code' in result ? result : null;
  const isPaid = failure === null && !isPending;
  const { amount, currency, description } = purpose;
  const isElevated = Card.conductOf(method.card.last4).kind === 'is_reviewed';
  const charge = Store.put(ctx.store, charges, {
    id: chargeId,
    object: 'charge',
    amount,
    amount_captured: isPaid ? amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: isPaid ? takeMoney(ctx, { id: chargeId, ...purpose }).id : null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'SANDBOX',
    captured: failure === null,
    created: ctx.now,
    currency,
    customer: purpose.customer,
    description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: purpose.metadata,
    on_behalf_of: null,
    outcome: outcomeOf(failure, isElevated ? 'elevated' : 'normal'),
    paid: isPaid,
    payment_intent: purpose.payment_intent,
    payment_method: method.id,
    payment_method_details: {
      type: 'card',
      card: cardDetails(method, amount, !isPending && 'authenticated' in result && result.authenticated),
    },
    receipt_email: purpose.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: failure ? 'failed' : isPending ? 'pending' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  });
  Event.record(ctx, `charge.${charge.status as 'failed' | 'pending' | 'succeeded'}`, charge);
  return charge;
}

/** Ends a charge that was on its way. */
export function settle(ctx: RequestContext, charge: Charge, failure: Failure | null): Charge {
  const settled = Store.put(ctx.store, charges, {
    ...charge,
    ...(failure === null
      ? { amount_captured: charge.amount, balance_transaction: takeMoney(ctx, charge).id }
      : { failure_code: failure.code, failure_message: failure.message }),
    outcome: outcomeOf(failure),
    paid: failure === null,
    status: failure === null ? 'succeeded' : 'failed',
  });
  Event.record(ctx, failure === null ? 'charge.succeeded' : 'charge.failed', settled);
  return settled;
}

function takeMoney(
  ctx: RequestContext,
  { id: source, amount, currency, description }: Pick<Charge, 'id' | 'amount' | 'currency' | 'description'>,
): BalanceTransaction.BalanceTransaction {
  const fee = BalanceTransaction.chargeFee(amount);
  const movement = { amount, fee, currency, description, source };
  return BalanceTransaction.create(ctx, { ...movement, type: 'charge', reportingCategory: 'charge' });
}

function outcomeOf(
  failure: Failure | null,
  riskLevel: 'elevated' | 'normal' = 'normal',
): Stripe.Charge.Outcome {
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: failure ? 'declined_by_network' : 'approved_by_network',
    reason: failure?.declineCode ?? null,
    risk_level: riskLevel,
    risk_score: riskLevel === 'elevated' ? 70 : 20,
    seller_message: failure ? 'The bank did not authorize this payment.' : 'Payment complete.',
    type: failure ? 'issuer_declined' : 'authorized',
  };
}

function cardDetails({ card }: PaymentMethod, amount: number, authenticated: boolean) {
  return {
    amount_authorized: amount,
    authorization_code: null,
    brand: card.brand,
    checks: card.checks,
    country: card.country,
    electronic_commerce_indicator: null,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    fingerprint: card.fingerprint ?? null,
    funding: card.funding,
    installments: null,
    last4: card.last4,
    mandate: null,
    network: card.brand,
    network_transaction_id: null,
    regulated_status: card.regulated_status,
    three_d_secure: authenticated
      ? {
          authentication_flow: 'challenge' as const,
          electronic_commerce_indicator: '05' as const,
          exemption_indicator: null,
          result: 'authenticated' as const,
          result_reason: null,
          transaction_id: null,
          version: '2.2.0' as const,
        }
      : null,
    transaction_link_id: null,
    wallet: null,
  };
}
