import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Customer from './customer.ts';
import * as Event from './event.ts';
import * as Invoice from './invoice.ts';
import * as InvoiceLine from './invoice-line.ts';
import * as InvoicePayment from './invoice-payment.ts';
import * as InvoiceTax from './invoice-tax.ts';
import type { LineItem } from './line-item.ts';
import type { PaymentIntent } from './payment-intent.ts';

/** The members of a checkout session that its invoice is made from. */
type Billed = Pick<
  Stripe.Checkout.Session,
  'amount_subtotal' | 'amount_total' | 'automatic_tax' | 'invoice_creation'
> & { currency: string; _line_items: LineItem[] };

/** Returns `invoice_creation` of a session. */
export function wanted({ enabled }: { enabled: boolean }): Stripe.Checkout.Session.InvoiceCreation {
  return {
    enabled,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: null,
      metadata: null,
      rendering_options: null,
    },
  };
}

/** Writes the invoice of a single payment on a hosted page, which is paid already; null where the page makes none. */
export function write(ctx: RequestContext, session: Billed, intent: PaymentIntent): string | null {
  if (!session.invoice_creation?.enabled || !intent.customer) return null;
  const customer = Customer.getCustomer(ctx, intent.customer);
  const invoiceId = id('in');
  const net = session.amount_subtotal ?? 0;
  const total = session.amount_total ?? 0;
  const place = InvoiceTax.placeOf(customer);
  const taxes = session.automatic_tax.enabled && place ? InvoiceTax.on(net, place, customer._tax_ids) : null;
  const sequence = customer.next_invoice_sequence ?? 1;
  Store.put(ctx.store, Customer.customers, { ...customer, next_invoice_sequence: sequence + 1 });
  const lines = session._line_items.map(({ price, quantity }) =>
    InvoiceLine.onto(invoiceId, InvoiceLine.ofPrice(ctx.store, price, quantity, ctx.now)),
  );
  const invoice = Store.put(ctx.store, Invoice.invoices, {
    ...Invoice.constants,
    ...Invoice.amounts({ total, amount_due: total, starting_balance: 0 }, net),
    ...Invoice.payerOf(customer),
    ...InvoiceTax.shown(taxes, net),
    id: invoiceId,
    auto_advance: false,
    automatically_finalizes_at: null,
    billing_reason: 'manual',
    created: ctx.now,
    currency: session.currency,
    customer: customer.id,
    default_payment_method: null,
    effective_at: ctx.now,
    ending_balance: 0,
    hosted_invoice_url: `${ctx.publicUrl}/c/invoice/${invoiceId}`,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${invoiceId}/lines` },
    number: `${customer.id.slice(-8).toUpperCase()}-${String(sequence).padStart(4, '0')}`,
    parent: null,
    period_end: ctx.now,
    period_start: ctx.now,
    status: 'open',
    status_transitions: { ...Invoice.constants.status_transitions, finalized_at: ctx.now },
    test_clock: null,
  });
  InvoicePayment.openInvoicePayment(ctx, invoice, intent.id);
  InvoicePayment.close(ctx, invoice, 'paid');
  Event.record(ctx, 'invoice.created', invoice);
  Invoice.markPaid(ctx, invoice);
  return invoiceId;
}
