import { type Refusal, refuse } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Tax from '../tax.ts';
import * as Card from './card.ts';
import * as CheckoutPayer from './checkout-payer.ts';
import * as CheckoutSession from './checkout-session.ts';
import * as Customer from './customer.ts';
import * as Event from './event.ts';
import * as PaymentMethod from './payment-method.ts';
import * as SetupIntent from './setup-intent.ts';

/** Keeps the card that a person typed; the refusal where its bank declines. 3-D Secure is passed without a page of its own. */
export function keep(
  ctx: RequestContext,
  session: CheckoutSession.CheckoutSession,
  payer: CheckoutPayer.Payer,
): CheckoutSession.CheckoutSession | Refusal {
  const intent = Store.get(ctx.store, SetupIntent.setupIntents, session.setup_intent ?? '');
  if (intent === undefined) throw new Error(`session ${session.id} keeps no card`);
  const method = PaymentMethod.create(ctx, payer);
  const conduct = Card.conductOf(method.card.last4);
  if (conduct.kind === 'declines') {
    const { code, declineCode: decline_code, message } = conduct;
    const error = { type: 'card_error', code, decline_code, message } as const;
    SetupIntent.fail(ctx, intent, { ...error, payment_method: PaymentMethod.asShown(method) });
    return refuse(402, error);
  }
  const { email, name, place } = payer;
  const address = place && Tax.addressOf(place);
  const customer = session.customer ?? Customer.create(ctx, { email, name, address }).id;
  PaymentMethod.mark(ctx, PaymentMethod.attach(ctx, method, customer), { _set_up: true });
  SetupIntent.succeed(ctx, intent, method.id, customer);
  const done = Store.put(ctx.store, CheckoutSession.checkoutSessions, {
    ...session,
    customer,
    customer_details: { ...CheckoutPayer.noDetails, address, email, name, individual_name: name },
    status: 'complete',
    url: null,
  });
  Event.record(ctx, 'checkout.session.completed', done);
  return done;
}
