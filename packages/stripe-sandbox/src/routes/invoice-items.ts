import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Customer from '../objects/customer.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import * as List from '../protocol/list.ts';
import {
  boolean,
  currency,
  integer,
  type Known,
  mergeMetadata,
  metadata,
  text,
  timestamp,
} from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

const path = '/v1/invoiceitems';
const gives = 'invoiceitem';

const creation = z.strictObject({
  amount: integer,
  currency,
  customer: text(),
  description: text(1_000).optional(),
  metadata: metadata.optional(),
  period: z.strictObject({ start: timestamp, end: timestamp }).optional(),
  subscription: text().optional(),
} satisfies Known<Stripe.InvoiceItemCreateParams>);

function create(ctx: RequestContext, params: z.infer<typeof creation>): InvoiceItem.InvoiceItem | Refusal {
  const customer = Store.get(ctx.store, Customer.customers, params.customer);
  if (customer === undefined) return missing('customer', params.customer, 'customer');
  if (params.subscription !== undefined) {
    const subscription = Store.get(ctx.store, Subscription.subscriptions, params.subscription);
    if (subscription?.customer !== customer.id)
      return missing('subscription', params.subscription, 'subscription');
  }
  const about = mergeMetadata({}, params.metadata);
  return InvoiceItem.create(TestClock.at(ctx, customer.test_clock), { ...params, customer, metadata: about });
}

export const invoiceItems: readonly Route[] = [
  route({ method: 'POST', path, gives, params: creation, run: create }),
  listing({
    path,
    gives,
    table: InvoiceItem.invoiceItems,
    params: {
      created: List.created,
      customer: text().optional(),
      invoice: text().optional(),
      pending: boolean.optional(),
    } satisfies Known<Stripe.InvoiceItemListParams>,
    where: (row, { customer, invoice, pending }) =>
      (customer === undefined || row.customer === customer) &&
      (invoice === undefined || row.invoice === invoice) &&
      (pending === undefined || pending === (row.invoice === null)),
  }),
  retrieval(path, gives, InvoiceItem.invoiceItems),
  route({
    method: 'DELETE',
    path: `${path}/:id`,
    gives,
    params: z.strictObject({}),
    run: (ctx, _params, id) => {
      const item = Store.get(ctx.store, InvoiceItem.invoiceItems, id);
      if (item === undefined) return missing(gives, id);
      if (item.invoice !== null) return invalid('This item is on an invoice already.');
      InvoiceItem.remove(ctx, item);
      return { id, object: gives, deleted: true };
    },
  }),
];
