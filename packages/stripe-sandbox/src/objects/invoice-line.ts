import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import * as Store from '../store.ts';
import type { InvoiceItem } from './invoice-item.ts';
import type { Period } from './period.ts';
import type { Price } from './price.ts';
import { products } from './product.ts';
import type { Stored, Wire } from './stored.ts';
import type { Item } from './subscription.ts';

/** One line of an invoice; a negative amount is a credit. */
export type InvoiceLine = Omit<Wire<Stored<Stripe.InvoiceLineItem>>, 'invoice'> & { invoice: string };

/** A line before it has an invoice. */
export type InvoiceLineDraft = Omit<InvoiceLine, 'id' | 'invoice'>;

/** Returns the line for a subscription item over `period`. */
export function ofItem(store: Store.Store, item: Item, period: Period): InvoiceLineDraft {
  return line({
    amount: item.price.unit_amount * item.quantity,
    currency: item.price.currency,
    description: `${item.quantity} × ${nameOf(store, item.price)}`,
    parent: subscriptionParent(item, false),
    period,
    price: item.price,
    quantity: item.quantity,
    subscription: item.subscription,
  });
}

/** Returns the line for the part of an item's price that belongs to `period` when prices change; negative for a credit. */
export function ofProration(
  store: Store.Store,
  item: Item,
  amount: number,
  period: Period,
): InvoiceLineDraft {
  const what = amount < 0 ? 'Unused time on' : 'Remaining time on';
  return line({
    amount,
    currency: item.price.currency,
    description: `${what} ${item.quantity} × ${nameOf(store, item.price)}`,
    parent: subscriptionParent(item, true),
    period,
    price: item.price,
    quantity: item.quantity,
    subscription: item.subscription,
  });
}

/** Returns the line for a one-time price beside a subscription. */
export function ofPrice(store: Store.Store, price: Price, quantity: number, now: number): InvoiceLineDraft {
  return line({
    amount: price.unit_amount * quantity,
    currency: price.currency,
    description: nameOf(store, price),
    parent: null,
    period: { start: now, end: now },
    price,
    quantity,
    subscription: null,
  });
}

/** Returns the line for a one-time amount that a change of a subscription adds; negative for a credit. */
export function ofOnce(
  store: Store.Store,
  {
    currency,
    product,
    unit_amount,
    quantity,
  }: { currency: string; product: string; unit_amount: number; quantity: number },
  subscription: string,
  now: number,
): InvoiceLineDraft {
  return line({
    amount: unit_amount * quantity,
    currency,
    description: Store.get(store, products, product)?.name ?? product,
    parent: {
      invoice_item_details: {
        invoice_item: id('ii'),
        proration: false,
        proration_details: null,
        subscription,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    },
    period: { start: now, end: now },
    price: null,
    quantity,
    subscription,
  });
}

export function ofInvoiceItem(item: InvoiceItem): InvoiceLineDraft {
  const subscription = item.parent?.subscription_details?.subscription ?? null;
  return {
    ...line({
      amount: item.amount,
      currency: item.currency,
      description: item.description,
      parent: {
        invoice_item_details: {
          invoice_item: item.id,
          proration: item.proration,
          proration_details: null,
          subscription,
        },
        subscription_item_details: null,
        type: 'invoice_item_details',
      },
      period: item.period,
      price: null,
      quantity: item.quantity,
      subscription,
    }),
    metadata: item.metadata ?? {},
    pricing: item.pricing,
  };
}

export function onto(invoice: string, draft: InvoiceLineDraft): InvoiceLine {
  return { ...draft, id: id('il'), invoice };
}

function pricingOf(price: Price): NonNullable<InvoiceLine['pricing']> {
  return {
    type: 'price_details',
    price_details: { price: price.id, product: price.product },
    unit_amount_decimal: price.unit_amount_decimal,
  };
}

function subscriptionParent(item: Item, proration: boolean): InvoiceLine['parent'] {
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration,
      proration_details: null,
      subscription: item.subscription,
      subscription_item: item.id,
    },
    type: 'subscription_item_details',
  };
}

function nameOf(store: Store.Store, { product }: Price): string {
  return Store.get(store, products, product)?.name ?? product;
}

type Parts = Pick<
  InvoiceLineDraft,
  'amount' | 'currency' | 'description' | 'parent' | 'period' | 'quantity' | 'subscription'
> & { price: Price | null };

function line({ price, ...parts }: Parts): InvoiceLineDraft {
  return {
    ...parts,
    object: 'line_item',
    discount_amounts: [],
    discountable: true,
    discounts: [],
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    pricing: price === null ? null : pricingOf(price),
    quantity_decimal: String(parts.quantity ?? 1),
    subtotal: parts.amount,
    taxes: [],
  };
}
