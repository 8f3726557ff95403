import type { Stripe } from 'stripe';
import { z } from 'zod';
import * as Change from '../billing/change.ts';
import * as Collection from '../billing/collection.ts';
import * as Ending from '../billing/ending.ts';
import * as Renewal from '../billing/renewal.ts';
import * as Invoice from '../objects/invoice.ts';
import { invoicePayments as payments } from '../objects/invoice-payment.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import * as List from '../protocol/list.ts';
import { boolean, type Known, text } from '../protocol/params.ts';
import { listing, retrieval } from '../protocol/reading.ts';
import { invalid, isRefusal, missing, type Refusal } from '../protocol/refusal.ts';
import { type Route, route } from '../protocol/route.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

const path = '/v1/invoices';
const gives = 'invoice';

/** Pays an invoice now, by the card given or by its subscription's; a draft is closed first. */
function pay(
  ctx: RequestContext,
  given: Invoice.Invoice,
  methodId: string | undefined,
): Invoice.Invoice | Refusal {
  const invoice = given.status === 'draft' ? Renewal.close(ctx, given) : given;
  if (given.status === 'draft' && invoice.status === 'paid') return invoice;
  if (invoice.status !== 'open') {
    const code = invoice.status === 'paid' ? { code: 'invoice_already_paid' } : {};
    return invalid(`This invoice cannot be paid: it is ${invoice.status}.`, code);
  }
  const method = methodId === undefined ? null : PaymentMethod.resolve(ctx, methodId, 'payment_method');
  if (method !== null && isRefusal(method)) return method;
  const foreign = method && PaymentMethod.refuseUse(method, invoice.customer);
  if (foreign) return foreign;
  return Collection.collect(ctx, invoice, method ?? undefined) ?? Invoice.getInvoice(ctx, invoice.id);
}

/** Voids an open invoice; a subscription that waited for it waits no more. */
function voidOpen(ctx: RequestContext, invoice: Invoice.Invoice): Invoice.Invoice | Refusal {
  if (invoice.status !== 'open') {
    return invalid(`Only an open invoice can be voided; this one is ${invoice.status}.`);
  }
  const subscription = Subscription.getSubscription(ctx, Invoice.subscriptionOf(invoice));
  const { id, status, latest_invoice, _pending } = subscription;
  if (_pending?.invoice === invoice.id) Change.dropPending(ctx, subscription);
  else if (status === 'incomplete') Ending.endSubscription(ctx, id, {});
  else {
    Ending.annul(ctx, invoice);
    const wasBehind = status === 'past_due' || status === 'unpaid';
    if (wasBehind && latest_invoice === invoice.id) Subscription.update(ctx, id, { status: 'active' });
  }
  return Invoice.getInvoice(ctx, invoice.id);
}

/** Of the invoice in the path, at the time of its customer; or a 404. */
function onInvoice(
  ctx: RequestContext,
  id: string,
  deed: (ctx: RequestContext, invoice: Invoice.Invoice) => object | Refusal,
): object | Refusal {
  const invoice = Store.get(ctx.store, Invoice.invoices, id);
  return invoice === undefined ? missing(gives, id) : deed(TestClock.at(ctx, invoice.test_clock), invoice);
}

/** Automatic collection can be stopped only; this sandbox does not start it again. */
const stopped = z.literal('false', { error: 'This sandbox takes auto_advance=false only.' });

/** Closes a draft, which is not charged by itself after `auto_advance` false. */
function finalize(ctx: RequestContext, row: Invoice.Invoice, stops: boolean): Invoice.Invoice | Refusal {
  if (row.status !== 'draft') {
    return invalid(`Only a draft can be finalized; this invoice is ${row.status}.`, {
      code: 'invoice_not_editable',
    });
  }
  return Renewal.close(ctx, stops ? Invoice.stopCollection(ctx, row.id) : row);
}

export const invoices: readonly Route[] = [
  listing({
    path,
    gives,
    table: Invoice.invoices,
    params: {
      created: List.created,
      customer: text().optional(),
      status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
      subscription: text().optional(),
    } satisfies Known<Stripe.InvoiceListParams>,
    where: (row, { customer, status, subscription }) =>
      (customer === undefined || row.customer === customer) &&
      (status === undefined || row.status === status) &&
      (subscription === undefined || row.parent?.subscription_details.subscription === subscription),
  }),
  retrieval(path, gives, Invoice.invoices),
  route({
    method: 'GET',
    path: `${path}/:id/lines`,
    gives: 'line_item',
    isList: true,
    params: z.strictObject(List.pageParams),
    run: (ctx, page, id) =>
      onInvoice(ctx, id, (_at, { lines }) =>
        // Lines are listed in their own order, not the newest first.
        List.page(lines.data.toReversed(), `${path}/${id}/lines`, page),
      ),
  }),
  route({
    method: 'POST',
    path: `${path}/:id`,
    gives,
    params: z.strictObject({ auto_advance: stopped.optional() } satisfies Known<Stripe.InvoiceUpdateParams>),
    run: (ctx, { auto_advance }, id) =>
      onInvoice(ctx, id, (at, row) => {
        if (row.status !== 'draft' && row.status !== 'open') {
          return invalid(`This invoice can no longer be edited: it is ${row.status}.`, {
            code: 'invoice_not_editable',
          });
        }
        return auto_advance === undefined ? row : Invoice.stopCollection(at, row.id);
      }),
  }),
  route({
    method: 'POST',
    path: `${path}/:id/finalize`,
    gives,
    params: z.strictObject({
      auto_advance: stopped.optional(),
    } satisfies Known<Stripe.InvoiceFinalizeInvoiceParams>),
    run: (ctx, { auto_advance }, id) =>
      onInvoice(ctx, id, (at, row) => finalize(at, row, auto_advance !== undefined)),
  }),
  route({
    method: 'POST',
    path: `${path}/:id/pay`,
    gives,
    params: z.strictObject({
      payment_method: text().optional(),
      off_session: boolean.optional(),
    } satisfies Known<Stripe.InvoicePayParams>),
    run: (ctx, { payment_method }, id) => onInvoice(ctx, id, (at, row) => pay(at, row, payment_method)),
  }),
  route({
    method: 'POST',
    path: `${path}/:id/void`,
    gives,
    params: z.strictObject({}),
    run: (ctx, _params, id) => onInvoice(ctx, id, voidOpen),
  }),
  listing({
    path: '/v1/invoice_payments',
    gives: 'invoice_payment',
    table: payments,
    params: {
      created: List.created,
      invoice: text().optional(),
      payment: z
        .strictObject({ type: z.enum(['payment_intent']), payment_intent: text().optional() })
        .optional(),
      status: z.enum(['open', 'paid', 'canceled']).optional(),
    } satisfies Known<Stripe.InvoicePaymentListParams>,
    where: (row, { invoice, payment, status }) =>
      (invoice === undefined || row.invoice === invoice) &&
      (payment?.payment_intent === undefined || row.payment.payment_intent === payment.payment_intent) &&
      (status === undefined || row.status === status),
  }),
  retrieval('/v1/invoice_payments', 'invoice_payment', payments),
];
