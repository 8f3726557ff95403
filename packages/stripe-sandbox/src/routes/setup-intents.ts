import type { Stripe } from 'stripe';
import { setupIntents as table } from '../objects/setup-intent.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import type { Route } from '../protocol/route.ts';

const path = '/v1/setup_intents';

export const setupIntents: readonly Route[] = [
  listing({
    path,
    gives: 'setup_intent',
    table,
    params: {
      created: List.created,
      customer: text().optional(),
      payment_method: text().optional(),
    } satisfies Known<Stripe.SetupIntentListParams>,
  }),
  retrieval(path, 'setup_intent', table),
];
