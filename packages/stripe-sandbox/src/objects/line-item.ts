import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import * as Store from '../store.ts';
import type { Price } from './price.ts';
import { products } from './product.ts';
import type { Stored, Wire } from './stored.ts';

/** One line of a checkout. */
export type LineItem = Omit<Wire<Stored<Stripe.LineItem>>, 'price' | 'quantity'> & {
  price: Price;
  quantity: number;
  /** The text below the name on the checkout page. */
  _note: string | null;
};

export function create(store: Store.Store, price: Price, quantity: number): LineItem {
  const amount = price.unit_amount * quantity;
  const product = Store.get(store, products, price.product);
  return {
    id: id('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: product?.name ?? null,
    metadata: {},
    price,
    quantity,
    _note: product?.description ?? null,
  };
}
