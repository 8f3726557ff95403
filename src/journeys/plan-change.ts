import type { SubscriptionPlan } from '../catalog/plan.ts';
import * as Period from '../payment/period.ts';
import type { Change, Subscription } from '../payment/subscription.ts';
import * as Renewal from './renewal.ts';
import type { Counter } from './settlement.ts';

export type Changed =
  | { kind: 'done'; subscription: Subscription }
  /** The account has no such plan that runs. */
  | { kind: 'no_plan' }
  /** One prepaid period renews nothing, so there is nothing to cancel or to change. */
  | { kind: 'prepaid'; subscription: Subscription }
  | { kind: 'no_such_target' }
  /** A change to another plan has been asked for, and its outcome is not known yet. */
  | { kind: 'under_way'; plan: string }
  | { kind: 'declined'; reason: string };

/** The renewal of a plan ends with its period, or goes on after all. What is paid stays as it is. */
export async function cancel(
  shop: Counter,
  account: string,
  planId: string,
  cancels: boolean,
): Promise<Changed> {
  const found = await running(shop, account, planId);
  if (found === null) return { kind: 'no_plan' };
  if (!found.renews) return { kind: 'prepaid', subscription: found };
  await shop.processor.cancelAtPeriodEnd(found.id, cancels);
  await Renewal.look(shop, found.id);
  return done(shop, account, found);
}

/**
 * Another plan in place of one that renews. A dearer one begins at once, with a new period, and what is left of the one before is taken
 * off its price (Period.credit). A cheaper one begins with the next period: nobody buys, uses and goes back.
 */
export async function change(
  shop: Counter,
  account: string,
  planId: string,
  targetId: string,
): Promise<Changed> {
  const found = await running(shop, account, planId);
  if (found === null) return { kind: 'no_plan' };
  if (!found.renews) return { kind: 'prepaid', subscription: found };
  const target = planOf(shop, targetId);
  // Back to the present plan is a change too, where the next period was to be of another.
  const isPresent = target?.id === found.plan && found.nextPlan === null;
  if (target === null || isPresent) return { kind: 'no_such_target' };
  const period = (await shop.orders.periods(account)).find(({ subscription }) => subscription === found.id);
  const goesUp = period !== undefined && target.price > period.price;
  const credit = goesUp ? Period.credit(period, shop.clock()) : null;
  const asked = await beginChange(shop, found, target, credit);
  if (asked.plan !== target.id) return { kind: 'under_way', plan: asked.plan };
  const key = `change_${found.id}_${asked.number}`;
  const outcome = await shop.processor.changePlan(found.id, target, asked.credit, key);
  await shop.subscriptions.endChange(found.id, asked.number);
  if (outcome.kind === 'declined') {
    if (outcome.detail !== null)
      shop.report('change_refused', { subscription: found.id, reason: outcome.detail });
    return { kind: 'declined', reason: outcome.reason };
  }
  if (goesUp)
    for await (const invoice of shop.processor.invoices(found.startMs, found.id))
      await Renewal.book(shop, invoice);
  await Renewal.look(shop, found.id);
  return done(shop, account, found);
}

/**
 * The change to ask for: the very same one as before where its answer was lost, so that nobody is charged for it twice. One that has come
 * into force meanwhile is over.
 */
async function beginChange(
  shop: Counter,
  { id, plan }: Subscription,
  target: SubscriptionPlan,
  credit: Change['credit'],
): Promise<Change> {
  const asked = await shop.subscriptions.beginChange(id, target.id, credit);
  if (asked.plan !== plan) return asked;
  await shop.subscriptions.endChange(id, asked.number);
  return shop.subscriptions.beginChange(id, target.id, credit);
}

async function running(shop: Counter, account: string, planId: string): Promise<Subscription | null> {
  const nowMs = shop.clock();
  const all = await shop.subscriptions.of(account);
  const mine = all.filter(
    ({ plan, status, endMs }) => plan === planId && (status === 'past_due' || endMs > nowMs),
  );
  return mine.find(({ renews, status }) => renews && status !== 'canceled') ?? mine[0] ?? null;
}

async function done(shop: Counter, account: string, { id }: Subscription): Promise<Changed> {
  const subscription = (await shop.subscriptions.of(account)).find((one) => one.id === id);
  if (subscription === undefined) throw new Error(`subscription ${id} went away while it was changed`);
  return { kind: 'done', subscription };
}

function planOf(shop: Counter, id: string): SubscriptionPlan | null {
  const plan = shop.catalog.plans.find((candidate) => candidate.id === id);
  return plan?.kind === 'subscription' ? plan : null;
}

/** A subscription as its account is told of it. */
export function shown(
  { plan, status, renews, startMs, endMs, cancelAtPeriodEnd, nextPlan }: Subscription,
  nowMs: number,
) {
  return {
    plan,
    status: !renews && endMs <= nowMs ? 'expired' : status,
    renews: renews && !cancelAtPeriodEnd && status !== 'canceled',
    period_start: new Date(startMs).toISOString(),
    period_end: new Date(endMs).toISOString(),
    cancel_at_period_end: cancelAtPeriodEnd,
    next_plan: nextPlan,
  };
}
