import type Stripe from 'stripe';
import { cardDigest, type ReadCharge } from '../../payment/card-attempt.ts';

/** Maximum time to look up the card of a token. Without an answer the payment is attempted, and its decline counts all the same. */
const tokenWaitMs = 3_000;

/** The part of a shared payment token (in preview) that is read here. */
type GrantedToken = { payment_method_details?: { card?: { fingerprint?: string | null } | null } | null };

/** Returns the digest of the card that a shared payment token charges; null when Stripe does not return it. */
export async function ofToken(stripe: Stripe, token: string, apiVersion: string): Promise<string | null> {
  if (!/^spt_\w{1,250}$/.test(token)) return null;
  const options = { apiVersion, timeout: tokenWaitMs, maxNetworkRetries: 0 };
  try {
    const found: unknown = await stripe.rawRequest(
      'GET',
      `/v1/shared_payment/granted_tokens/${token}`,
      undefined,
      options,
    );
    const { payment_method_details: details } = found as GrantedToken;
    return digestOf(details?.card?.fingerprint);
  } catch {
    // The charge that follows reports what is wrong with the token, the key or Stripe.
    return null;
  }
}

/** Reads a charge. A first payment of a subscription has no metadata of its own; its order is in that of the subscription. */
export async function read(stripe: Stripe, id: string): Promise<ReadCharge> {
  const charge = await stripe.charges.retrieve(id);
  return of(charge, charge.metadata.order ? null : await orderOfSubscription(stripe, charge));
}

/** Converts a charge. `order`: the order of its subscription, where its own metadata name none. */
export function of(charge: Stripe.Charge, order: string | null): ReadCharge {
  const { id, metadata, outcome, payment_intent: paid, payment_method_details: method, created } = charge;
  return {
    id,
    payment: (typeof paid === 'string' ? paid : paid?.id) ?? '',
    order: metadata.order ?? order,
    challenge: metadata.challenge ?? null,
    card: digestOf(method?.card?.fingerprint),
    succeeded: charge.status === 'succeeded',
    riskLevel: outcome?.risk_level ?? null,
    riskScore: outcome?.risk_score ?? null,
    networkStatus: outcome?.network_status ?? null,
    outcome: outcome?.type ?? null,
    reason: outcome?.reason ?? charge.failure_code,
    createdMs: created * 1_000,
  };
}

/** Only the first invoice of a subscription is paid on a hosted page. */
async function orderOfSubscription(
  stripe: Stripe,
  { payment_intent: paid }: Stripe.Charge,
): Promise<string | null> {
  const payment = typeof paid === 'string' ? paid : paid?.id;
  if (payment === undefined) return null;
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: payment },
    limit: 1,
    expand: ['data.invoice'],
  });
  const invoice = data[0]?.invoice;
  if (typeof invoice !== 'object' || 'deleted' in invoice || invoice.billing_reason !== 'subscription_create')
    return null;
  return invoice.parent?.subscription_details?.metadata?.order ?? null;
}

function digestOf(fingerprint: string | null | undefined): string | null {
  return fingerprint ? cardDigest(fingerprint) : null;
}
