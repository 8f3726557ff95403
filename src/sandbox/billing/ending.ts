import type { Act } from '../act.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoicePayment from '../objects/invoice-payment.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Subscription from '../objects/subscription.ts';
import * as Store from '../store.ts';

/** Voids an open invoice, and cancels the payment that was to pay it. */
export function annul(act: Act, invoice: Invoice.Invoice): Invoice.Invoice {
  const intent = Store.get(act.store, PaymentIntent.paymentIntents, invoice._intent ?? '');
  if (intent !== undefined && PaymentIntent.isOpen(intent)) PaymentIntent.cancel(act, intent, 'void_invoice');
  InvoicePayment.close(act, invoice, 'canceled');
  return Invoice.markVoid(act, invoice);
}

/**
 * Ends a subscription. Its unpaid invoices stay, but nothing collects them any more; the first invoice of one that
 * never began is void.
 */
export function end(
  act: Act,
  subscriptionId: string,
  why: Partial<Subscription.Subscription['cancellation_details']>,
): Subscription.Subscription {
  const ended = Subscription.end(act, subscriptionId, why);
  for (const invoice of Store.all(act.store, Invoice.invoices)) {
    if (invoice.parent.subscription_details.subscription !== subscriptionId) continue;
    if (invoice.status === 'open' && ended.status === 'incomplete_expired') annul(act, invoice);
    if (invoice.status !== 'open' && invoice.status !== 'draft') continue;
    Invoice.update(act, invoice.id, {
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    });
  }
  return ended;
}
