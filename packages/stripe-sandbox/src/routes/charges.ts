import type { Stripe } from 'stripe';
import * as Charge from '../objects/charge.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import type { Route } from '../protocol/route.ts';

const path = '/v1/charges';

export const charges: readonly Route[] = [
  listing({
    path,
    gives: 'charge',
    table: Charge.charges,
    params: {
      created: List.created,
      customer: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.ChargeListParams>,
  }),
  retrieval(path, 'charge', Charge.charges),
];
