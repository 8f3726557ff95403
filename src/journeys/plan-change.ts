import { id } from '@sluice/kernel/id';
import type { Money } from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { SubscriptionPlan } from '../catalog/plan.ts';
import type { CheckoutContext, PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import * as Proration from '../payment/proration.ts';
import {
  isLive,
  isOwed,
  isRunning,
  type OpenChange,
  type Subscription,
  willRenew,
} from '../payment/subscription.ts';
import * as Renewal from './renewal.ts';

/** Time after which a request for a change has ended at the processor, including its repetitions. */
const outcomeKnownMs = 2 * 60_000;
/** Maximum age of a change's invoice relative to its last request. */
const lookBackMs = 24 * 60 * 60_000;
/** The processor's maximum length of a product name. */
const productCharsMax = 250;

/** Selects subscriptions: one by its id, or those of a plan. */
export type SubscriptionSelector = { subscription: string } | { plan: string };

export type PlanChangeResult =
  /** The selected subscriptions in their new state, the latest period first. */
  | { kind: 'done'; subscriptions: [Subscription, ...Subscription[]] }
  /** The account has no such running subscription. */
  | { kind: 'no_plan' }
  /** A prepaid period does not renew, so there is nothing to cancel or change. */
  | { kind: 'prepaid'; subscription: Subscription }
  | { kind: 'no_such_target' }
  /** The caller expected the plan to cost `expected` each period. */
  | { kind: 'price_changed'; plan: string; price: Money; expected: Money }
  /** Another subscription of the account has, or will have, the target plan: it would be charged twice. */
  | { kind: 'already_subscribed'; plan: string }
  /** A change to another plan was requested, and its outcome is not known yet. */
  | { kind: 'under_way'; plan: string }
  /**
   * A change would be charged beside the renewal, which stays due. `payUrl` is the page of its open invoice; null while the processor has not
   * charged it yet.
   */
  | { kind: 'unpaid'; payUrl: string | null }
  | { kind: 'declined'; reason: string };

/**
 * Cancels renewals at the end of their period; the paid period is kept. By plan, it cancels every renewing subscription of the plan. Safe to
 * repeat: when none renews any more, the processor is not called.
 */
export async function cancel(
  shop: PaymentContext,
  account: string,
  which: SubscriptionSelector,
): Promise<PlanChangeResult> {
  const meant = await find(shop, account, which);
  const [first] = meant;
  if (first === undefined) return { kind: 'no_plan' };
  if (meant.every(({ renews }) => !renews)) return { kind: 'prepaid', subscription: first };
  for (const one of meant.filter(willRenew)) await Renewal.stop(shop, one);
  return done(shop, account, meant);
}

/** Resumes the renewal of a subscription; by plan, of the latest one. Refused when another subscription of the account renews with the plan. */
export async function resume(
  shop: PaymentContext,
  account: string,
  which: SubscriptionSelector,
): Promise<PlanChangeResult> {
  const meant = await find(shop, account, which);
  const [first] = meant;
  if (first === undefined) return { kind: 'no_plan' };
  const live = meant.filter(isLive);
  const [latest] = live;
  if (latest === undefined)
    return first.renews ? { kind: 'no_plan' } : { kind: 'prepaid', subscription: first };
  const renewing = live.find(willRenew);
  if (renewing !== undefined) return done(shop, account, [renewing]);
  if (await Renewal.wouldRenewTwice(shop, latest)) return { kind: 'already_subscribed', plan: latest.plan };
  await shop.processor.cancelAtPeriodEnd(latest.id, false);
  await Renewal.syncSubscription(shop, latest.id);
  return done(shop, account, [latest]);
}

/**
 * Changes the plan of a renewing subscription. A dearer plan begins at once with a new period, and the rest of the previous period is
 * credited (Proration.prorationCredit); units of it that are used until the new period is recorded are deducted from the new units. A cheaper plan begins
 * with the next period, so that it never pays to buy, use and change back.
 * @param expected the price of a period that the caller agreed to; refused at any other price, null for no such condition
 */
export async function change(
  shop: CheckoutContext,
  account: string,
  which: SubscriptionSelector,
  targetId: string,
  expected: Money | null = null,
): Promise<PlanChangeResult> {
  const meant = await find(shop, account, which);
  const found = await present(shop, meant);
  if (found === null)
    return meant[0] && !meant[0].renews ? { kind: 'prepaid', subscription: meant[0] } : { kind: 'no_plan' };
  const target = planOf(shop, targetId);
  // Returning to the present plan is a change too, when another plan was set for the next period.
  const isPresent = target?.id === found.plan && found.nextPlan === null;
  if (target === null || isPresent) return { kind: 'no_such_target' };
  if (expected !== null && expected !== target.price)
    return { kind: 'price_changed', plan: target.id, price: target.price, expected };
  if (isOwed(found, shop.clock())) return { kind: 'unpaid', payUrl: found.payUrl };
  if (await Renewal.renews(shop, account, target.id, found.id))
    return { kind: 'already_subscribed', plan: target.id };
  const asked = await ask(shop, account, found, target);
  if (asked.plan !== target.id) return { kind: 'under_way', plan: asked.plan };
  // Another request has made this change since the period was read.
  if (asked.isMade) return done(shop, account, [found]);
  const outcome = await shop.processor.changePlan(found.id, asked, {
    plan: target.id,
    product: productOf(shop, target.name),
    units: target.included.amount,
    terms: Proration.termsOf(target),
  });
  if (outcome.kind === 'declined') {
    await shop.subscriptions.endChange(asked.id, 'failed');
    if (outcome.detail !== null)
      shop.report('change_refused', { subscription: found.id, reason: outcome.detail });
    return { kind: 'declined', reason: outcome.reason };
  }
  await made(shop, asked);
  return done(shop, account, [found]);
}

/** Returns the subscription that a change concerns, as it is now; null when none runs on. */
async function present(shop: PaymentContext, meant: readonly Subscription[]): Promise<Subscription | null> {
  const known = meant.find(willRenew) ?? meant.find(isLive);
  if (known === undefined) return null;
  const now = await Renewal.syncIfDue(shop, known);
  return isLive(now) ? now : null;
}

/** Records the change before requesting it, so that a request whose response was lost is repeated under its own id. */
async function ask(
  shop: CheckoutContext,
  account: string,
  { id: subscription }: Subscription,
  target: SubscriptionPlan,
): Promise<OpenChange> {
  for (const open of await shop.subscriptions.openChanges(subscription)) await settle(shop, open);
  const period = (await shop.orders.periods(account)).find((one) => one.subscription === subscription);
  const credit =
    period && target.price > period.price ? Proration.prorationCredit(period, shop.clock()) : null;
  const replaces = period && credit !== null ? { order: period.order, credit } : null;
  return shop.subscriptions.beginChange(subscription, { id: id('chg', account), plan: target.id, replaces });
}

/** Resolves changes whose response was lost: records those that were made, and ends those that were not. */
export async function finish(shop: PaymentContext): Promise<void> {
  for (const open of await shop.subscriptions.openChanges()) {
    try {
      await settle(shop, open);
    } catch (fault) {
      if (fault instanceof ProcessorUnavailable) throw fault;
      // A change that cannot be resolved must not delay the others.
      shop.report('not_reconciled', {
        change: open.id,
        subscription: open.subscription,
        reason: String(fault),
      });
    }
  }
}

/** Resolves one change. A recent one may still be on its way to the processor, and stays open. */
async function settle(shop: PaymentContext, open: OpenChange): Promise<void> {
  if (open.askedMs > shop.clock() - outcomeKnownMs) return;
  const standing = await shop.processor.readSubscription(open.subscription);
  if (standing?.change === open.id) return made(shop, open);
  shop.report('change_not_made', { subscription: open.subscription, plan: open.plan });
  await shop.subscriptions.endChange(open.id, 'failed');
}

/** Records the period that a change began, if any. */
async function made(
  shop: PaymentContext,
  { id: change, subscription, replaces, askedMs }: OpenChange,
): Promise<void> {
  if (replaces !== null)
    for await (const invoice of shop.processor.invoices(askedMs - lookBackMs, subscription))
      await Renewal.book(shop, invoice);
  await Renewal.syncSubscription(shop, subscription);
  await shop.subscriptions.endChange(change, 'made');
}

/** Lists the running subscriptions, the renewing ones first. One that renews runs on while its renewal is not paid. */
async function find(
  shop: Pick<PaymentContext, 'clock' | 'subscriptions'>,
  account: string,
  which: SubscriptionSelector,
): Promise<Subscription[]> {
  const nowMs = shop.clock();
  const all = await shop.subscriptions.of(account);
  const running = all.filter(
    (one) =>
      ('plan' in which ? one.plan === which.plan : one.id === which.subscription) && isRunning(one, nowMs),
  );
  return [...running.filter(willRenew), ...running.filter((one) => !willRenew(one))];
}

async function done(
  shop: Pick<PaymentContext, 'subscriptions'>,
  account: string,
  meant: readonly Subscription[],
): Promise<PlanChangeResult> {
  const all = await shop.subscriptions.of(account);
  const [first, ...others] = all.filter(({ id: one }) => meant.some(({ id: wanted }) => wanted === one));
  if (first === undefined) throw new Error(`subscriptions of ${account} went away while they were changed`);
  return { kind: 'done', subscriptions: [first, ...others] };
}

function planOf(shop: Pick<CatalogContext, 'catalog'>, planId: string): SubscriptionPlan | null {
  const plan = shop.catalog.plans.find((candidate) => candidate.id === planId);
  return plan?.kind === 'subscription' ? plan : null;
}

/** Returns the name of a plan on the processor's page and invoices. */
export function productOf({ catalog }: Pick<CheckoutContext, 'catalog'>, name: string): string {
  return `${name} at ${catalog.storefront.name}`.slice(0, productCharsMax);
}

/** Formats a subscription for the account's API responses. */
export function asPlan(one: Subscription, nowMs: number) {
  const { plan, status, renews, startMs, endMs, cancelAtPeriodEnd, nextPlan } = one;
  return {
    id: one.id,
    plan,
    status: !renews && endMs <= nowMs ? 'expired' : status,
    renews: willRenew(one),
    renews_at: willRenew(one) ? new Date(endMs).toISOString() : null,
    period_start: new Date(startMs).toISOString(),
    period_end: new Date(endMs).toISOString(),
    cancel_at_period_end: cancelAtPeriodEnd,
    next_plan: nextPlan,
    pay_url: status === 'past_due' ? one.payUrl : null,
  };
}
