import type { Act } from '../act.ts';
import * as Customer from '../objects/customer.ts';
import * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import * as Period from '../objects/period.ts';
import * as Subscription from '../objects/subscription.ts';
import * as Collection from './collection.ts';
import * as Ending from './ending.ts';

/** A renewal is a draft for so long, in which the shop can add to it; then it is closed and paid. */
const draftSeconds = 3_600;

/** The end of a period: the subscription ends where that was wanted, otherwise the next period begins, and is billed. */
export function renew(act: Act, subscription: Subscription.Subscription): void {
  if (subscription.cancel_at_period_end) {
    Ending.end(act, subscription.id, {});
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
    customer: Customer.of(act, String(subscription.customer)),
    subscription: renewed,
    reason: 'subscription_cycle',
    lines: items.map((item) => InvoiceLine.ofItem(act.store, item, period)),
    waiting: InvoiceItem.pending(act, String(subscription.customer), subscription.id),
    period: over,
  };
  // What an unpaid subscription owes more is written down, and nobody is charged for it.
  const closesAt = subscription.status === 'unpaid' ? null : act.now + draftSeconds;
  const invoice = Invoice.draft(act, bill, closesAt);
  Subscription.update(act, subscription.id, { items: renewed.items, latest_invoice: invoice.id });
}

/** Closes a draft; it is open then, or paid where nothing is due. */
export function close(act: Act, draft: Invoice.Invoice): Invoice.Invoice {
  const { metadata } = Subscription.of(act, draft.parent.subscription_details.subscription);
  const invoice = Invoice.finalize(act, draft, metadata);
  if (invoice.amount_due === 0) Collection.settle(act, invoice);
  return Invoice.of(act, invoice.id);
}

/** Tries a failed invoice again, as the schedule says. */
export function retry(act: Act, invoice: Invoice.Invoice): void {
  Collection.collect(act, Invoice.update(act, invoice.id, { _retries: invoice._retries + 1 }));
}
