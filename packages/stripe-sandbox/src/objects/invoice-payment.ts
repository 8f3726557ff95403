import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Event from './event.ts';
import type { Invoice } from './invoice.ts';
import type { Stored } from './stored.ts';

/** A payment of an invoice. */
export type InvoicePayment = Stored<Stripe.InvoicePayment> & { invoice: string };

export const invoicePayments = Store.table<InvoicePayment>('invoice_payments');

/** Says that `intent` is to pay the invoice. */
export function openInvoicePayment(ctx: RequestContext, invoice: Invoice, intent: string): InvoicePayment {
  return Store.put(ctx.store, invoicePayments, {
    id: id('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: ctx.now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payments of an invoice, oldest first. */
export function paymentsOfInvoice(
  { store }: Pick<RequestContext, 'store'>,
  invoice: string,
): InvoicePayment[] {
  return Store.all(store, invoicePayments).filter((payment) => payment.invoice === invoice);
}

/** Ends what is still open for the invoice. */
export function close(
  ctx: RequestContext,
  { id: invoice, amount_due }: Invoice,
  status: 'paid' | 'canceled',
): void {
  for (const payment of paymentsOfInvoice(ctx, invoice)) {
    if (payment.status !== 'open') continue;
    const isPaid = status === 'paid';
    const closed = Store.put(ctx.store, invoicePayments, {
      ...payment,
      amount_paid: isPaid ? amount_due : null,
      status,
      status_transitions: {
        canceled_at: isPaid ? null : ctx.now,
        paid_at: isPaid ? ctx.now : null,
      },
    });
    if (isPaid) Event.record(ctx, 'invoice_payment.paid', closed);
  }
}
