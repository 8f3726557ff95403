import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import * as Store from '../store.ts';
import { shown } from './stored.ts';
import * as WebhookEndpoint from './webhook-endpoint.ts';

/** Something that happened, with the object as it was then. */
export type Event = Omit<Stripe.Event, 'data' | 'type'> & {
  type: Type;
  data: { object: Record<string, unknown> };
};

/** What the sandbox tells of. */
export const types = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.failed',
  'charge.refunded',
  'charge.succeeded',
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.created',
  'customer.updated',
  'payment_intent.canceled',
  'payment_intent.created',
  'payment_intent.payment_failed',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'payment_method.attached',
  'refund.created',
] as const satisfies readonly Stripe.Event.Type[];

export type Type = (typeof types)[number];

export const events = Store.table<Event>('events');

/** The version of the API whose shapes the objects have. */
const apiVersion = '2026-10-28.endive';

/** Records that `type` happened to `object`, and puts a notice on its way to every endpoint that asked for the type. */
export function record(act: Act, type: Type, object: object): Event {
  const endpoints = WebhookEndpoint.interestedIn(act, type);
  const event = Store.put(act.store, events, {
    id: id('evt'),
    object: 'event',
    api_version: apiVersion,
    created: act.now,
    data: { object: shown(object) },
    livemode: false,
    pending_webhooks: endpoints.length,
    request: act.request,
    type,
  });
  for (const endpoint of endpoints) WebhookEndpoint.notify(act, endpoint, event.id);
  return event;
}
