import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import { mergeMetadata } from '../protocol/params.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** A product for sale. */
export type Product = Stored<Stripe.Product>;

export const products = Store.table<Product>('products');

export type ProductDraft = {
  /** Chosen by the shop; otherwise made up here. */
  id?: string | undefined;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(ctx: RequestContext, draft: ProductDraft): Product {
  const product = Store.put(ctx.store, products, {
    id: draft.id ?? id('prod'),
    object: 'product',
    active: true,
    created: ctx.now,
    default_price: null,
    description: draft.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: mergeMetadata({}, draft.metadata),
    name: draft.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: ctx.now,
    url: null,
  });
  Event.record(ctx, 'product.created', product);
  return product;
}
