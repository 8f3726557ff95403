import { id, secret } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import type { Stored } from './stored.ts';

/** An endpoint that receives events. */
export type WebhookEndpoint = Stored<Stripe.WebhookEndpoint> & { _secret: string };

/** One event on its way to one endpoint. */
export type Delivery = {
  id: string;
  event: string;
  endpoint: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** The result of the last attempt: a status code, or the reason that there was none. */
  outcome: string | null;
  /** When the next attempt is due, in milliseconds since the epoch. */
  dueAtMs: number;
};

export const webhookEndpoints = Store.table<WebhookEndpoint>('webhook_endpoints');
/** Not yet delivered. */
export const outbox = Store.table<Delivery>('outbox');
/** Delivered, or given up. */
export const delivered = Store.table<Delivery>('delivered');

export type WebhookEndpointDraft = {
  url: string;
  enabled_events: string[];
  api_version?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(
  ctx: RequestContext,
  draft: WebhookEndpointDraft,
  known?: { id: string; secret: string },
): WebhookEndpoint {
  return Store.put(ctx.store, webhookEndpoints, {
    id: known?.id ?? id('we'),
    object: 'webhook_endpoint',
    api_version: draft.api_version ?? null,
    application: null,
    created: ctx.now,
    description: draft.description ?? null,
    enabled_events: draft.enabled_events,
    livemode: false,
    metadata: draft.metadata ?? {},
    status: 'enabled',
    url: draft.url,
    _secret: known?.secret ?? secret('whsec'),
  });
}

export function interestedIn(ctx: RequestContext, type: string): WebhookEndpoint[] {
  return Store.all(ctx.store, webhookEndpoints).filter(
    ({ enabled_events: wanted }) => wanted.includes('*') || wanted.includes(type),
  );
}

/** Puts an event on its way. */
export function notify(ctx: RequestContext, endpoint: WebhookEndpoint, event: string): Delivery {
  return Store.put(ctx.store, outbox, {
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

/** Registers the configured endpoint for all events and replaces the one of an earlier run. */
export function configure(ctx: RequestContext, webhook: { url: string; secret: string } | null): void {
  if (webhook === null) Store.remove(ctx.store, webhookEndpoints, configuredId);
  else create(ctx, { url: webhook.url, enabled_events: ['*'] }, { id: configuredId, secret: webhook.secret });
}
