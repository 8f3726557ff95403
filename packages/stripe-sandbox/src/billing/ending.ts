import * as Invoice from '../objects/invoice.ts';
import * as InvoicePayment from '../objects/invoice-payment.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import * as Subscription from '../objects/subscription.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';

/** Voids an open invoice, and cancels the payment that was to pay it. */
export function annul(ctx: RequestContext, invoice: Invoice.Invoice): Invoice.Invoice {
  const intent = Store.get(ctx.store, PaymentIntent.paymentIntents, invoice._intent ?? '');
  if (intent !== undefined && PaymentIntent.isOpen(intent)) PaymentIntent.cancel(ctx, intent, 'void_invoice');
  InvoicePayment.close(ctx, invoice, 'canceled');
  return Invoice.markVoid(ctx, invoice);
}

/**
 * Ends a subscription. Its unpaid invoices stay, but nothing collects them any more; the first invoice of one that
 * never began is void.
 */
export function endSubscription(
  ctx: RequestContext,
  subscriptionId: string,
  why: Partial<Subscription.Subscription['cancellation_details']>,
): Subscription.Subscription {
  const ended = Subscription.end(ctx, subscriptionId, why);
  for (const invoice of Store.all(ctx.store, Invoice.invoices)) {
    if (invoice.parent?.subscription_details.subscription !== subscriptionId) continue;
    if (invoice.status === 'open' && ended.status === 'incomplete_expired') annul(ctx, invoice);
    if (invoice.status !== 'open' && invoice.status !== 'draft') continue;
    Invoice.update(ctx, invoice.id, {
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    });
  }
  return ended;
}
