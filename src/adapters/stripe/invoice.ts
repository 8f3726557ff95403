import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { InvoiceLine } from '../../payment/proration.ts';
import type { Invoice, SubscriptionState } from '../../payment/subscription.ts';
import { boughtBy, type PlanPrices } from './plan-price.ts';
import * as ShopMark from './shop-mark.ts';

/** Maximum length of a line's description that is kept. */
const lineCharsMax = 200;

/** The metadata of a subscription: the shop's public URL, the order that started the subscription, and its account. */
export function metadata(
  { order, account }: { order: string; account: string },
  { origin }: Pick<ShopMark.ShopMark, 'origin'>,
): Record<string, string> {
  return { shop: origin, order, account };
}

/**
 * Converts a paid invoice; returns null when it is unpaid or belongs to another shop. Its line's price determines what it buys,
 * because the subscription may already be on another plan when its invoice is closed.
 */
export async function read(
  invoice: Stripe.Invoice,
  prices: PlanPrices,
  mark: ShopMark.ShopMark,
): Promise<Invoice | null> {
  const details = invoice.parent?.subscription_details;
  const { shop, order, change } = details?.metadata ?? {};
  const subscription = idOf(details?.subscription);
  const line = lineOf(invoice);
  if (invoice.status !== 'paid' || !invoice.id || !subscription || !order || !line) return null;
  const price = idOf(line.pricing?.price_details?.price);
  const bought = price === null ? null : await prices.read(price);
  if (bought === null) return null;
  const paidBy = invoice.payments?.data.find(({ status }) => status === 'paid')?.payment;
  return {
    id: invoice.id,
    order,
    isForeign: ShopMark.isForeign(mark, shop),
    isFirst: invoice.billing_reason === 'subscription_create',
    change: invoice.billing_reason === 'subscription_update' ? (change ?? null) : null,
    subscription,
    payment: idOf(paidBy?.payment_intent) ?? invoice.id,
    currency: invoice.currency,
    ...paidOf(invoice),
    lines: linesOf(invoice, line),
    ...bought,
    startMs: line.period.start * 1000,
    endMs: line.period.end * 1000,
  };
}

/** Returns the amount paid without tax, and its tax. A payment from the customer's balance reduces both in proportion. */
function paidOf({ amount_paid, total, total_taxes }: Stripe.Invoice): Pick<Invoice, 'paid' | 'tax'> {
  const due = (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const tax = total > 0 ? Math.round((due * amount_paid) / total) : 0;
  return { paid: Money.ofCents(amount_paid - tax), tax: Money.ofCents(tax) };
}

/**
 * Returns the lines without tax; null when the invoice has more than this response contains. `period`: the line that charges for the
 * period.
 */
function linesOf(
  { lines: { data, has_more } }: Stripe.Invoice,
  period: Stripe.InvoiceLineItem,
): InvoiceLine[] | null {
  if (has_more) return null;
  return data.map((line) => ({
    text: line === period ? null : (line.description ?? '').slice(0, lineCharsMax),
    amount: Money.ofCents(line.amount - inclusiveTax(line)),
  }));
}

function inclusiveTax({ taxes }: Stripe.InvoiceLineItem): number {
  const inclusive = (taxes ?? []).filter(({ tax_behavior }) => tax_behavior === 'inclusive');
  return inclusive.reduce((sum, { amount }) => sum + amount, 0);
}

/** Returns the line that charges for a period: credits and one-time additions have their own lines. */
function lineOf({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  return lines.data.findLast(({ parent, amount }) => {
    const item = parent?.subscription_item_details;
    return item && !item.proration && amount >= 0;
  });
}

/** Returns the status of a subscription, or null when it belongs to another shop. */
export function standing(subscription: Stripe.Subscription): SubscriptionState | null {
  const { id, metadata: about, items, cancel_at_period_end, ended_at, latest_invoice } = subscription;
  const price = items.data[0]?.price;
  const plan = price && boughtBy(price)?.plan;
  if (!about.order || !plan) return null;
  const invoice = typeof latest_invoice === 'object' ? latest_invoice : null;
  return {
    id,
    status: statusOf(subscription.status),
    cancelAtPeriodEnd: cancel_at_period_end,
    plan,
    change: about.change ?? null,
    payerEmail: invoice?.customer_email ?? null,
    payUrl: invoice?.status === 'open' ? (invoice.hosted_invoice_url ?? null) : null,
    endedMs: ended_at === null ? null : ended_at * 1000,
  };
}

function statusOf(status: Stripe.Subscription.Status): SubscriptionState['status'] {
  switch (status) {
    case 'active':
    case 'trialing':
      return 'active';
    case 'canceled':
    case 'incomplete_expired':
      return 'canceled';
    default:
      return 'past_due';
  }
}

function idOf(object: string | { id: string } | null | undefined): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}
