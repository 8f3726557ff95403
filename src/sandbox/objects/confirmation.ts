import type { Act } from '../act.ts';
import { invalid, type Refusal, refuse } from '../protocol/refusal.ts';
import * as Store from '../store.ts';
import * as Card from './card.ts';
import * as Charge from './charge.ts';
import * as Dispute from './dispute.ts';
import * as Event from './event.ts';
import * as GrantedToken from './granted-token.ts';
import * as PaymentIntent from './payment-intent.ts';
import * as PaymentMethod from './payment-method.ts';
import { shown } from './stored.ts';

/** How a payment is tried. */
export type Confirmation = {
  method: PaymentMethod.PaymentMethod;
  grantedToken: string | null;
  /** The payer is not there, so nobody can pass 3-D Secure. */
  offSession: boolean;
  /** A decline instead of `requires_action`. */
  errorOnRequiresAction: boolean;
  returnUrl: string | null;
};

/**
 * Tries the payment: it then has succeeded, is on its way or requires 3-D Secure. A decline is a 402 `card_error` that bears the
 * intent, which stays and can be tried again. Refused with `payment_intent_unexpected_state` once it has ended.
 */
export function confirm(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  how: Confirmation,
): PaymentIntent.PaymentIntent | Refusal {
  if (!PaymentIntent.isOpen(intent)) return unexpected(intent, 'confirmed');
  const tried = PaymentIntent.update(act, intent, {
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
      return succeed(act, tried, how.method, false);
    case 'settles_later':
      return process(act, tried, how.method);
    case 'declines':
      return decline(act, tried, how.method, conduct);
    case 'declines_once_kept':
      return how.method.customer === null
        ? succeed(act, tried, how.method, false)
        : decline(act, tried, how.method, conduct.as);
    case 'challenges':
      if (conduct.when === 'until_set_up' && how.method._set_up)
        return succeed(act, tried, how.method, false);
      if (how.offSession || how.errorOnRequiresAction)
        return decline(act, tried, how.method, authenticationRequired);
      return challenge(act, tried, how.returnUrl);
  }
}

/** The outcome of 3-D Secure: passed takes the money, failed asks for another card. Null where none was asked for. */
export function authenticate(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  passed: boolean,
): PaymentIntent.PaymentIntent | null {
  const method = Store.get(act.store, PaymentMethod.paymentMethods, intent.payment_method ?? '');
  if (intent.status !== 'requires_action' || method === undefined) return null;
  // The token may have paid for something else, or have ended, while its owner was at the bank's page.
  const lapsed = intent._granted_token === null ? null : refuseToken(act, intent._granted_token, intent);
  if (passed && lapsed === null) return succeed(act, intent, method, true);
  return fail(act, intent, {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message:
      lapsed?.error.message ?? 'The payment could not be authenticated. Choose another card, or try again.',
    payment_method: asShown(method),
  });
}

function refuseToken(act: Act, tokenId: string, due: { amount: number; currency: string }): Refusal | null {
  const token = Store.get(act.store, GrantedToken.grantedTokens, tokenId);
  if (token === undefined) throw new Error(`granted token ${tokenId} is gone`);
  return GrantedToken.refuseUse(token, { ...due, now: act.now }, GrantedToken.parameter);
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

/** A payment on its way arrives after so long, where nobody says otherwise. */
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
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  authenticated: boolean,
): PaymentIntent.PaymentIntent {
  const charge = Charge.create(act, { ...intent, payment_intent: intent.id }, method, { authenticated });
  const paid = PaymentIntent.update(act, intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    next_action: null,
  });
  use(act, paid, method);
  Event.record(act, 'payment_intent.succeeded', paid);
  const conduct = Card.conductOf(method.card.last4);
  if (conduct.kind === 'is_disputed') Dispute.open(act, charge, { isInquiry: conduct.as === 'inquiry' });
  return paid;
}

/** What a payment does to what it is paid by: a token is used up, a card is kept where that was agreed. */
function use(act: Act, intent: PaymentIntent.PaymentIntent, method: PaymentMethod.PaymentMethod): void {
  if (intent._granted_token !== null) GrantedToken.consume(act, intent._granted_token, intent.amount);
  if (intent.setup_future_usage !== null && intent.customer !== null) {
    const kept = method.customer === null ? PaymentMethod.attach(act, method, intent.customer) : method;
    PaymentMethod.mark(act, kept, { _set_up: true });
  } else {
    PaymentMethod.mark(act, method, { _used: true });
  }
}

function process(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
): PaymentIntent.PaymentIntent {
  const charge = Charge.create(act, { ...intent, payment_intent: intent.id }, method, 'pending');
  const processing = PaymentIntent.update(act, intent, {
    status: 'processing',
    latest_charge: charge.id,
    _settles_at: act.now + settlingSeconds,
  });
  use(act, processing, method);
  Event.record(act, 'payment_intent.processing', processing);
  return processing;
}

/** Ends a payment that is on its way. Throws on any other. */
export function settle(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  outcome: 'succeeded' | 'failed',
): PaymentIntent.PaymentIntent {
  const charge = Store.get(act.store, Charge.charges, intent.latest_charge ?? '');
  const method = Store.get(act.store, PaymentMethod.paymentMethods, intent.payment_method ?? '');
  if (intent.status !== 'processing' || charge === undefined || method === undefined) {
    throw new Error(`payment intent ${intent.id} is not on its way`);
  }
  const settled = { ...intent, _settles_at: null };
  if (outcome === 'failed') {
    Charge.settle(act, charge, notPaid);
    const { code, declineCode, message } = notPaid;
    const error = {
      type: 'card_error',
      code,
      decline_code: declineCode,
      message,
      charge: charge.id,
    } as const;
    return fail(act, settled, { ...error, payment_method: asShown(method) });
  }
  Charge.settle(act, charge, null);
  const paid = PaymentIntent.update(act, settled, { status: 'succeeded', amount_received: intent.amount });
  Event.record(act, 'payment_intent.succeeded', paid);
  return paid;
}

function decline(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  method: PaymentMethod.PaymentMethod,
  failure: Charge.Failure,
): Refusal {
  const charge = Charge.create(act, { ...intent, payment_intent: intent.id }, method, failure);
  PaymentMethod.mark(act, method, { _used: true });
  const error = {
    type: 'card_error',
    code: failure.code,
    decline_code: failure.declineCode,
    message: failure.message,
    charge: charge.id,
    payment_method: asShown(method),
  } as const;
  const failed = fail(act, PaymentIntent.update(act, intent, { latest_charge: charge.id }), error);
  return refuse(402, { ...error, payment_intent: shown(failed) });
}

function fail(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  error: NonNullable<PaymentIntent.PaymentIntent['last_payment_error']>,
): PaymentIntent.PaymentIntent {
  const failed = PaymentIntent.update(act, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    last_payment_error: error,
    _granted_token: null,
  });
  Event.record(act, 'payment_intent.payment_failed', failed);
  return failed;
}

function challenge(
  act: Act,
  intent: PaymentIntent.PaymentIntent,
  returnUrl: string | null,
): PaymentIntent.PaymentIntent {
  const url = challengeUrl(act.publicUrl, intent.id);
  const waiting = PaymentIntent.update(act, intent, {
    status: 'requires_action',
    next_action:
      returnUrl === null
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
        : { type: 'redirect_to_url', redirect_to_url: { url, return_url: returnUrl } },
  });
  Event.record(act, 'payment_intent.requires_action', waiting);
  return waiting;
}

function asShown(method: PaymentMethod.PaymentMethod): PaymentMethod.PaymentMethod {
  return shown(method) as PaymentMethod.PaymentMethod;
}
