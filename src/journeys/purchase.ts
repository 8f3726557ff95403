import type { PaidPlan, Plan } from '../catalog/plan.ts';
import { contentDigest, sha256Hex } from '../kernel/digest.ts';
import { id } from '../kernel/id.ts';
import * as Money from '../kernel/money.ts';
import * as Challenge from '../payment/challenge.ts';
import * as Credential from '../payment/credential.ts';
import * as Order from '../payment/order.ts';
import * as Period from '../payment/period.ts';
import * as Problem from '../payment/problem.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import * as Wish from '../payment/wish.ts';
import type { Counter } from './settlement.ts';
import * as Taking from './taking.ts';

/** How long a challenge may be paid. */
const challengeLifeMs = 5 * 60_000;

/** What a buyer asks for: a plan, and an amount of credit or the price of a period; with the raw body, as the challenge is bound to it. */
export type PurchaseRequest = {
  plan: PaidPlan;
  amount: Money.Money;
  /** The plan whose running period a larger plan is to take the place of. */
  replaces: string | null;
  returnUrl: string | null;
  /** The account of the bearer; null without one: then the purchase makes an account. */
  account: string | null;
  body: Buffer;
  credential: Credential.Reading;
  /** Who a decline counts against, beside the account. */
  address: string;
};

export type PaymentRequired = {
  kind: 'payment_required';
  order: Pick<Order.Order, 'id' | 'plan' | 'amount' | 'expiresMs'>;
  /** The request that it answers. */
  request: PurchaseRequest;
  challenge: Challenge.Challenge;
  checkoutUrl: string;
  problem: Problem.Problem;
  /** Whether money was asked for and refused. */
  declined: boolean;
};

export type PurchaseAnswer =
  | PaymentRequired
  | { kind: 'bad_credential'; problem: Problem.Problem }
  | { kind: 'too_many_declines'; waitMs: number }
  | { kind: 'cannot_replace'; reason: string }
  /** Its plan is not for sale any more. */
  | { kind: 'not_sold' }
  | Exclude<Taking.Taken, { kind: 'declined' }>;

export type Granted = Taking.Granted;

/** The plan that a purchase may name, or null. Trials are not for sale. */
export function find(plans: readonly Plan[], planId: string): PaidPlan | null {
  const plan = plans.find((candidate) => candidate.id === planId);
  return plan === undefined || plan.kind === 'trial' ? null : plan;
}

export type Asked =
  | { kind: 'asked'; plan: PaidPlan; wish: Wish.Wish }
  | { kind: 'unknown_plan' }
  | { kind: 'fault'; faults: readonly Wish.Fault[] };

/**
 * What a body asks for. Where the catalogue has changed since, a payment that has `begun` is asked for as its order says: it is
 * answered as it would have been.
 */
export async function asked(
  { catalog }: Counter,
  planId: string,
  body: unknown,
  begun: () => Promise<Order.Order | null>,
): Promise<Asked> {
  const plan = find(catalog.plans, planId);
  const wished = plan && Wish.parse(body, plan);
  if (plan && wished?.ok) return { kind: 'asked', plan, wish: wished.wish };
  const known = find([...catalog.plans, ...catalog.retired], planId);
  const order = known && (await begun());
  if (known && order?.plan === planId)
    return { kind: 'asked', plan: known, wish: { amount: order.amount, replaces: null, returnUrl: null } };
  return wished && !wished.ok ? { kind: 'fault', faults: wished.faults } : { kind: 'unknown_plan' };
}

/** The order of a challenge that may still be paid, or has been; null where there is none. */
export async function begun(
  shop: Counter,
  credential: Credential.Reading,
  body: Buffer,
): Promise<Order.Order | null> {
  if (credential.kind !== 'credential') return null;
  const verdict = Challenge.verify(credential.challenge, shop.challengeSecrets, shop.clock());
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown') return null;
  if (!Challenge.binds(verdict.terms, body)) return null;
  const order = await shop.orders.find(verdict.terms.opaque.order ?? '');
  return order?.state === 'offered' && verdict.kind === 'expired' ? null : order;
}

/** Offers a price, or takes its payment. Once money has moved, the answer is never `payment_required`. */
export async function run(shop: Counter, request: PurchaseRequest): Promise<PurchaseAnswer> {
  const { credential } = request;
  switch (credential.kind) {
    case 'none':
      return offer(
        shop,
        request,
        Problem.of(
          'payment-required',
          'This plan is paid in advance; pay the challenge, or open checkout_url.',
        ),
      );
    case 'many':
      return {
        kind: 'bad_credential',
        problem: Problem.of('bad-request', 'More than one Payment credential: send one.'),
      };
    case 'malformed':
      return offer(
        shop,
        request,
        Problem.of('malformed-credential', `${Credential.reasons[credential.reason]}.`),
      );
    case 'credential':
      return pay(shop, request, credential);
  }
}

/** A priced 402, and the order that it names. */
export async function offer(
  shop: Counter,
  request: PurchaseRequest,
  problem: Problem.Problem,
  declined = false,
): Promise<Extract<PurchaseAnswer, { kind: 'payment_required' | 'cannot_replace' | 'not_sold' }>> {
  const { plan, account } = request;
  if (find(shop.catalog.plans, plan.id) === null) return { kind: 'not_sold' };
  const nowMs = shop.clock();
  const priced = await price(shop, request, nowMs);
  if (typeof priced === 'string') return { kind: 'cannot_replace', reason: priced };
  const { amount, period } = priced;
  const order = {
    id: id('pur'),
    account,
    plan: plan.id,
    amount,
    period,
    rail: 'card' as const,
    returnUrl: request.returnUrl,
    expiresMs: nowMs + Order.lifeMs,
  };
  await shop.orders.offer(order);
  const terms = bound(shop, request, amount);
  const challenge = Challenge.issue(
    {
      ...terms,
      opaque: { ...terms.opaque, order: order.id },
      expiresAtMs: nowMs + challengeLifeMs,
      digest: contentDigest(request.body),
      description: `${plan.name}: ${Money.format(amount)} USD at ${shop.catalog.storefront.name}`,
      ...(account !== null && { header: Challenge.alternateField }),
    },
    shop.challengeSecrets,
  );
  return {
    kind: 'payment_required',
    order,
    request,
    challenge,
    checkoutUrl: `${shop.publicUrl}/checkout/${order.id}`,
    problem,
    declined,
  };
}

/** What the request costs now, and the period that it buys; or why the plan that it names cannot be replaced. */
export async function price(
  shop: Counter,
  { plan, amount, account, replaces }: PurchaseRequest,
  nowMs: number,
): Promise<Pick<Order.Order, 'amount' | 'period'> | string> {
  if (plan.kind === 'credit') return { amount, period: null };
  const period = { units: plan.included, terms: Period.termsOf(plan) };
  if (replaces === null) return { amount: plan.price, period };
  const running = account === null ? [] : await shop.orders.periods(account);
  const old = running.find((one) => one.plan === replaces && !one.renews);
  if (old === undefined) return 'Of that plan no prepaid period of this account is running';
  const credit = Period.credit(old, nowMs);
  const less = Money.ofMicro(plan.price - credit);
  if (less < StripeCharge.amountMin)
    return `Only a larger plan can take its place: what is left of it counts for ${Money.format(credit)} USD`;
  const replaced = { order: old.order, units: old.left, credit };
  return { amount: less, period: { ...period, terms: { ...period.terms, replaces: replaced } } };
}

/** What a challenge for this request and amount says, whichever order it belongs to. */
function bound(shop: Counter, { plan, account }: PurchaseRequest, amount: Money.Money) {
  return {
    realm: new URL(shop.publicUrl).hostname,
    method: StripeCharge.method,
    intent: StripeCharge.intent,
    request: StripeCharge.request(amount, {
      networkId: shop.networkId,
      paymentMethodTypes: ['card', 'link'],
    }),
    opaque: { plan: plan.id, account: account ?? '' },
  };
}

async function pay(
  shop: Counter,
  request: PurchaseRequest,
  { challenge, payload }: Credential.Credential,
): Promise<PurchaseAnswer> {
  const refuse = (kind: Problem.Kind, detail: string) => offer(shop, request, Problem.of(kind, detail));
  const nowMs = shop.clock();
  const verdict = Challenge.verify(challenge, shop.challengeSecrets, nowMs);
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown')
    return refuse('invalid-challenge', 'This challenge was not issued here, or was changed.');
  const { terms } = verdict;
  const order = await shop.orders.find(terms.opaque.order ?? '');
  // The price is what it was when it was offered: the catalogue may have changed, and what a running period counts for shrinks.
  const amount = order?.amount ?? request.amount;
  if (
    !Challenge.fits(terms, bound(shop, ofOrder(request, terms, order), amount)) ||
    !Challenge.binds(terms, request.body)
  )
    return refuse(
      'invalid-challenge',
      'This challenge was issued for another plan, amount, account or body.',
    );
  const token = StripeCharge.token(payload);
  if (token === null) return refuse('malformed-credential', 'The payload is {"spt":"spt_..."}.');
  if (!order)
    return refuse('payment-expired', 'The offer behind this challenge is gone; nothing was charged.');
  const subjects = Taking.subjectsOf(request);
  if (order.state === 'offered') {
    // Only what was claimed in time may still be answered.
    if (verdict.kind === 'expired')
      return refuse('payment-expired', 'The challenge has expired; nothing was charged.');
    const waitMs = await Taking.declineWait(shop, subjects);
    if (waitMs !== null) return { kind: 'too_many_declines', waitMs };
  }
  return answered(
    shop,
    request,
    await Taking.take(shop, {
      orderId: order.id,
      challengeId: challenge.id,
      credentialDigest: sha256Hex(`${challenge.id} ${token}`),
      subjects,
      // The processor knows the challenge's idempotency key.
      charge: (claimed) => shop.processor.charge(claimed, challenge.id, token),
    }),
  );
}

/** The request as its challenge names it: the account of the order may have become a part of the caller's since. */
function ofOrder(
  request: PurchaseRequest,
  { opaque }: Challenge.Terms,
  order: Order.Order | null,
): PurchaseRequest {
  const isMine = opaque.account && request.account !== null && order?.account === request.account;
  return isMine ? { ...request, account: opaque.account ?? null } : request;
}

/** What became of an order, for who asked: a decline is a priced 402 anew. */
export function answered(
  shop: Counter,
  request: PurchaseRequest,
  taken: Taking.Taken,
): Promise<PurchaseAnswer> {
  if (taken.kind !== 'declined') return Promise.resolve(taken);
  return offer(shop, request, Problem.of('verification-failed', taken.reason), true);
}
