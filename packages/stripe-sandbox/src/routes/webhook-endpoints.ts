import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Event from '../objects/event.ts';
import * as WebhookEndpoint from '../objects/webhook-endpoint.ts';
import { clearable, type Known, list, metadata, text, url } from '../protocol/params.ts';
import { listing } from '../protocol/reading.ts';
import { invalid, missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const endpointsMax = 16;

export const webhookEndpoints: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/webhook_endpoints',
    gives: 'webhook_endpoint',
    params: z.strictObject({
      url,
      enabled_events: list(z.enum(['*', ...Event.types]), 100),
      api_version: text().optional(),
      description: clearable().optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.WebhookEndpointCreateParams>),
    run: (ctx, draft) => {
      if (Store.all(ctx.store, WebhookEndpoint.webhookEndpoints).length >= endpointsMax) {
        return invalid(`At most ${endpointsMax} webhook endpoints.`);
      }
      const endpoint = WebhookEndpoint.create(ctx, draft);
      // The one answer that shows the secret.
      return { ...endpoint, secret: endpoint._secret };
    },
  }),
  listing({
    path: '/v1/webhook_endpoints',
    gives: 'webhook_endpoint',
    table: WebhookEndpoint.webhookEndpoints,
    params: {},
  }),
  route({
    method: 'DELETE',
    path: '/v1/webhook_endpoints/:id',
    gives: 'webhook_endpoint',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => {
      if (!Store.get(store, WebhookEndpoint.webhookEndpoints, id)) return missing('webhook endpoint', id);
      Store.remove(store, WebhookEndpoint.webhookEndpoints, id);
      return { id, object: 'webhook_endpoint', deleted: true };
    },
  }),
];
