import type { Stripe } from 'stripe';
import { id, secret } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import * as Store from '../store.ts';
import type { Stored } from './stored.ts';

/** Where notices go. */
export type WebhookEndpoint = Stored<Stripe.WebhookEndpoint> & { _secret: string };

/** One event on its way to one endpoint. */
export type Delivery = {
  id: string;
  event: string;
  endpoint: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** How the last attempt ended: a status code, or why there was none. */
  outcome: string | null;
  /** When the next attempt is due, in milliseconds since the epoch. */
  dueAtMs: number;
};

export const webhookEndpoints = Store.table<WebhookEndpoint>('webhook_endpoints');
/** Not yet delivered. */
export const outbox = Store.table<Delivery>('outbox');
/** Delivered, or given up. */
export const delivered = Store.table<Delivery>('delivered');

export type Draft = {
  url: string;
  enabled_events: string[];
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(act: Act, draft: Draft, known?: { id: string; secret: string }): WebhookEndpoint {
  return Store.put(act.store, webhookEndpoints, {
    id: known?.id ?? id('we'),
    object: 'webhook_endpoint',
    api_version: null,
    application: null,
    created: act.now,
    description: draft.description ?? null,
    enabled_events: draft.enabled_events,
    livemode: false,
    metadata: draft.metadata ?? {},
    status: 'enabled',
    url: draft.url,
    _secret: known?.secret ?? secret('whsec'),
  });
}

export function interestedIn(act: Act, type: string): WebhookEndpoint[] {
  return Store.all(act.store, webhookEndpoints).filter(
    ({ enabled_events: wanted }) => wanted.includes('*') || wanted.includes(type),
  );
}

/** Puts an event on its way. */
export function notify(act: Act, endpoint: WebhookEndpoint, event: string): Delivery {
  return Store.put(act.store, outbox, {
    id: id('whd'),
    event,
    endpoint: endpoint.id,
    status: 'pending',
    attempts: 0,
    outcome: null,
    // At once: the sandbox's own time may be far ahead of the hour at which notices travel.
    dueAtMs: 0,
  });
}

const configuredId = 'we_configured';

/** Makes the endpoint of the configuration the one that is told of everything, in the place of an earlier run's. */
export function configure(act: Act, webhook: { url: string; secret: string } | null): void {
  if (webhook === null) Store.remove(act.store, webhookEndpoints, configuredId);
  else create(act, { url: webhook.url, enabled_events: ['*'] }, { id: configuredId, secret: webhook.secret });
}
