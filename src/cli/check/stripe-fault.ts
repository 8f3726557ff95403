import Stripe from 'stripe';
import * as Finding from './finding.ts';

const { errors } = Stripe;

/** Describes a failed request to Stripe for the operator: whether there was a response, its status and code, and Stripe's own words. */
export function describe(fault: unknown): string {
  if (fault instanceof errors.StripeConnectionError) {
    const { detail } = fault;
    const isTimeout = /timeout|ETIMEDOUT/i.test(`${String(detail)} ${fault.message}`);
    return isTimeout
      ? `there was no response within ${Finding.answerMsMax / 1_000} seconds`
      : `the connection failed: ${Finding.reason(detail instanceof Error ? detail : fault)}`;
  }
  if (!(fault instanceof errors.StripeError)) return Finding.reason(fault);
  const status = [fault.statusCode, fault.code].filter(Boolean).join(' ');
  if (fault instanceof errors.StripeRateLimitError)
    return `Stripe is limiting requests (${status}): ${fault.message}`;
  return `Stripe answered ${status}: ${fault.message}`;
}
