import type Stripe from 'stripe';
import type { Notice } from '../../payment/processor.ts';

/** The events that a shop has to hear of (`check` looks whether it does); those of refunds and invoices that it reads besides say the same again. */
export const needed = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'payment_intent.succeeded',
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
] as const satisfies readonly Stripe.Event.Type[];

/** What an event is about. How that stands is read anew: events come in any order, and more than once. */
export function read(event: Stripe.Event): Notice {
  const { id, type } = event;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return { id, type, object: { kind: 'checkout', id: event.data.object.id } };
    case 'payment_intent.succeeded':
      return { id, type, object: { kind: 'payment', id: event.data.object.id } };
    case 'invoice.paid':
      return {
        id,
        type,
        object: event.data.object.id ? { kind: 'invoice', id: event.data.object.id } : null,
      };
    case 'invoice.payment_failed': {
      const subscription = event.data.object.parent?.subscription_details?.subscription;
      const name = typeof subscription === 'string' ? subscription : subscription?.id;
      return { id, type, object: name === undefined ? null : { kind: 'subscription', id: name } };
    }
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return { id, type, object: { kind: 'subscription', id: event.data.object.id } };
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
    default:
      return { id, type, object: null };
  }
}
