import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { shown } from './stored.ts';
import * as WebhookEndpoint from './webhook-endpoint.ts';

/** An event with a snapshot of its object. */
export type Event = Omit<Stripe.Event, 'data' | 'type'> & {
  type: Type;
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
};

/** The event types that the sandbox records. */
export const types = [
  'billing_portal.configuration.created',
  'billing_portal.session.created',
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'charge.failed',
  'charge.pending',
  'charge.refund.updated',
  'charge.refunded',
  'charge.succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.created',
  'customer.subscription.created',
  'customer.subscription.deleted',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'customer.subscription.updated',
  'customer.deleted',
  'customer.updated',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_action_required',
  'invoice.payment_failed',
  'invoice.payment_succeeded',
  'invoice.voided',
  'invoice_payment.paid',
  'invoiceitem.created',
  'invoiceitem.deleted',
  'payment_intent.canceled',
  'payment_intent.created',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'payment_method.attached',
  'price.created',
  'product.created',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'review.closed',
  'review.opened',
  'setup_intent.created',
  'setup_intent.succeeded',
  'test_helpers.test_clock.advancing',
  'test_helpers.test_clock.created',
  'test_helpers.test_clock.deleted',
  'test_helpers.test_clock.ready',
] as const satisfies readonly Stripe.Event.Type[];

export type Type = (typeof types)[number];

export const events = Store.table<Event>('events');

/** The version of the API whose shapes the objects have. */
const apiVersion = '2026-10-28.endive';

/**
 * Records an event and queues its delivery to every endpoint that is subscribed to the type. With `before`, the event contains the previous
 * values of the members that changed.
 */
export function record(ctx: RequestContext, type: Type, object: object, before?: object): Event {
  const endpoints = WebhookEndpoint.interestedIn(ctx, type);
  const now = shown(object);
  const event = Store.put(ctx.store, events, {
    id: id('evt'),
    object: 'event',
    api_version: apiVersion,
    created: ctx.now,
    data: {
      object: now,
      ...(before === undefined ? {} : { previous_attributes: changed(shown(before), now) }),
    },
    livemode: false,
    pending_webhooks: endpoints.length,
    request: ctx.request,
    type,
  });
  for (const endpoint of endpoints) WebhookEndpoint.notify(ctx, endpoint, event.id);
  return event;
}

function changed(before: Record<string, unknown>, now: Record<string, unknown>): Record<string, unknown> {
  const same = ([name, value]: [string, unknown]) => JSON.stringify(value) === JSON.stringify(now[name]);
  return Object.fromEntries(Object.entries(before).filter((member) => !same(member)));
}
