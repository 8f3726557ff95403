import * as Email from '../identity/email.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import {
  type Invoice,
  isDue,
  isLive,
  isOwed,
  type Subscription,
  willRenew,
} from '../payment/subscription.ts';

/** Delay after which the event of a renewal may have been lost, so that the processor is asked. */
const overdueMs = 2 * 60 * 60 * 1000;
/** Maximum age of the invoices that are then read. */
const lookBackMs = 40 * 24 * 60 * 60 * 1000;

/** Records a paid invoice, which begins its period. Safe to repeat. Returns the account; null when there was nothing to record. */
export async function book(shop: PaymentContext, invoice: Invoice | null): Promise<string | null> {
  if (invoice === null) return null;
  if (invoice.currency !== 'usd') {
    const { order, payment, currency, paid } = invoice;
    shop.report('payment_mismatch', { order, payment, currency, received: paid });
    return null;
  }
  const order = invoice.isFirst ? await shop.orders.find(invoice.order) : null;
  if (order && invoice.paid !== order.amount) {
    const { id, paid } = invoice;
    shop.report('payment_mismatch', { order: order.id, payment: id, ordered: order.amount, received: paid });
    return null;
  }
  const isNew = (await shop.subscriptions.find(invoice.subscription)) === null;
  const account = await shop.subscriptions.book(invoice);
  if (account === null) return null;
  await syncSubscription(shop, invoice.subscription);
  if (isNew) await closePages(shop, account, invoice);
  shop.writer.touch(account);
  return account;
}

/**
 * Returns true when a plan renews for an account, or is the next plan of a renewing subscription, so that it is not sold to it again.
 * @param except a subscription that is ignored
 */
export async function renews(
  shop: Pick<PaymentContext, 'subscriptions'>,
  account: string,
  plan: string,
  except: string | null = null,
): Promise<boolean> {
  const all = await shop.subscriptions.of(account);
  return all.some((one) => one.id !== except && isLive(one) && (one.plan === plan || one.nextPlan === plan));
}

/** Returns true when a subscription, if resumed, would renew beside another one of its plan, or of the plan that it changes to. */
export async function wouldRenewTwice(
  shop: Pick<PaymentContext, 'subscriptions'>,
  { id, account, plan, nextPlan }: Subscription,
): Promise<boolean> {
  const all = await shop.subscriptions.of(account);
  const isShared = (other: string | null) => other !== null && (other === plan || other === nextPlan);
  return all.some((one) => one.id !== id && willRenew(one) && (isShared(one.plan) || isShared(one.nextPlan)));
}

/**
 * Keeps one renewing subscription of each plan for an account, the earliest. A later one keeps its paid period, but is not charged
 * again. A second one can arise despite all earlier checks: from concurrent payments on two pages, overlapping changes, or joined
 * accounts.
 */
async function keepOne(
  shop: Pick<PaymentContext, 'clock' | 'processor' | 'report' | 'subscriptions'>,
  account: string,
): Promise<void> {
  // The event that one of the two has ended may have been lost, so read both before choosing the one to keep.
  for (const { id, earlier } of await shop.subscriptions.renewingTwice(account)) {
    await refresh(shop, earlier);
    await refresh(shop, id);
  }
  for (const { id, plan } of await shop.subscriptions.renewingTwice(account)) {
    shop.report('subscribed_twice', { account, plan, subscription: id });
    const found = await shop.subscriptions.find(id);
    if (found !== null) await endCharges(shop, found);
    await refresh(shop, id);
  }
}

/** Closes open pages of the same plan. This is only a convenience: a page that is paid nevertheless does not lead to a second renewal. */
async function closePages(
  shop: Pick<PaymentContext, 'orders' | 'processor'>,
  account: string,
  { plan, order }: Invoice,
): Promise<void> {
  for (const session of await shop.orders.openPages(account, plan, order)) {
    await shop.processor.closeCheckout(session).catch((fault: unknown) => {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
    });
  }
}

/**
 * Synchronizes a subscription with its status at the processor, whatever events arrived in whatever order, and ends it when another
 * subscription of its plan renews.
 */
export async function syncSubscription(
  shop: Pick<PaymentContext, 'clock' | 'processor' | 'report' | 'subscriptions'>,
  subscription: string,
): Promise<void> {
  await refresh(shop, subscription);
  const found = await shop.subscriptions.find(subscription);
  if (found !== null && willRenew(found)) await keepOne(shop, found.account);
}

async function refresh(
  shop: Pick<PaymentContext, 'processor' | 'subscriptions'>,
  subscription: string,
): Promise<void> {
  const number = await shop.subscriptions.nextSyncSeq(subscription);
  if (number === null) return;
  const standing = await shop.processor.readSubscription(subscription);
  if (standing === null) return;
  // Their pages would still take money, for periods that may be over.
  if (standing.endedMs !== null) await shop.processor.voidUnpaid(subscription);
  await shop.subscriptions.storeState(number, { ...standing, payerEmail: addressOf(standing.payerEmail) });
}

/**
 * Ends a renewal with its paid period. An unpaid renewal, and one that is not charged yet, ends now, and its invoice is void, so that the card is
 * not charged for it any more. Throws ProcessorUnavailable. Safe to repeat.
 */
export async function stop(shop: PaymentContext, known: Subscription): Promise<void> {
  const one = await syncIfDue(shop, known);
  if (!willRenew(one) && !isOwed(one, shop.clock())) return;
  await endCharges(shop, one);
  await syncSubscription(shop, one.id);
}

/** Cancels at the end of its period a subscription that is paid, and now one that would still be charged for a renewal. */
async function endCharges(
  shop: Pick<PaymentContext, 'clock' | 'processor'>,
  one: Subscription,
): Promise<void> {
  if (isOwed(one, shop.clock())) await shop.processor.cancelNow(one.id);
  else await shop.processor.cancelAtPeriodEnd(one.id, true);
}

/** Returns a subscription; one whose renewal is due is synchronized first, because the event of the renewal may be late. */
export async function syncIfDue(shop: PaymentContext, one: Subscription): Promise<Subscription> {
  if (!isDue(one, shop.clock())) return one;
  await syncWithInvoices(shop, one.id);
  return (await shop.subscriptions.find(one.id)) ?? one;
}

/** Records the paid invoices of a subscription, and its state. */
async function syncWithInvoices(shop: PaymentContext, subscription: string): Promise<void> {
  for await (const invoice of shop.processor.invoices(shop.clock() - lookBackMs, subscription))
    await book(shop, invoice);
  await syncSubscription(shop, subscription);
}

/** Returns the normalized address, or null when it is not valid. */
function addressOf(email: string | null): string | null {
  return email === null ? null : Email.parse(email);
}

/** Reads overdue renewals from the processor, and ends second renewing subscriptions of a plan. */
export async function catchUp(shop: PaymentContext, nowMs: number): Promise<void> {
  for (const subscription of await shop.subscriptions.overdue(nowMs - overdueMs))
    await syncWithInvoices(shop, subscription);
  for (const { account, id: subscription } of await shop.subscriptions.renewingTwice(null)) {
    try {
      await keepOne(shop, account);
    } catch (fault) {
      if (fault instanceof ProcessorUnavailable) throw fault;
      // An account that cannot be resolved must not delay the others.
      shop.report('not_reconciled', { subscription, reason: String(fault) });
    }
  }
}
