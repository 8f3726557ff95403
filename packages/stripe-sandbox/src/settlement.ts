import * as Collection from './billing/collection.ts';
import * as CheckoutSession from './objects/checkout-session.ts';
import type { PaymentIntent } from './objects/payment-intent.ts';
import type { RequestContext } from './request-context.ts';

/** Updates the checkout session or the invoice of a payment that was attempted or has ended. */
export function follow(ctx: RequestContext, intent: PaymentIntent): void {
  CheckoutSession.follow(ctx, intent);
  Collection.follow(ctx, intent);
}
