import type Stripe from 'stripe';
import type { FraudSignal } from '../../payment/fraud-signal.ts';
import type { WebhookEvent } from '../../payment/processor.ts';

/** The events that a shop must receive; `check` verifies that it does. The refund and invoice events that it also reads repeat the same facts. */
export const needed = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'charge.failed',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
  'review.opened',
  'review.closed',
] as const satisfies readonly Stripe.Event.Type[];

/** Returns the object that an event is about. Its state is read again from Stripe, because events arrive in any order and repeatedly. */
export function read(event: Stripe.Event): WebhookEvent {
  const { id, type } = event;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
      return { id, type, object: { kind: 'checkout', id: event.data.object.id } };
    case 'payment_intent.succeeded':
      return { id, type, object: { kind: 'payment', id: event.data.object.id } };
    case 'invoice.paid':
      return {
        id,
        type,
        object: event.data.object.id ? { kind: 'invoice', id: event.data.object.id } : null,
      };
    case 'invoice.payment_action_required':
    case 'invoice.payment_failed': {
      const subscription = event.data.object.parent?.subscription_details?.subscription;
      const name = typeof subscription === 'string' ? subscription : subscription?.id;
      return { id, type, object: name === undefined ? null : { kind: 'subscription', id: name } };
    }
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return { id, type, object: { kind: 'subscription', id: event.data.object.id } };
    case 'charge.failed':
      return { id, type, object: { kind: 'charge', id: event.data.object.id } };
    case 'charge.refunded':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed': {
      const { payment_intent: paid } = event.data.object;
      const payment = typeof paid === 'string' ? paid : paid?.id;
      return { id, type, object: payment === undefined ? null : { kind: 'payment', id: payment } };
    }
    case 'radar.early_fraud_warning.created':
    case 'radar.early_fraud_warning.updated': {
      const { id: warning, actionable, fraud_type, payment_intent } = event.data.object;
      return {
        id,
        type,
        object: signalOf('early_fraud_warning', warning, payment_intent, actionable, fraud_type),
      };
    }
    case 'review.opened':
    case 'review.closed': {
      const { id: review, open, reason, payment_intent } = event.data.object;
      return { id, type, object: signalOf('review', review, payment_intent, open, reason) };
    }
    default:
      return { id, type, object: null };
  }
}

/** Reads a signal from its event, which says all of it: the key may lack the right to read Radar. Null for a charge without a payment. */
function signalOf(
  kind: FraudSignal['kind'],
  id: string,
  paid: string | Stripe.PaymentIntent | undefined,
  isOpen: boolean,
  reason: string,
): WebhookEvent['object'] {
  const payment = typeof paid === 'string' ? paid : paid?.id;
  return payment === undefined
    ? null
    : { kind: 'fraud_signal', id, signal: { id, kind, payment, isOpen, reason } };
}
