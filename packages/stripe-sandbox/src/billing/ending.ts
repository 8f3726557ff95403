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
 * Ends a subscription. Its open invoices stay, but nothing collects them any more; the first invoice of one that never began is void. As
 * at Stripe, this concerns finalized invoices only: a draft is still closed by itself, and charged then.
 */
export function endSubscription(
  ctx: RequestContext,
  subscriptionId: string,
  why: Partial<Subscription.Subscription['cancellation_details']>,
): Subscription.Subscription {
  const ended = Subscription.end(ctx, subscriptionId, why);
  for (const invoice of Store.all(ctx.store, Invoice.invoices)) {
    if (invoice.parent?.subscription_details.subscription !== subscriptionId) continue;
    if (invoice.status !== 'open') continue;
    if (ended.status === 'incomplete_expired') annul(ctx, invoice);
    else Invoice.stopCollection(ctx, invoice.id);
  }
  return ended;
}
