import * as Money from '@sluice/kernel/money';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import type { SubscriptionPlan } from '../catalog/plan.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import * as Proration from '../payment/proration.ts';
import { isDue, isLive, isRunning, type Subscription, willRenew } from '../payment/subscription.ts';

/** The next step of an account with a plan that renews. A plan without an offer can be bought. */
export type PlanOffer =
  /** The account has it. */
  | { kind: 'current' }
  /** It begins after the present period. */
  | { kind: 'next'; fromMs: number }
  | { kind: 'resume'; subscription: string; endMs: number }
  /** It is the present plan, and another one was chosen for the next period. */
  | { kind: 'keep'; subscription: string }
  /** Its renewal is not paid. */
  | { kind: 'unpaid' }
  /** The renewal of the present plan has to be paid first. */
  | { kind: 'pay_first' }
  /** The processor charges the renewal of the present plan within about an hour. */
  | { kind: 'renewing' }
  /**
   * Begins now, for `today`: its price less the `credit` for the unused rest of the present period. Tax is added on top. `ends`: what is left of
   * the present period, which ends now.
   */
  | {
      kind: 'dearer';
      subscription: string;
      today: Money.Money;
      credit: Money.Money;
      ends: { asset: 'unit' | 'usd'; amount: number };
    }
  | { kind: 'cheaper'; subscription: string; fromMs: number };

type OfferContext = Pick<CatalogContext, 'catalog'> &
  Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions'>;

/** Returns what an account can do with each plan, by the plan's id. The prices are those of now: they fall and rise with time and use. */
export async function planOffers(
  shop: OfferContext,
  account: string,
): Promise<ReadonlyMap<string, PlanOffer>> {
  const nowMs = shop.clock();
  const all = await shop.subscriptions.of(account);
  const live = all.filter((one) => isLive(one) && isRunning(one, nowMs));
  if (live.length === 0) return new Map();
  const periods = await shop.orders.periods(account);
  const base = live.find(willRenew);
  const offers = new Map<string, PlanOffer>();
  for (const plan of shop.catalog.plans) {
    if (plan.kind !== 'subscription') continue;
    const offer = own(live, plan.id, nowMs) ?? (base === undefined ? null : change(base, plan));
    if (offer !== null) offers.set(plan.id, offer);
  }
  return offers;

  function change(from: Subscription, plan: SubscriptionPlan): PlanOffer {
    const { id: subscription, endMs } = from;
    if (from.status === 'past_due') return { kind: 'pay_first' };
    if (isDue(from, nowMs)) return { kind: 'renewing' };
    if (from.nextPlan === plan.id) return { kind: 'next', fromMs: endMs };
    const period = periods.find((one) => one.subscription === subscription);
    if (period === undefined || plan.price <= period.price)
      return { kind: 'cheaper', subscription, fromMs: endMs };
    const credit = Proration.prorationCredit(period, nowMs);
    const today = Money.ofMicro(plan.price - credit);
    const ends = { asset: Proration.assetOf(period), amount: period.left };
    return { kind: 'dearer', subscription, today, credit, ends };
  }
}

function own(live: readonly Subscription[], plan: string, nowMs: number): PlanOffer | null {
  const mine = live.filter((one) => one.plan === plan);
  const renewing = mine.find(willRenew);
  if (renewing?.status === 'past_due') return { kind: 'unpaid' };
  if (renewing !== undefined && isDue(renewing, nowMs)) return { kind: 'current' };
  if (renewing !== undefined)
    return renewing.nextPlan === null ? { kind: 'current' } : { kind: 'keep', subscription: renewing.id };
  const [ending] = mine.filter(({ cancelAtPeriodEnd }) => cancelAtPeriodEnd);
  return ending === undefined ? null : { kind: 'resume', subscription: ending.id, endMs: ending.endMs };
}
