import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import type * as Money from '@sluice/kernel/money';
import { findForSale } from '../catalog/plan.ts';
import * as Challenge from '../payment/challenge.ts';
import * as Credential from '../payment/credential.ts';
import * as Order from '../payment/order.ts';
import type { CheckoutContext } from '../payment/payment-context.ts';
import { type Problem, type ProblemKind, problemOf } from '../payment/problem.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import * as ChargeOrder from './charge-order.ts';
import * as PurchaseChallenge from './purchase-challenge.ts';
import * as PurchasePrice from './purchase-price.ts';
import type { PurchaseRequest } from './purchase-request.ts';
import * as PurchaseTax from './purchase-tax.ts';
import * as Renewal from './renewal.ts';
import { type X402Terms, x402Terms } from './x402-terms.ts';

/** Tolerance between the clock of this process and that of the database. A challenge that expired earlier needs no check by the database. */
const clockErrorMsMax = 1_000;

export type PaymentRequired = {
  kind: 'payment_required';
  order: Pick<Order.Order, 'id' | 'plan' | 'amount' | 'taxQuote' | 'expiresMs'>;
  /** The tax on a payment by card token. */
  tax: PurchaseTax.OfferedTax;
  /** The request that is answered by this 402. */
  request: PurchaseRequest;
  /** For an agent with a card token; null when that rail is off. */
  challenge: Challenge.Challenge | null;
  /** For an agent with a dollar token; null when that rail is off. */
  x402: X402Terms | null;
  /** For a person with a card; null when that rail is off. */
  checkoutUrl: string | null;
  problem: Problem;
  /** True when a payment was attempted and declined. */
  declined: boolean;
};

export type PurchaseResult =
  | PaymentRequired
  | { kind: 'bad_credential'; problem: Problem }
  | { kind: 'cannot_replace'; reason: string }
  /** The card processor has refused such an amount as below its minimum. The amount must be more than `above`. */
  | { kind: 'too_small'; above: Money.Money }
  /** The plan already renews for this account. */
  | { kind: 'already_subscribed' }
  /** The plan is no longer for sale. */
  | { kind: 'not_sold' }
  | Exclude<ChargeOrder.ChargeResult, { kind: 'declined' | 'expired' }>;

export type Granted = ChargeOrder.Granted;

/** Offers a price, or takes its payment. Once money has moved, the result is never `payment_required`. */
export async function purchase(shop: CheckoutContext, request: PurchaseRequest): Promise<PurchaseResult> {
  const { credential } = request;
  switch (credential.kind) {
    case 'none':
      return offer(
        shop,
        request,
        problemOf('payment-required', 'This plan is prepaid. Pay with one of the methods in `rails`.'),
      );
    case 'many':
      return {
        kind: 'bad_credential',
        problem: problemOf(
          'bad-request',
          'The request contains more than one Payment credential. Send only one.',
        ),
      };
    case 'malformed':
      return offer(
        shop,
        request,
        problemOf('malformed-credential', `${Credential.reasons[credential.reason]}.`),
      );
    case 'credential':
      return pay(shop, request, credential);
  }
}

/** Creates an order at the current price, and the 402 that offers it. */
export async function offer(
  shop: CheckoutContext,
  request: PurchaseRequest,
  problem: Problem,
  declined = false,
): Promise<
  Extract<
    PurchaseResult,
    { kind: 'payment_required' | 'cannot_replace' | 'already_subscribed' | 'not_sold' | 'too_small' }
  >
> {
  const { plan, account } = request;
  if (findForSale(shop.catalog.plans, plan.id) === null) return { kind: 'not_sold' };
  if (plan.kind === 'subscription' && account !== null && (await Renewal.renews(shop, account, plan.id)))
    return { kind: 'already_subscribed' };
  const nowMs = shop.clock();
  const priced = await PurchasePrice.price(shop, request, nowMs);
  if (typeof priced === 'string') return { kind: 'cannot_replace', reason: priced };
  const { amount, period } = priced;
  const above = shop.processor.refusedAsTooSmall();
  if (amount <= above) return { kind: 'too_small', above };
  const tax = await PurchaseTax.offered(shop, request, amount);
  const order = {
    id: id('pur', account),
    account,
    plan: plan.id,
    amount,
    period,
    taxQuote: tax.kind === 'known' ? tax.quote : null,
    rail: 'card' as const,
    returnUrl: request.returnUrl,
    expiresMs: nowMs + Order.lifeMs,
  };
  await shop.orders.offer(order);
  return {
    kind: 'payment_required',
    order,
    request,
    tax,
    challenge:
      shop.rails.includes('mpp') && tax.kind !== 'unknown'
        ? PurchaseChallenge.issue(shop, request, order, nowMs)
        : null,
    x402: shop.rails.includes('x402') ? x402Terms(shop, plan, amount) : null,
    checkoutUrl: shop.rails.includes('card') ? `${shop.publicUrl}/checkout/${order.id}` : null,
    problem,
    declined,
  };
}

async function pay(
  shop: CheckoutContext,
  asked: PurchaseRequest,
  { challenge, payload }: Credential.Credential,
): Promise<PurchaseResult> {
  const nowMs = shop.clock();
  const verdict = Challenge.verify(challenge, shop.challengeSecrets, nowMs);
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown')
    return offer(
      shop,
      asked,
      problemOf(
        'invalid-challenge',
        'This challenge was not issued by this shop, or was changed. Pay the new challenge of this response.',
      ),
    );
  const { terms } = verdict;
  const order = await shop.orders.find(terms.opaque.order ?? '');
  const request = forAccount(asked, terms, order);
  const refuse = (kind: ProblemKind, detail: string) => offer(shop, request, problemOf(kind, detail));
  // The offered price applies, even if the catalogue has changed or the credit for a running period has decreased.
  const amount = order ? Order.amountDue(order) : request.amount;
  if (
    !Challenge.matchesOffer(terms, PurchaseChallenge.bound(shop, ofOrder(request, terms, order), amount)) ||
    !Challenge.matchesBody(terms, request.body)
  )
    return refuse(
      'invalid-challenge',
      'This challenge was issued for another plan, amount, account or request body. Pay the new challenge of this response.',
    );
  const token = StripeCharge.token(payload);
  if (token === null)
    return refuse(
      'malformed-credential',
      'The payload must be {"spt":"spt_..."}, with a shared payment token.',
    );
  if (!order)
    return refuse(
      'payment-expired',
      'The offer of this challenge no longer exists. Nothing was charged. Pay the new challenge of this response.',
    );
  const { account, address } = request;
  return resultOf(
    shop,
    request,
    await ChargeOrder.take(shop, {
      orderId: order.id,
      challengeId: challenge.id,
      credentialDigest: sha256Hex(`${challenge.id} ${token}`),
      expiresMs: nowMs > terms.expiresAtMs + clockErrorMsMax ? 0 : terms.expiresAtMs,
      payer: { account, address },
      ...(verdict.kind !== 'expired' && { card: () => shop.processor.cardOfToken(token) }),
      // Expiry is decided by the claim, because another process may be charging the order at this moment.
      // The processor knows the challenge's idempotency key.
      charge: (claimed) => shop.processor.charge(claimed, challenge.id, token),
    }),
  );
}

/**
 * Makes a request without a bearer token pay for the account in its signed challenge, because some clients send the credential in place of
 * the token. Such a request gets no tokens.
 */
function forAccount(
  asked: PurchaseRequest,
  { opaque }: Challenge.ChallengeTerms,
  order: Order.Order | null,
): PurchaseRequest {
  const account = asked.account ?? (opaque.account ? (order?.account ?? null) : null);
  return { ...asked, account };
}

/** Restores the account of the challenge, which may have been joined with the caller's account since. */
function ofOrder(
  request: PurchaseRequest,
  { opaque }: Challenge.ChallengeTerms,
  order: Order.Order | null,
): PurchaseRequest {
  const isMine = opaque.account && request.account !== null && order?.account === request.account;
  return isMine ? { ...request, account: opaque.account ?? null } : request;
}

/** Converts the result of a charge into the result of the purchase. A decline becomes a new priced 402. */
export function resultOf(
  shop: CheckoutContext,
  request: PurchaseRequest,
  taken: ChargeOrder.ChargeResult,
): Promise<PurchaseResult> {
  if (taken.kind === 'expired')
    return offer(
      shop,
      request,
      problemOf(
        'payment-expired',
        'The challenge has expired. Nothing was charged. Pay the new challenge of this response.',
      ),
    );
  if (taken.kind !== 'declined') return Promise.resolve(taken);
  return offer(shop, request, problemOf('verification-failed', taken.reason), true);
}
