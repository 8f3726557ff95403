import type Stripe from 'stripe';
import * as Money from '../../kernel/money.ts';
import type { ChargeOutcome, Listed, Payment } from '../../payment/processor.ts';
import type { SavedCard } from '../../payment/saved-card.ts';

/** A payment intent in our words. */
export function read(intent: Stripe.PaymentIntent): Listed {
  const { id, metadata, currency, amount_received, last_payment_error } = intent;
  return {
    id,
    order: metadata.order ?? null,
    plan: metadata.plan || null,
    account: metadata.account || null,
    challengeId: metadata.challenge ?? null,
    state: stateOf(intent),
    // What did not arrive in US dollars was not asked for by us, and pays for nothing.
    received: currency === 'usd' ? Money.ofCents(amount_received) : Money.zero,
    failure: last_payment_error?.message ?? null,
  };
}

/** The card that paid, where it may be charged again without its holder. */
export function savedCard({
  customer,
  payment_method: method,
  setup_future_usage,
}: Stripe.PaymentIntent): SavedCard | null {
  if (setup_future_usage !== 'off_session' || customer === null || typeof method !== 'object') return null;
  if (!method?.card || method.customer === null) return null;
  const { brand, last4 } = method.card;
  return { customer: typeof customer === 'string' ? customer : customer.id, method: method.id, brand, last4 };
}

/** Nobody but us could go on with one of our charges, and we do not: what was refused once is over. */
function stateOf({ status, last_payment_error }: Stripe.PaymentIntent): Payment['state'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded';
    case 'canceled':
    case 'requires_action':
      return 'failed';
    case 'requires_payment_method':
      return last_payment_error === null ? 'pending' : 'failed';
    default:
      return 'pending';
  }
}

/** What a charge has come to. */
export function judge(found: Payment): ChargeOutcome {
  switch (found.state) {
    case 'succeeded':
      return { kind: 'succeeded', payment: found };
    case 'failed':
      return {
        kind: 'declined',
        reason:
          found.failure ??
          'The card asks for a step that only its holder can take; pay on the hosted page instead.',
        detail: null,
      };
    case 'pending':
      return { kind: 'unknown' };
  }
}

/** What the charges of one order have come to: one that went through says so for all. */
export function judgeLatest(found: readonly Payment[]): ChargeOutcome {
  const paid = found.find((candidate) => candidate.state === 'succeeded') ?? found[0];
  return paid ? judge(paid) : { kind: 'unknown' };
}
