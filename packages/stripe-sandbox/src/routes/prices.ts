import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Price from '../objects/price.ts';
import * as List from '../protocol/list.ts';
import { boolean, currency, type Known, list, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';
import * as PriceData from './price-data.ts';

const lookupKeysMax = 10;

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
      tax_behavior: PriceData.ofProduct.tax_behavior,
      lookup_key: text(200).optional(),
      transfer_lookup_key: boolean.optional(),
    } satisfies Known<Stripe.PriceCreateParams>),
    run: (ctx, params) => {
      const { transfer_lookup_key, ...data } = params;
      const wanted = Price.wantNew(ctx.store, data, null);
      if (isRefusal(wanted)) return wanted;
      const owner = data.lookup_key === undefined ? null : Price.byLookupKey(ctx.store, data.lookup_key);
      if (owner !== null) {
        if (!transfer_lookup_key) {
          return invalid(`A price (\`${owner.id}\`) already uses that lookup key.`, { param: 'lookup_key' });
        }
        Store.put(ctx.store, Price.prices, { ...owner, lookup_key: null });
      }
      return wanted.make(ctx);
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
      lookup_keys: list(text(200), lookupKeysMax).optional(),
      product: text().optional(),
      type: z.enum(['one_time', 'recurring']).optional(),
    } satisfies Known<Stripe.PriceListParams>,
    where: (price, { active, lookup_keys, product, type }) =>
      (active === undefined || price.active === active) &&
      (lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? '')) &&
      (product === undefined || price.product === product) &&
      (type === undefined || price.type === type),
  }),
  retrieval(path, 'price', Price.prices),
];
