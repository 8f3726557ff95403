import type { Stripe } from 'stripe';
import * as Event from '../objects/event.ts';
import * as List from '../protocol/list.ts';
import { type Known, list, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import type { Route } from '../protocol/route.ts';

const path = '/v1/events';

export const events: readonly Route[] = [
  listing({
    path,
    gives: 'event',
    table: Event.events,
    params: {
      created: List.created,
      type: text().optional(),
      types: list(text(), 20).optional(),
    } satisfies Known<Stripe.EventListParams>,
    where: (event, { type, types }) =>
      (type === undefined || event.type === type) && (types === undefined || types.includes(event.type)),
  }),
  retrieval(path, 'event', Event.events),
];
