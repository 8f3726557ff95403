import Stripe from 'stripe';
import { type ChargeOutcome, ProcessorUnavailable } from '../../payment/processor.ts';

const { errors } = Stripe;

/** The parameters that name the buyer's means of payment: a shared payment token, or a saved card and its customer. */
const buyersParams = /^(payment_method_data\[)?shared_payment_granted_token\]?$|^payment_method$|^customer$/;

/**
 * Reads an error that proves that nothing was charged; returns null for any other. Only a card error, or an error about the token or card
 * that the buyer supplied, is a decline. Everything else (a revoked key, a missing permission, a disabled feature, a minimum amount, a
 * parameter that this API version does not know, a rate limit) is for the seller to fix and never counts against the buyer.
 */
export function read(error: unknown, invalid: string): ChargeOutcome | null {
  if (error instanceof errors.StripeCardError)
    return { kind: 'declined', reason: error.message, detail: null };
  if (isRefusal(error)) return { kind: 'unavailable', retries: false, detail: describe(error) };
  if (!(error instanceof errors.StripeInvalidRequestError)) return null;
  const isBuyers = buyersParams.test(error.param ?? '') && error.code !== 'parameter_unknown';
  return isBuyers
    ? { kind: 'declined', reason: invalid, detail: error.message }
    : { kind: 'unavailable', retries: false, detail: describe(error) };
}

/** Returns true when Stripe refused the shop itself before looking at the request: a wrong key, a missing right, too many requests. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  return (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError
  );
}

/** Describes a refusal for the log: status, code and parameter, then Stripe's message. */
export function describe({ statusCode, code, param, message }: Stripe.errors.StripeError): string {
  return `${[statusCode, code, param].filter(Boolean).join(' ')}: ${message}`;
}

/** Returns true when the fault is Stripe's own and a retry may succeed. The request may also have been carried out. */
export function passes(error: unknown): error is Error {
  return (
    error instanceof ProcessorUnavailable ||
    error instanceof errors.StripeConnectionError ||
    error instanceof errors.StripeAPIError ||
    error instanceof errors.StripeRateLimitError ||
    // Another request with the same idempotency key is still in progress.
    (error instanceof errors.StripeError && error.statusCode === 409)
  );
}
