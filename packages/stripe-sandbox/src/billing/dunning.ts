import type * as Invoice from '../objects/invoice.ts';
import * as Subscription from '../objects/subscription.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Ending from './ending.ts';

/** The states a subscription can enter after the last failed attempt to pay a renewal. */
export type LastResort = (typeof lastResorts)[number];

/** `past_due` leaves it as it is. */
export const lastResorts = ['cancel', 'unpaid', 'past_due'] as const;

type Setting = { id: 'dunning'; after_retries: LastResort };

const settings = Store.table<Setting>('settings');

/** A failed renewal is tried again so many days after each failure: three times in all. */
const retryAfterDays = [3, 5, 7] as const;

export function order(ctx: RequestContext, afterRetries: LastResort): void {
  Store.put(ctx.store, settings, { id: 'dunning', after_retries: afterRetries });
}

/** When an invoice that has just failed is tried again; null where it is not. A try by hand does not move the schedule. */
export function nextAttempt(
  ctx: RequestContext,
  { next_payment_attempt: planned, _retries }: Invoice.Invoice,
): number | null {
  if (planned !== null && planned > ctx.now) return planned;
  const days = retryAfterDays[_retries];
  return days === undefined ? null : ctx.now + days * 86_400;
}

/** Does what was ordered for the end of all tries; the subscription is cancelled where nothing was. */
export function giveUp(ctx: RequestContext, subscriptionId: string): void {
  const { after_retries } = Store.get(ctx.store, settings, 'dunning') ?? { after_retries: 'cancel' };
  switch (after_retries) {
    case 'cancel':
      Ending.endSubscription(ctx, subscriptionId, { reason: 'payment_failed' });
      return;
    case 'unpaid':
      Subscription.update(ctx, subscriptionId, { status: 'unpaid' });
      return;
    case 'past_due':
      return;
  }
}
