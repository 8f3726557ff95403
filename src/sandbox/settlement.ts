import type { Act } from './act.ts';
import * as Collection from './billing/collection.ts';
import * as CheckoutSession from './objects/checkout-session.ts';
import type { PaymentIntent } from './objects/payment-intent.ts';

/** Does what follows, for the page or the invoice that it is to pay, from a payment that has just been tried or has ended. */
export function follow(act: Act, intent: PaymentIntent): void {
  CheckoutSession.follow(act, intent);
  Collection.follow(act, intent);
}
