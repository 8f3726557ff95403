import type { Act } from '../act.ts';
import type * as Invoice from '../objects/invoice.ts';
import * as Subscription from '../objects/subscription.ts';
import * as Store from '../store.ts';
import * as Ending from './ending.ts';

/** What becomes of a subscription whose renewal failed for the last time. */
export type LastResort = (typeof lastResorts)[number];

/** `past_due` leaves it as it is. */
export const lastResorts = ['cancel', 'unpaid', 'past_due'] as const;

type Setting = { id: 'dunning'; after_retries: LastResort };

const settings = Store.table<Setting>('settings');

/** A failed renewal is tried again so many days after each failure: three times in all. */
const retryAfterDays = [3, 5, 7] as const;

export function order(act: Act, afterRetries: LastResort): void {
  Store.put(act.store, settings, { id: 'dunning', after_retries: afterRetries });
}

/** When an invoice that has just failed is tried again; null where it is not. A try by hand does not move the schedule. */
export function nextAttempt(
  act: Act,
  { next_payment_attempt: planned, _retries }: Invoice.Invoice,
): number | null {
  if (planned !== null && planned > act.now) return planned;
  const days = retryAfterDays[_retries];
  return days === undefined ? null : act.now + days * 86_400;
}

/** Does what was ordered for the end of all tries; the subscription is cancelled where nothing was. */
export function giveUp(act: Act, subscriptionId: string): void {
  const { after_retries } = Store.get(act.store, settings, 'dunning') ?? { after_retries: 'cancel' };
  switch (after_retries) {
    case 'cancel':
      Ending.end(act, subscriptionId, { reason: 'payment_failed' });
      return;
    case 'unpaid':
      Subscription.update(act, subscriptionId, { status: 'unpaid' });
      return;
    case 'past_due':
      return;
  }
}
