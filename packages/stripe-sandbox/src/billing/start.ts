import type * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import type * as PaymentIntent from '../objects/payment-intent.ts';
import * as Subscription from '../objects/subscription.ts';
import type { RequestContext } from '../request-context.ts';
import * as Collection from './collection.ts';

/** The first bill of a subscription that is to begin now, `once` being what is paid beside it; nothing is stored yet. */
export function prepare(
  ctx: RequestContext,
  draft: Subscription.SubscriptionDraft,
  once: InvoiceLine.InvoiceLineDraft[],
): Invoice.Bill {
  const subscription = Subscription.prepare(ctx, draft);
  const period = Subscription.period(subscription);
  return {
    customer: draft.customer,
    subscription,
    reason: 'subscription_create',
    lines: [...subscription.items.data.map((item) => InvoiceLine.ofItem(ctx.store, item, period)), ...once],
    waiting: InvoiceItem.pending(ctx, draft.customer.id, subscription.id),
    period: { start: ctx.now, end: ctx.now },
  };
}

/** Begins the subscription of a first bill; it is active once `intent` has paid, or where nothing is due. */
export function startSubscription(
  ctx: RequestContext,
  bill: Invoice.Bill,
  intent: PaymentIntent.PaymentIntent | null,
): Subscription.Subscription {
  const invoice = Collection.write(ctx, bill);
  const { id } = Subscription.add(ctx, { ...bill.subscription, latest_invoice: invoice.id });
  Collection.resolve(ctx, invoice, intent);
  return Subscription.getSubscription(ctx, id);
}
