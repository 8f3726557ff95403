import type { Act } from '../act.ts';
import type * as Invoice from '../objects/invoice.ts';
import * as InvoiceItem from '../objects/invoice-item.ts';
import * as InvoiceLine from '../objects/invoice-line.ts';
import type * as PaymentIntent from '../objects/payment-intent.ts';
import * as Subscription from '../objects/subscription.ts';
import * as Collection from './collection.ts';

/** The first bill of a subscription that is to begin now, `once` being what is paid beside it; nothing is stored yet. */
export function prepare(act: Act, draft: Subscription.Draft, once: InvoiceLine.Draft[]): Invoice.Bill {
  const subscription = Subscription.prepare(act, draft);
  const period = Subscription.period(subscription);
  return {
    customer: draft.customer,
    subscription,
    reason: 'subscription_create',
    lines: [...subscription.items.data.map((item) => InvoiceLine.ofItem(act.store, item, period)), ...once],
    waiting: InvoiceItem.pending(act, draft.customer.id, subscription.id),
    period: { start: act.now, end: act.now },
  };
}

/** Begins the subscription of a first bill; it is active once `intent` has paid, or where nothing is due. */
export function open(
  act: Act,
  bill: Invoice.Bill,
  intent: PaymentIntent.PaymentIntent | null,
): Subscription.Subscription {
  const invoice = Collection.write(act, bill);
  const { id } = Subscription.add(act, { ...bill.subscription, latest_invoice: invoice.id });
  Collection.resolve(act, invoice, intent);
  return Subscription.of(act, id);
}
