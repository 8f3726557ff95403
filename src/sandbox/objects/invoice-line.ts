import type { Stripe } from 'stripe';
import { id } from '../../kernel/id.ts';
import * as Store from '../store.ts';
import type { InvoiceItem } from './invoice-item.ts';
import type { Period } from './period.ts';
import type { Price } from './price.ts';
import { products } from './product.ts';
import type { Stored, Wire } from './stored.ts';
import type { Item } from './subscription.ts';

/** What one line of an invoice asks for, or where it is negative gives back. */
export type InvoiceLine = Omit<Wire<Stored<Stripe.InvoiceLineItem>>, 'invoice'> & { invoice: string };

/** A line before it has an invoice. */
export type Draft = Omit<InvoiceLine, 'id' | 'invoice'>;

/** What a subscription asks for an item over `period`. */
export function ofItem(store: Store.Store, item: Item, period: Period): Draft {
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

/** The part of an item's price that falls to `period`, in a change of prices; negative where it is given back. */
export function ofProration(store: Store.Store, item: Item, amount: number, period: Period): Draft {
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

/** What is paid once, beside a subscription. */
export function ofPrice(store: Store.Store, price: Price, quantity: number, now: number): Draft {
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

export function ofInvoiceItem(item: InvoiceItem): Draft {
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

export function onto(invoice: string, draft: Draft): InvoiceLine {
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
  Draft,
  'amount' | 'currency' | 'description' | 'parent' | 'period' | 'quantity' | 'subscription'
> & { price: Price | null };

function line({ price, ...parts }: Parts): Draft {
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
