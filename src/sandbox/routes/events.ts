import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Event from '../objects/event.ts';
import * as List from '../protocol/list.ts';
import { type Known, list, text } from '../protocol/params.ts';
import { missing } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

export const events: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    gives: 'event',
    isList: true,
    params: z.strictObject({
      ...List.pageParams,
      created: List.created,
      type: text().optional(),
      types: list(text(), 20).optional(),
    } satisfies Known<Stripe.EventListParams>),
    run: ({ store }, { created, type, types, ...page }) => {
      const rows = Store.all(store, Event.events).filter(
        (event) =>
          List.isCreatedWithin(event.created, created) &&
          (type === undefined || event.type === type) &&
          (types === undefined || types.includes(event.type)),
      );
      return List.page(rows, '/v1/events', page);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/events/:id',
    gives: 'event',
    params: z.strictObject({}),
    run: ({ store }, _params, id) => Store.get(store, Event.events, id) ?? missing('event', id),
  }),
];
