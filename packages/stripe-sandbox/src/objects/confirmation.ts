import { invalid, type Refusal, refuse } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as Card from './card.ts';
import * as Charge from './charge.ts';
import * as Dispute from './dispute.ts';
import * as EarlyFraudWarning from './early-fraud-warning.ts';
import * as Event from './event.ts';
import * as GrantedToken from './granted-token.ts';
import * as PaymentIntent from './payment-intent.ts';
import * as PaymentMethod from './payment-method.ts';
import * as Review from './review.ts';
import { shown } from './stored.ts';

/** The parameters of one attempt to pay. */
export type Confirmation = {
  method: PaymentMethod.PaymentMethod;
  grantedToken: string | null;
  /** The payer is absent and cannot complete 3-D Secure. */
  offSession: boolean;
  /** A decline instead of `requires_action`. */
  errorOnRequiresAction: boolean;
  returnUrl: string | null;
};

/**
 * Attempts the payment, which then succeeds, is processing or requires 3-D Secure. A decline is a 402 `card_error` with the intent, which stays
 * open for another attempt. Refused with `payment_intent_unexpected_state` once the intent has ended.
 */
export function confirm(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  how: Confirmation,
): PaymentIntent.PaymentIntent | Refusal {
  if (!PaymentIntent.isOpen(intent)) return unexpected(intent, 'confirmed');
  const tried = PaymentIntent.update(ctx, intent, {
    payment_method: how.method.id,
    last_payment_error: null,
    next_action: null,
    _granted_token: how.grantedToken,
  });
  const conduct = Card.conductOf(how.method.card.last4);
  switch (conduct.kind) {
    case 'succeeds':
    case 'refunds_slowly':
    case 'is_disputed':
    case 'is_reported':
    case 'is_reviewed':
      return succeed(ctx, tried, how.method, false);
    case 'settles_later':
      return process(ctx, tried, how.method);
    case 'declines':
      return decline(ctx, tried, how.method, conduct);
    case 'declines_once_kept':
      return how.method.customer === null
        ? succeed(ctx, tried, how.method, false)
        : decline(ctx, tried, how.method, conduct.as);
    case 'challenges':
      if (conduct.when === 'until_set_up' && how.method._set_up)
        return succeed(ctx, tried, how.method, false);
      if (how.offSession || how.errorOnRequiresAction)
        return decline(ctx, tried, how.method, authenticationRequired);
      return challenge(ctx, tried, how.returnUrl);
  }
}

/** The outcome of 3-D Secure: passed takes the money, failed asks for another card. Null where none was asked for. */
export function authenticate(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  passed: boolean,
): PaymentIntent.PaymentIntent | null {
  const method = Store.get(ctx.store, PaymentMethod.paymentMethods, intent.payment_method ?? '');
  if (intent.status !== 'requires_action' || method === undefined) return null;
  // The token may have paid for something else, or have ended, while its owner was at the bank's page.
  const lapsed = intent._granted_token === null ? null : refuseToken(ctx, intent._granted_token, intent);
  if (passed && lapsed === null) return succeed(ctx, intent, method, true);
  return fail(ctx, intent, {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message:
      lapsed?.error.message ?? 'The payment could not be authenticated. Choose another card, or try again.',
    payment_method: PaymentMethod.asShown(method),
  });
}

function refuseToken(
  ctx: RequestContext,
  tokenId: string,
  due: { amount: number; currency: string },
): Refusal | null {
  const token = Store.get(ctx.store, GrantedToken.grantedTokens, tokenId);
  if (token === undefined) throw new Error(`granted token ${tokenId} is gone`);
  return GrantedToken.refuseUse(token, { ...due, now: ctx.now }, GrantedToken.parameter);
}

/** The address of the page on which the payer passes 3-D Secure. */
export function challengeUrl(publicUrl: string, intent: string): string {
  return `${publicUrl}/c/challenge/${intent}`;
}

export function unexpected(intent: PaymentIntent.PaymentIntent, deed: string): Refusal {
  return refuse(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: `This PaymentIntent cannot be ${deed} because its status is ${intent.status}.`,
    payment_intent: shown(intent),
  });
}

/** A payment that is to be tried without anything to pay by. */
export const noMethod = invalid(
  'This PaymentIntent cannot be confirmed because it has no payment method; give one now or before.',
  { code: 'payment_intent_unexpected_state' },
);

/** A processing payment succeeds after this time, unless a test settles it earlier. */
const settlingSeconds = 4 * 86_400;

const notPaid: Charge.Failure = {
  code: 'payment_method_provider_decline',
  declineCode: 'insufficient_funds',
  message: 'The payment did not arrive: the bank turned it down.',
};

const authenticationRequired: Charge.Failure = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

function succeed(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  authenticated: boolean,
): PaymentIntent.PaymentIntent {
  const charge = Charge.create(ctx, { ...intent, payment_intent: intent.id }, method, { authenticated });
  const paid = PaymentIntent.update(ctx, intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    next_action: null,
  });
  use(ctx, paid, method);
  Event.record(ctx, 'payment_intent.succeeded', paid);
  followCard(ctx, charge, Card.conductOf(method.card.last4));
  return PaymentIntent.getPaymentIntent(ctx, paid.id);
}

/** Opens the dispute, warning or review that follows a payment by some test cards. */
function followCard(ctx: RequestContext, charge: Charge.Charge, conduct: Card.Conduct): void {
  if (conduct.kind === 'is_disputed')
    Dispute.openDispute(ctx, charge, { isInquiry: conduct.as === 'inquiry' });
  if (conduct.kind === 'is_reported') EarlyFraudWarning.report(ctx, charge, 'made_with_stolen_card');
  if (conduct.kind === 'is_reviewed') Review.openReview(ctx, charge, 'rule');
}

/** Updates the means of payment: consumes a granted token, or saves the card when the payment was set up for future use. */
function use(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
): void {
  if (intent._granted_token !== null) GrantedToken.consume(ctx, intent._granted_token, intent.amount);
  if (intent.setup_future_usage !== null && intent.customer !== null) {
    const kept = method.customer === null ? PaymentMethod.attach(ctx, method, intent.customer) : method;
    PaymentMethod.mark(ctx, kept, { _set_up: true });
  } else {
    PaymentMethod.mark(ctx, method, { _used: true });
  }
}

function process(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
): PaymentIntent.PaymentIntent {
  const charge = Charge.create(ctx, { ...intent, payment_intent: intent.id }, method, 'pending');
  const processing = PaymentIntent.update(ctx, intent, {
    status: 'processing',
    latest_charge: charge.id,
    _settles_at: ctx.now + settlingSeconds,
  });
  use(ctx, processing, method);
  Event.record(ctx, 'payment_intent.processing', processing);
  return processing;
}

/** Ends a payment that is on its way. Throws on any other. */
export function settle(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  outcome: 'succeeded' | 'failed',
): PaymentIntent.PaymentIntent {
  const charge = Store.get(ctx.store, Charge.charges, intent.latest_charge ?? '');
  const method = Store.get(ctx.store, PaymentMethod.paymentMethods, intent.payment_method ?? '');
  if (intent.status !== 'processing' || charge === undefined || method === undefined) {
    throw new Error(`payment intent ${intent.id} is not on its way`);
  }
  const settled = { ...intent, _settles_at: null };
  if (outcome === 'failed') {
    Charge.settle(ctx, charge, notPaid);
    const { code, declineCode, message } = notPaid;
    const error = {
      type: 'card_error',
      code,
      decline_code: declineCode,
      message,
      charge: charge.id,
    } as const;
    return fail(ctx, settled, { ...error, payment_method: PaymentMethod.asShown(method) });
  }
  Charge.settle(ctx, charge, null);
  const paid = PaymentIntent.update(ctx, settled, { status: 'succeeded', amount_received: intent.amount });
  Event.record(ctx, 'payment_intent.succeeded', paid);
  return paid;
}

function decline(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  failure: Charge.Failure,
): Refusal {
  const charge = Charge.create(ctx, { ...intent, payment_intent: intent.id }, method, failure);
  PaymentMethod.mark(ctx, method, { _used: true });
  const error = {
    type: 'card_error',
    code: failure.code,
    decline_code: failure.declineCode,
    message: failure.message,
    charge: charge.id,
    payment_method: PaymentMethod.asShown(method),
  } as const;
  const failed = fail(ctx, PaymentIntent.update(ctx, intent, { latest_charge: charge.id }), error);
  return refuse(402, { ...error, payment_intent: shown(failed) });
}

function fail(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  error: NonNullable<PaymentIntent.PaymentIntent['last_payment_error']>,
): PaymentIntent.PaymentIntent {
  const failed = PaymentIntent.update(ctx, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    last_payment_error: error,
    _granted_token: null,
  });
  Event.record(ctx, 'payment_intent.payment_failed', failed);
  return failed;
}

function challenge(
  ctx: RequestContext,
  intent: PaymentIntent.PaymentIntent,
  returnUrl: string | null,
): PaymentIntent.PaymentIntent {
  const url = challengeUrl(ctx.publicUrl, intent.id);
  const waiting = PaymentIntent.update(ctx, intent, {
    status: 'requires_action',
    next_action:
      returnUrl === null
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
        : { type: 'redirect_to_url', redirect_to_url: { url, return_url: returnUrl } },
  });
  Event.record(ctx, 'payment_intent.requires_action', waiting);
  return waiting;
}
