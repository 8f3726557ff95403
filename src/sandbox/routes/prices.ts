import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Price from '../objects/price.ts';
import * as List from '../protocol/list.ts';
import { boolean, currency, type Known, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { isRefusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as PriceData from './price-data.ts';

const path = '/v1/prices';

export const prices: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'price',
    params: z.strictObject({
      currency,
      unit_amount: PriceData.unitAmount,
      product: text().optional(),
      product_data: PriceData.productData.omit({ description: true }).optional(),
      recurring: PriceData.recurring.optional(),
      metadata: metadata.optional(),
      nickname: text(250).optional(),
      lookup_key: text(200).optional(),
    } satisfies Known<Stripe.PriceCreateParams>),
    run: (act, params) => {
      const wanted = Price.wantNew(act.store, params, null);
      return isRefusal(wanted) ? wanted : wanted.make(act);
    },
  }),
  listing({
    path,
    gives: 'price',
    table: Price.prices,
    params: {
      created: List.created,
      active: boolean.optional(),
      currency: currency.optional(),
      product: text().optional(),
      type: z.enum(['one_time', 'recurring']).optional(),
    } satisfies Known<Stripe.PriceListParams>,
  }),
  retrieval(path, 'price', Price.prices),
];
