import type Stripe from 'stripe';
import * as Money from '../../kernel/money.ts';
import type { Terms } from '../../payment/period.ts';
import type { Invoice, Standing } from '../../payment/subscription.ts';

/** What travels with a subscription, so that each of its invoices says which period of which plan it pays. */
export type Sold = { order: string; account: string; plan: string; units: number; terms: Terms };

/** As metadata of the processor: texts of at most 500 characters. */
export function metadata({ order, account, plan, units, terms }: Sold): Record<string, string> {
  const { replaces: _, ...standing } = terms;
  return { order, account, plan, units: String(units), terms: JSON.stringify(standing) };
}

/** A paid invoice in our words; null where it is not paid, or is none of ours. */
export function read(invoice: Stripe.Invoice): Invoice | null {
  const details = invoice.parent?.subscription_details;
  const { order, plan, units, terms } = details?.metadata ?? {};
  const subscription = idOf(details?.subscription);
  if (invoice.status !== 'paid' || !invoice.id || !subscription || !order || !plan || !units || !terms)
    return null;
  // Credit notes and changes have lines of their own; the period is what the last line pays for.
  const periods = invoice.lines.data.map(({ period }) => period);
  const startMs = Math.max(...periods.map(({ start }) => start)) * 1000;
  const endMs = Math.max(...periods.map(({ end }) => end)) * 1000;
  const paidBy = invoice.payments?.data.find(({ status }) => status === 'paid')?.payment;
  return {
    id: invoice.id,
    order,
    isFirst: invoice.billing_reason === 'subscription_create',
    subscription,
    payment: idOf(paidBy?.payment_intent) ?? invoice.id,
    paid: Money.ofCents(invoice.amount_paid),
    plan,
    units: Number(units),
    terms: JSON.parse(terms) as Terms,
    startMs,
    endMs,
  };
}

/** How a subscription stands; null where it is none of ours. */
export function standing(subscription: Stripe.Subscription): Standing | null {
  const { id, metadata: sold, cancel_at_period_end, ended_at } = subscription;
  if (!sold.plan) return null;
  return {
    id,
    status: statusOf(subscription.status),
    cancelAtPeriodEnd: cancel_at_period_end,
    plan: sold.plan,
    endedMs: ended_at === null ? null : ended_at * 1000,
  };
}

function statusOf(status: Stripe.Subscription.Status): Standing['status'] {
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
