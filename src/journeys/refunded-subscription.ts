import * as Money from '@sluice/kernel/money';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import { ProcessorUnavailable } from '../payment/processor.ts';
import { isLive, isOwed, type Subscription, willRenew } from '../payment/subscription.ts';
import * as Renewal from './renewal.ts';

/**
 * A subscription that ends with a refund of one of its payments, so that the buyer is not charged again after it: `now` when the running
 * period is refunded in full or its renewal is unpaid, otherwise at the end of its period.
 */
export type SubscriptionEnd = {
  subscription: string;
  plan: string;
  when: 'now' | 'period_end';
  endMs: number;
  /** The plan of its next period if it is kept; null when it does not renew. */
  renewsAs: string | null;
  /** True when a renewal is unpaid, or not charged yet, so that `endMs` has passed. */
  isOwed: boolean;
};

/** Returns the subscription to end when `left` of the order remains paid after a refund; null when it would not be charged again anyway. */
export async function endingOf(
  shop: Pick<PaymentContext, 'clock' | 'subscriptions'>,
  order: Pick<Order, 'id' | 'account' | 'periodEndMs'>,
  left: Money.Money,
): Promise<SubscriptionEnd | null> {
  if (order.periodEndMs === null || order.account === null) return null;
  const found = await shop.subscriptions.paidBy(order.id);
  if (found === null || !isLive(found)) return null;
  const facts = factsOf(found, shop.clock());
  const isNow = facts.isOwed || (left === Money.zero && order.periodEndMs >= found.endMs);
  return isNow || willRenew(found) ? { ...facts, when: isNow ? 'now' : 'period_end' } : null;
}

function factsOf(found: Subscription, nowMs: number): Omit<SubscriptionEnd, 'when'> {
  const { id: subscription, plan, endMs, nextPlan } = found;
  const renewsAs = willRenew(found) ? (nextPlan ?? plan) : null;
  return { subscription, plan, endMs, renewsAs, isOwed: isOwed(found, nowMs) };
}

/** Ends the subscription. Safe to repeat. Returns false when the processor is unavailable; the subscription then still renews. */
export async function end(
  shop: PaymentContext,
  { subscription, when, isOwed }: SubscriptionEnd,
): Promise<boolean> {
  try {
    const found = await shop.subscriptions.find(subscription);
    if (when === 'now' && !isOwed) {
      await shop.processor.cancelNow(subscription);
      await Renewal.syncSubscription(shop, subscription);
    } else if (found !== null) await Renewal.stop(shop, found);
    return true;
  } catch (fault) {
    if (!(fault instanceof ProcessorUnavailable)) throw fault;
    shop.report('subscription_not_ended', { subscription });
    return false;
  }
}

/** A day in UTC, as the console writes it: `7 Feb 2027`. */
const day = (ms: number) => new Date(ms).toUTCString().slice(5, 16).replace(/^0/, '');

/** Describes the end of the subscription to the seller, after the refund. */
export function describeEnded({ plan, when, endMs }: SubscriptionEnd): string {
  return `Its subscription (${plan}) ${when === 'now' ? 'has ended' : `ends with its period, on ${day(endMs)}`}; it is not charged again.`;
}

/** Describes the end of the subscription to the seller, before the refund. */
export function describeEnd({ subscription, plan, when, endMs }: SubscriptionEnd): string {
  return `This ends the subscription ${subscription} (${plan}) ${when === 'now' ? 'now' : `with its period, on ${day(endMs)}`}; it is not charged again.`;
}
