import type { PaidPlan, Plan } from '../catalog/plan.ts';
import { contentDigest, sha256Hex } from '../kernel/digest.ts';
import { id } from '../kernel/id.ts';
import * as Money from '../kernel/money.ts';
import * as Challenge from '../payment/challenge.ts';
import * as Credential from '../payment/credential.ts';
import * as Order from '../payment/order.ts';
import * as Period from '../payment/period.ts';
import * as Problem from '../payment/problem.ts';
import * as Receipt from '../payment/receipt.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import { type Counter, settle } from './settlement.ts';

/** How long a challenge may be paid. */
const challengeLifeMs = 5 * 60_000;
/** Card testing: after so many declines within the window, an account or address has to wait. */
const declinesMax = 5;
const declineWindowMs = 10 * 60_000;
/** How long a repeated credential waits for the one under way, and how often it looks. */
const companionWaitMs = 10_000;
const companionLookMs = 100;

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
  /** The outcome is not known yet; the notice or the reconciler will finish it. */
  | { kind: 'pending'; order: Order.Order }
  /** `own`: asked by the credential that the order belongs to, which may have the account's tokens. */
  | { kind: 'granted'; order: Granted; receipt: string; own: boolean };

export type Granted = Order.Order & { account: string; payment: string; grantedMs: number };

/** The plan that a purchase may name, or null. Trials are not for sale. */
export function find(plans: readonly Plan[], planId: string): PaidPlan | null {
  const plan = plans.find((candidate) => candidate.id === planId);
  return plan === undefined || plan.kind === 'trial' ? null : plan;
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

async function offer(
  shop: Counter,
  request: PurchaseRequest,
  problem: Problem.Problem,
  declined = false,
): Promise<PaymentRequired | { kind: 'cannot_replace'; reason: string }> {
  const { plan, account } = request;
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
    challenge,
    checkoutUrl: `${shop.publicUrl}/checkout/${order.id}`,
    problem,
    declined,
  };
}

/** What the request costs now, and the period that it buys; or why the plan that it names cannot be replaced. */
async function price(
  shop: Counter,
  { plan, amount, account, replaces }: PurchaseRequest,
  nowMs: number,
): Promise<Pick<Order.Order, 'amount' | 'period'> | string> {
  if (plan.kind === 'credit') return { amount, period: null };
  const period = { units: plan.included, terms: Period.termsOf(plan) };
  if (replaces === null) return { amount, period };
  const running = account === null ? [] : await shop.orders.periods(account);
  const old = running.find((one) => one.plan === replaces && !one.renews);
  if (old === undefined) return 'Of that plan no prepaid period of this account is running';
  const credit = Period.credit(old, nowMs);
  const less = Money.ofMicro(amount - credit);
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
  // What a running period counts for shrinks by the minute: then the price is what it was when it was offered.
  const amount = order?.period?.terms.replaces ? order.amount : request.amount;
  if (!Challenge.fits(terms, bound(shop, request, amount)) || !Challenge.binds(terms, request.body))
    return refuse(
      'invalid-challenge',
      'This challenge was issued for another plan, amount, account or body.',
    );
  const token = StripeCharge.token(payload);
  if (token === null) return refuse('malformed-credential', 'The payload is {"spt":"spt_..."}.');
  if (!order)
    return refuse('payment-expired', 'The offer behind this challenge is gone; nothing was charged.');
  const subjects = [`address:${request.address}`, ...(order.account ? [`account:${order.account}`] : [])];
  if (order.state === 'offered') {
    // Only what was claimed in time may still be answered.
    if (verdict.kind === 'expired')
      return refuse('payment-expired', 'The challenge has expired; nothing was charged.');
    const declinedMs = await shop.orders.nthDecline(subjects, declinesMax, nowMs - declineWindowMs);
    if (declinedMs !== null)
      return { kind: 'too_many_declines', waitMs: declinedMs + declineWindowMs - nowMs };
  }
  return take(shop, request, { orderId: order.id, challengeId: challenge.id, token, subjects });
}

type Attempt = { orderId: string; challengeId: string; token: string; subjects: readonly string[] };

/** Charges the order, or waits for whoever does: the same credential gets the same answer, however far the first one has come. */
async function take(shop: Counter, request: PurchaseRequest, attempt: Attempt): Promise<PurchaseAnswer> {
  const { orderId, challengeId, token } = attempt;
  const digest = sha256Hex(`${challengeId} ${token}`);
  const deadlineMs = shop.clock() + companionWaitMs;
  for (;;) {
    const { standing, own } = await shop.orders.claim(orderId, challengeId, digest);
    switch (standing) {
      case 'claimed': {
        const answer = await charge(shop, request, attempt);
        if (answer) return answer;
        break;
      }
      case 'busy':
        if (shop.clock() >= deadlineMs) return { kind: 'pending', order: await must(shop, orderId) };
        await new Promise((resolve) => setTimeout(resolve, companionLookMs));
        break;
      case 'in_doubt':
        return { kind: 'pending', order: await must(shop, orderId) };
      case 'granted':
        return granted(await must(shop, orderId), challengeId, own);
      case 'declined': {
        const { failure } = await must(shop, orderId);
        return declined(shop, request, failure ?? 'The payment was declined.');
      }
      case 'unknown':
        throw new Error(`order ${orderId} went away while it was paid`);
    }
  }
}

/**
 * Charges a claimed order, which may be repeated: the processor knows the challenge's idempotency key.
 * Null where the order was taken on by someone else meanwhile.
 */
async function charge(
  shop: Counter,
  request: PurchaseRequest,
  { orderId, challengeId, token, subjects }: Attempt,
): Promise<PurchaseAnswer | null> {
  const order = await must(shop, orderId);
  try {
    const outcome = await shop.processor.charge(order, challengeId, token);
    switch (outcome.kind) {
      case 'unknown':
        shop.report('payment_pending', { order: orderId });
        // The notice may have been quicker than we gave up.
        return (await must(shop, orderId)).state === 'granted' ? null : { kind: 'pending', order };
      case 'declined':
        if (outcome.detail !== null)
          shop.report('charge_refused', { order: orderId, reason: outcome.detail });
        return (await shop.orders.decline(order, outcome.reason, subjects))
          ? declined(shop, request, outcome.reason)
          : null;
      case 'succeeded':
        return (await settle(shop, order, outcome.payment)) === null ? { kind: 'pending', order } : null;
    }
  } finally {
    await shop.orders.release(order);
  }
}

function declined(shop: Counter, request: PurchaseRequest, reason: string): Promise<PurchaseAnswer> {
  return offer(shop, request, Problem.of('verification-failed', reason), true);
}

function granted(order: Order.Order, challengeId: string, own: boolean): PurchaseAnswer {
  const { account, payment, grantedMs } = order;
  if (account === null || payment === null || grantedMs === null)
    throw new Error(`order ${order.id} is granted and says not what for`);
  const receipt = Receipt.serialize({
    method: StripeCharge.method,
    reference: payment,
    challengeId,
    settledAtMs: grantedMs,
  });
  return { kind: 'granted', order: { ...order, account, payment, grantedMs }, receipt, own };
}

async function must(shop: Counter, orderId: string): Promise<Order.Order> {
  const order = await shop.orders.find(orderId);
  if (!order) throw new Error(`no order ${orderId}`);
  return order;
}
