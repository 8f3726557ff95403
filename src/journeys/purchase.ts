import type { CreditPlan, Plan } from '../catalog/plan.ts';
import { contentDigest, sha256Hex } from '../kernel/digest.ts';
import { id } from '../kernel/id.ts';
import * as Money from '../kernel/money.ts';
import * as Challenge from '../payment/challenge.ts';
import * as Credential from '../payment/credential.ts';
import * as Order from '../payment/order.ts';
import * as Problem from '../payment/problem.ts';
import * as Receipt from '../payment/receipt.ts';
import * as StripeCharge from '../payment/stripe-charge.ts';
import type { Shop } from './shop.ts';

/** How long a challenge may be paid. */
const challengeLifeMs = 5 * 60_000;
/** Card testing: after so many declines within the window, an account or address has to wait. */
const declinesMax = 5;
const declineWindowMs = 10 * 60_000;
/** How long a repeated credential waits for the one under way, and how often it looks. */
const companionWaitMs = 10_000;
const companionLookMs = 100;
/** A claim older than this whose credential comes again is charged again, under the same idempotency key. */
const claimStaleMs = 30_000;

/** What a buyer asks for: a plan and, for credit, an amount; with the raw body, as the challenge is bound to it. */
export type PurchaseRequest = {
  plan: CreditPlan;
  amount: Money.Money;
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
  | { kind: 'too_many_declines'; retryAfterSeconds: number }
  /** The outcome is not known yet; the notice or the reconciler will finish it. */
  | { kind: 'pending'; order: Order.Order }
  | { kind: 'granted'; order: Order.Order; account: string; receipt: string; fresh: boolean };

/** The plan that a purchase may name, or why not. Trials are not for sale. */
export function find(plans: readonly Plan[], planId: string): CreditPlan | null {
  const plan = plans.find((candidate) => candidate.id === planId);
  return plan?.kind === 'credit' ? plan : null;
}

/** Offers a price, or takes its payment. Once money has moved, the answer is never `payment_required`. */
export async function run(shop: Shop, request: PurchaseRequest): Promise<PurchaseAnswer> {
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
  shop: Shop,
  request: PurchaseRequest,
  problem: Problem.Problem,
  declined = false,
): Promise<PaymentRequired> {
  const { plan, amount, account } = request;
  const nowMs = shop.clock();
  const order = {
    id: id('pur'),
    account,
    plan: plan.id,
    amount,
    returnUrl: request.returnUrl,
    expiresMs: nowMs + Order.lifeMs,
  };
  await shop.orders.offer(order);
  const challenge = Challenge.issue(
    {
      ...bound(shop, request),
      opaque: { ...bound(shop, request).opaque, order: order.id },
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

/** What a challenge for this request says, whichever order it belongs to. */
function bound(shop: Shop, { plan, amount, account }: PurchaseRequest) {
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
  shop: Shop,
  request: PurchaseRequest,
  credential: Credential.Credential,
): Promise<PurchaseAnswer> {
  const nowMs = shop.clock();
  const verdict = Challenge.verify(credential.challenge, shop.challengeSecrets, nowMs);
  if (verdict.kind === 'malformed' || verdict.kind === 'unknown') {
    return offer(
      shop,
      request,
      Problem.of('invalid-challenge', 'This challenge was not issued here, or was changed.'),
    );
  }
  const { terms } = verdict;
  if (!Challenge.fits(terms, bound(shop, request)) || !Challenge.binds(terms, request.body)) {
    return offer(
      shop,
      request,
      Problem.of('invalid-challenge', 'This challenge was issued for another plan, amount, account or body.'),
    );
  }
  const token = StripeCharge.token(credential.payload);
  if (token === null)
    return offer(shop, request, Problem.of('malformed-credential', 'The payload is {"spt":"spt_..."}.'));
  const orderId = terms.opaque.order ?? '';
  const challengeId = credential.challenge.id;
  const digest = sha256Hex(`${challengeId} ${token}`);

  if (verdict.kind === 'expired') {
    // Only what was claimed in time may still be answered.
    const known = await shop.orders.find(orderId);
    if (known?.challengeId !== challengeId)
      return offer(
        shop,
        request,
        Problem.of('payment-expired', 'The challenge has expired; nothing was charged.'),
      );
  }
  const subjects = [
    `address:${request.address}`,
    ...(request.account === null ? [] : [`account:${request.account}`]),
  ];
  const declines = await shop.orders.declines(subjects, nowMs - declineWindowMs);
  if (declines >= declinesMax)
    return { kind: 'too_many_declines', retryAfterSeconds: declineWindowMs / 1000 };

  switch (await shop.orders.claim(orderId, challengeId, digest)) {
    case 'claimed':
      return charge(shop, request, orderId, challengeId, token, subjects);
    case 'same':
      return repeat(shop, request, orderId, challengeId, token, subjects);
    case 'taken':
      return offer(
        shop,
        request,
        Problem.of('invalid-challenge', 'This challenge has been used; nothing was charged.'),
      );
    case 'unknown':
      return offer(
        shop,
        request,
        Problem.of('payment-expired', 'The offer behind this challenge is gone; nothing was charged.'),
      );
  }
}

/** Charges a claimed order. Safe to repeat: the processor knows the challenge's idempotency key. */
async function charge(
  shop: Shop,
  request: PurchaseRequest,
  orderId: string,
  challengeId: string,
  token: string,
  subjects: readonly string[],
): Promise<PurchaseAnswer> {
  const order = await must(shop, orderId);
  const outcome = await shop.processor.charge(order, challengeId, token);
  switch (outcome.kind) {
    case 'unknown':
      shop.report('payment_pending', { order: orderId });
      return { kind: 'pending', order };
    case 'declined':
      await shop.orders.decline(orderId, outcome.reason, subjects);
      return offer(shop, request, Problem.of('verification-failed', outcome.reason), true);
    case 'succeeded': {
      const account = await finish(shop, order, outcome.payment.id, outcome.payment.received);
      if (account === null) return { kind: 'pending', order };
      return granted(await must(shop, orderId), account, true);
    }
  }
}

/** The same credential again: the same answer, however far the first one has come. */
async function repeat(
  shop: Shop,
  request: PurchaseRequest,
  orderId: string,
  challengeId: string,
  token: string,
  subjects: readonly string[],
): Promise<PurchaseAnswer> {
  const deadlineMs = shop.clock() + companionWaitMs;
  for (;;) {
    const order = await must(shop, orderId);
    if (order.state === 'granted' && order.account !== null) return granted(order, order.account, false);
    if (order.state === 'declined')
      return offer(
        shop,
        request,
        Problem.of('verification-failed', order.failure ?? 'The payment was declined.'),
        true,
      );
    const nowMs = shop.clock();
    // Whoever claimed it is gone.
    if (order.claimedMs !== null && nowMs - order.claimedMs > claimStaleMs)
      return charge(shop, request, orderId, challengeId, token, subjects);
    if (nowMs >= deadlineMs) return { kind: 'pending', order };
    await new Promise((resolve) => setTimeout(resolve, companionLookMs));
  }
}

function granted(order: Order.Order, account: string, fresh: boolean): PurchaseAnswer {
  const receipt = Receipt.serialize({
    method: StripeCharge.method,
    reference: order.paymentIntent ?? order.id,
    challengeId: order.challengeId ?? '',
    settledAtMs: order.grantedMs ?? order.createdMs,
  });
  return { kind: 'granted', order, account, receipt, fresh };
}

/**
 * The one step in which every way of paying ends: the payment is there, so its lot is. Repeats change nothing.
 * Null when the payment is not what the order asked for: then a person has to look.
 */
export async function finish(
  shop: Shop,
  order: Order.Order,
  paymentIntent: string,
  received: Money.Money,
): Promise<string | null> {
  if (received !== order.amount) {
    shop.report('payment_mismatch', {
      order: order.id,
      payment: paymentIntent,
      ordered: order.amount,
      received,
    });
    return null;
  }
  const account = await shop.orders.grant(order.id, paymentIntent, id('acc'));
  if (account !== null) shop.lane.touch(account);
  return account;
}

async function must(shop: Shop, orderId: string): Promise<Order.Order> {
  const order = await shop.orders.find(orderId);
  if (!order) throw new Error(`no order ${orderId}`);
  return order;
}
