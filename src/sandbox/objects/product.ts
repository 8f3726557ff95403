import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import type { Act } from '../act.ts';
import { mergeMetadata } from '../protocol/params.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Stored } from './stored.ts';

/** What is sold. */
export type Product = Stored<Stripe.Product>;

export const products = Store.table<Product>('products');

export type Draft = {
  name: string;
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export function create(act: Act, draft: Draft): Product {
  const product = Store.put(act.store, products, {
    id: id('prod'),
    object: 'product',
    active: true,
    created: act.now,
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
    updated: act.now,
    url: null,
  });
  Event.record(act, 'product.created', product);
  return product;
}
