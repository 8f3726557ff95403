import * as Customer from '../objects/customer.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import * as Period from '../objects/period.ts';
import * as Subscription from '../objects/subscription.ts';
import type { RequestContext } from '../request-context.ts';
import * as Collection from './collection.ts';
import * as Ending from './ending.ts';

/** A renewal is a draft for so long, in which the shop can add to it; then it is closed and paid. */
const draftSeconds = 3_600;

/** The end of a period: the subscription ends where that was wanted, otherwise the next period begins, and is billed. */
export function renew(ctx: RequestContext, subscription: Subscription.Subscription): void {
  if (subscription.cancel_at_period_end) {
    Ending.endSubscription(ctx, subscription.id, {});
    return;
  }
  const over = Subscription.period(subscription);
  const items = subscription.items.data.map((item) => {
    const next = Period.beginningAt(over.end, subscription.billing_cycle_anchor, item.price.recurring);
    return { ...item, current_period_start: next.start, current_period_end: next.end };
  });
  const renewed = { ...subscription, items: Subscription.itemList(subscription.id, items) };
  const period = Subscription.period(renewed);
  const bill: Invoice.Bill = {
    customer: Customer.getCustomer(ctx, String(subscription.customer)),
    subscription: renewed,
    reason: 'subscription_cycle',
    lines: items.map((item) => InvoiceLine.ofItem(ctx.store, item, period)),
    waiting: InvoiceItem.pending(ctx, String(subscription.customer), subscription.id),
    period: over,
  };
  // Invoices of an unpaid subscription stay drafts and are not charged.
  const closesAt = subscription.status === 'unpaid' ? null : ctx.now + draftSeconds;
  const invoice = Invoice.draft(ctx, bill, closesAt);
  Subscription.update(ctx, subscription.id, { items: renewed.items, latest_invoice: invoice.id });
}

/** Closes a draft; it is open then, or paid where nothing is due. */
export function close(ctx: RequestContext, draft: Invoice.Invoice): Invoice.Invoice {
  const { metadata } = Subscription.getSubscription(ctx, Invoice.subscriptionOf(draft));
  const invoice = Invoice.finalize(ctx, draft, metadata);
  if (invoice.amount_due === 0) Collection.settle(ctx, invoice);
  return Invoice.getInvoice(ctx, invoice.id);
}

/** Tries a failed invoice again, as the schedule says. */
export function retry(ctx: RequestContext, invoice: Invoice.Invoice): void {
  Collection.collect(ctx, Invoice.update(ctx, invoice.id, { _retries: invoice._retries + 1 }));
}
