import { id } from '@sluice/kernel/id';
import type { Stripe } from 'stripe';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { type Charge, charges } from './charge.ts';
import * as Event from './event.ts';
import { paymentIntents } from './payment-intent.ts';
import type { Stored } from './stored.ts';

/** A charge that Radar has queued for the seller to review. The money has been taken. */
export type Review = Stored<Stripe.Review>;

export const reviews = Store.table<Review>('reviews');

/** Opens a review: `rule` for a Radar rule, `manual` when a person at the shop asked for it. */
export function openReview(ctx: RequestContext, charge: Charge, openedReason: 'rule' | 'manual'): Review {
  const review = Store.put(ctx.store, reviews, {
    id: id('prv'),
    object: 'review',
    billing_zip: null,
    charge: charge.id,
    closed_reason: null,
    created: ctx.now,
    ip_address: null,
    ip_address_location: null,
    livemode: false,
    open: true,
    opened_reason: openedReason,
    ...(charge.payment_intent !== null && { payment_intent: charge.payment_intent }),
    reason: openedReason,
    session: null,
  });
  refer(ctx, charge.id, review.id);
  Event.record(ctx, 'review.opened', review);
  return review;
}

/** Closes a review and removes it from its charge. */
export function close(
  ctx: RequestContext,
  review: Review,
  reason: Exclude<Stripe.Review.ClosedReason, undefined>,
): Review {
  const closed = Store.put(ctx.store, reviews, { ...review, open: false, closed_reason: reason, reason });
  refer(ctx, review.charge, null);
  Event.record(ctx, 'review.closed', closed, review);
  return closed;
}

/** Closes the open reviews of a charge, after a dispute or a full refund. */
export function closeAll(ctx: RequestContext, charge: string, reason: Stripe.Review.ClosedReason): void {
  for (const review of Store.all(ctx.store, reviews)) {
    if (review.charge === charge && review.open) close(ctx, review, reason);
  }
}

/** Sets `review` of the charge and of its payment intent. */
function refer(ctx: RequestContext, chargeId: string | null, review: string | null): void {
  const charge = Store.get(ctx.store, charges, chargeId ?? '');
  if (charge !== undefined) Store.put(ctx.store, charges, { ...charge, review });
  const intent = Store.get(ctx.store, paymentIntents, charge?.payment_intent ?? '');
  if (intent !== undefined) Store.put(ctx.store, paymentIntents, { ...intent, review });
}
