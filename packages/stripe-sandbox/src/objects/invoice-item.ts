import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Period } from './period.ts';
import type { Stored, Wire } from './stored.ts';

/** A charge, or where it is negative a credit, that waits for its customer's next invoice. */
export type InvoiceItem = Omit<Wire<Stored<Stripe.InvoiceItem>>, 'customer' | 'invoice'> & {
  customer: string;
  invoice: string | null;
};

export const invoiceItems = Store.table<InvoiceItem>('invoice_items');

export type InvoiceItemDraft = {
  /** Minor units. */
  amount: number;
  currency: string;
  customer: { id: string; test_clock: string | null };
  description?: string | null | undefined;
  metadata?: Record<string, string> | undefined;
  period?: Period | undefined;
  /** The subscription whose next invoice it waits for; absent for any of the customer's. */
  subscription?: string | undefined;
  /** The item that a change of price credits or charges for. */
  proration?: { item: string; pricing: InvoiceItem['pricing']; quantity: number } | undefined;
};

export function create(ctx: RequestContext, draft: InvoiceItemDraft): InvoiceItem {
  const { amount, currency, customer, subscription, proration } = draft;
  const item = Store.put(ctx.store, invoiceItems, {
    id: id('ii'),
    object: 'invoiceitem',
    amount,
    currency,
    customer: customer.id,
    customer_account: null,
    date: ctx.now,
    description: draft.description ?? null,
    discountable: proration === undefined,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: draft.metadata ?? {},
    net_amount: amount,
    parent:
      subscription === undefined
        ? null
        : {
            subscription_details: {
              subscription,
              ...(proration ? { subscription_item: proration.item } : {}),
            },
            type: 'subscription_details',
          },
    period: draft.period ?? { start: ctx.now, end: ctx.now },
    pricing: proration?.pricing ?? null,
    proration: proration !== undefined,
    quantity: proration?.quantity ?? 1,
    quantity_decimal: String(proration?.quantity ?? 1),
    tax_rates: [],
    test_clock: customer.test_clock,
  });
  Event.record(ctx, 'invoiceitem.created', item);
  return item;
}

/** Returns the items that wait for the next invoice of this subscription. */
export function pending({ store }: RequestContext, customer: string, subscription: string): InvoiceItem[] {
  return Store.all(store, invoiceItems).filter(
    (item) =>
      item.customer === customer &&
      item.invoice === null &&
      (item.parent?.subscription_details?.subscription ?? subscription) === subscription,
  );
}

export function remove(ctx: RequestContext, item: InvoiceItem): void {
  Store.remove(ctx.store, invoiceItems, item.id);
  Event.record(ctx, 'invoiceitem.deleted', item);
}
