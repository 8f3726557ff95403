import type { Stripe } from 'stripe';
import { earlyFraudWarnings as table } from '../objects/early-fraud-warning.ts';
import * as List from '../protocol/list.ts';
import { type Known, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import type { Route } from '../protocol/route.ts';

const path = '/v1/radar/early_fraud_warnings';

export const earlyFraudWarnings: readonly Route[] = [
  listing({
    path,
    gives: 'radar.early_fraud_warning',
    table,
    params: {
      created: List.created,
      charge: text().optional(),
      payment_intent: text().optional(),
    } satisfies Known<Stripe.Radar.EarlyFraudWarningListParams>,
  }),
  retrieval(path, 'radar.early_fraud_warning', table),
];
