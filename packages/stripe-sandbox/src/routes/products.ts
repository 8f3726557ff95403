import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Product from '../objects/product.ts';
import * as List from '../protocol/list.ts';
import { boolean, type Known, metadata, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import * as Store from '../store.ts';

const path = '/v1/products';

export const products: readonly Route[] = [
  route({
    method: 'POST',
    path,
    gives: 'product',
    params: z.strictObject({
      id: text(250).optional(),
      name: text(250),
      description: text(1_000).optional(),
      metadata: metadata.optional(),
    } satisfies Known<Stripe.ProductCreateParams>),
    run: (ctx, params) =>
      params.id !== undefined && Store.get(ctx.store, Product.products, params.id) !== undefined
        ? invalid('Product already exists.', { code: 'resource_already_exists', param: 'id' })
        : Product.create(ctx, params),
  }),
  listing({
    path,
    gives: 'product',
    table: Product.products,
    params: { created: List.created, active: boolean.optional() } satisfies Known<Stripe.ProductListParams>,
  }),
  retrieval(path, 'product', Product.products),
];
