import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { ChargeOutcome, ListedPayment, Payment } from '../../payment/processor.ts';
import type { PeriodTerms } from '../../payment/proration.ts';
import type { PaidCard } from '../../payment/saved-card.ts';
import * as CardCharge from './card-charge.ts';
import { taxField } from './payment-params.ts';
import * as ShopMark from './shop-mark.ts';

/** Converts a payment intent. */
export function read(intent: Stripe.PaymentIntent, mark: ShopMark.ShopMark): ListedPayment {
  const { id, metadata, currency, amount_received, last_payment_error, latest_charge } = intent;
  return {
    id,
    order: metadata.order ?? null,
    plan: metadata.plan || null,
    account: metadata.account || null,
    shop: metadata.shop ?? null,
    isForeign: ShopMark.isForeign(mark, metadata.shop),
    period: periodOf(metadata),
    challengeId: metadata.challenge ?? null,
    state: stateOf(intent),
    // The shop asks for US dollars only, so an amount in another currency pays for nothing.
    received: currency === 'usd' ? Money.ofCents(amount_received) : Money.zero,
    failure: last_payment_error?.message ?? null,
    ...taxOf(metadata),
    // Only where the request has asked for it to be expanded.
    ...(typeof latest_charge === 'object' &&
      latest_charge !== null && { charge: CardCharge.of(latest_charge, null) }),
  };
}

function taxOf({ [taxField]: said }: Stripe.Metadata): Pick<Payment, 'tax' | 'isInvoiced'> {
  if (said === 'page') return { tax: 'page', isInvoiced: true };
  return said !== undefined && /^\d{1,9}$/.test(said) ? { tax: Money.ofCents(Number(said)) } : {};
}

/** Reads the period that a payment buys; null for credit, and when the metadata was written by another program. */
function periodOf({ units, terms }: Stripe.Metadata): ListedPayment['period'] {
  if (!units || !terms) return null;
  try {
    const read = JSON.parse(terms) as PeriodTerms;
    return read.price > 0 && read.units > 0 && Number(units) > 0
      ? { units: Number(units), terms: read }
      : null;
  } catch {
    return null;
  }
}

/** A refused charge is final, because only the shop could continue it and it never does. */
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

/** Returns the outcome of a charge. */
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

/** Returns the outcome of the charges of one order: one success is enough. */
export function judgeLatest(found: readonly Payment[]): ChargeOutcome {
  const paid = found.find((candidate) => candidate.state === 'succeeded') ?? found[0];
  return paid ? judge(paid) : { kind: 'unknown' };
}

/** A page waits for the card of a payment, and is shown without it after this. */
const cardTimeoutMs = 2_000;

/** Returns the card of a payment; null for another means, and for an invoice. */
export async function cardOf(stripe: Stripe, id: string): Promise<PaidCard | null> {
  if (!id.startsWith('pi_')) return null;
  const limits = { timeout: cardTimeoutMs, maxNetworkRetries: 0 };
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(
    id,
    { expand: ['latest_charge'] },
    limits,
  );
  const card = typeof charge === 'object' ? charge?.payment_method_details?.card : null;
  return card?.brand && card.last4 ? { brand: card.brand, last4: card.last4, country: card.country } : null;
}
