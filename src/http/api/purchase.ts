import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import { forSale, type PaidPlan } from '../../catalog/plan.ts';
import { blockOf } from '../../identity/address-block.ts';
import * as Buy from '../../journeys/buy.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import type * as Purchase from '../../journeys/purchase.ts';
import * as PurchaseRequest from '../../journeys/purchase-request.ts';
import * as StripeWebhook from '../../journeys/stripe-webhook.ts';
import type * as X402Purchase from '../../journeys/x402-purchase.ts';
import * as AcceptPayment from '../../payment/accept-payment.ts';
import * as Challenge from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Order } from '../../payment/order.ts';
import type { CheckoutContext } from '../../payment/payment-context.ts';
import * as PurchaseInput from '../../payment/purchase-input.ts';
import * as WebhookSignature from '../../payment/webhook-signature.ts';
import * as Payload from '../../payment/x402/payload.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import * as Refusal from '../common-refusals.ts';
import { checkoutPages } from '../pages/routes/checkout.ts';
import type { PaidPageContext } from '../pages/routes/paid.ts';
import { error, unprocessable as invalid, json, type Reply } from '../reply.ts';
import {
  address,
  bytes,
  type Call,
  caller,
  type Env,
  isConnected,
  lines,
  parseJson,
  requestId,
  send,
  unprocessable,
} from '../request-context.ts';
import * as Paid from './purchase-paid.ts';
import { receiverOf } from './purchase-receiver.ts';
import * as PurchaseTaxText from './purchase-tax-text.ts';
import { x402Offer } from './x402-fields.ts';

const noStore = { 'cache-control': 'no-store' };
const askAgainSeconds = '5';
const unavailableRetrySeconds = '60';
/** The processor account may have other uses, whose events can be long. */
const signedBodyBytesMax = 256 * 1024;

/** The dependencies of the response to a purchase. */
export type PurchaseReplyContext = Paid.PaidReplyContext &
  Pick<CheckoutContext, 'catalog' | 'isTaxed' | 'publicUrl' | 'texts'>;
/** The dependencies of a purchase over HTTP. */
type PurchaseContext = CallerContext & X402Purchase.X402Context & Paid.PaidReplyContext & PaidPageContext;

/** Purchases, their hosted card page, and the processor's webhook. */
export function purchaseRoutes(shop: PurchaseContext, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/plans/:planId/purchase', async (c) =>
    send(c, await purchase(shop, c, c.req.param('planId'), clientAddressHeader)),
  );

  app.get('/purchases/:id', async (c) => {
    const order = await shop.orders.find(c.req.param('id'));
    if (!order)
      return send(c, error(404, 'not_found', shop.texts.text('api.not_found.purchase_id'), requestId(c)));
    const { state, account } = order;
    const known = await caller(shop, c);
    const isOwner = known.kind === 'account' && known.account === account;
    const body = { success: true, purchase: Paid.describe(order), state, ...(isOwner && { account }) };
    return send(c, json(200, body, noStore));
  });

  app.post('/webhooks/stripe', async (c) => {
    const signature = c.req.header('stripe-signature') ?? '';
    if (!WebhookSignature.mayBeSigned(signature, shop.clock())) return send(c, unsigned(c));
    const body = await bytes(c, signedBodyBytesMax);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const received = await StripeWebhook.receive(shop, body.toString(), signature);
    if (received.kind === 'unsigned') return send(c, unsigned(c));
    return send(c, json(200, { received: true }));
  });

  app.route('/', checkoutPages(shop, clientAddressHeader));
  return app;
}

async function purchase(
  shop: PurchaseContext,
  c: Call,
  planId: string,
  clientAddressHeader: string | null,
): Promise<Reply> {
  const body = await bytes(c);
  if (!Buffer.isBuffer(body)) return body;
  const parsed = parseJson(c, body);
  if (!('value' in parsed)) return parsed;
  const x402 = Payload.read({
    paymentSignature: lines(c, 'payment-signature'),
    xPayment: lines(c, 'x-payment'),
  });
  const credential = Credential.read({
    authorization: lines(c, 'authorization'),
    paymentAuthorization: lines(c, 'payment-authorization'),
  });
  const read = await PurchaseRequest.parsePurchase(shop, planId, parsed.value, () =>
    Buy.findBegun(shop, { credential, x402 }, body),
  );
  if (read.kind === 'unknown_plan') return unknownPlan(shop, requestId(c));
  if (read.kind === 'fault') return unprocessable(c, read.faults);
  const buyer = await caller(shop, c);
  if (buyer.kind === 'refused') return buyer.reply;
  const { plan, purchaseInput } = read;
  const bearer = buyer.kind === 'account' ? buyer.account : null;
  const receiver = await receiverOf(shop, c, bearer);
  if ('refusal' in receiver) return receiver.refusal;
  const { account } = receiver;
  const refused = PurchaseInput.refusedReturn(shop.texts, purchaseInput, bearer);
  if (refused.length > 0) return unprocessable(c, refused);
  const from = blockOf(address(c, clientAddressHeader));
  const request = { plan, ...purchaseInput, account, body, credential, address: from };
  const outcome = await Buy.buy(shop, request, x402);
  if (outcome.kind === 'two_payments')
    return error(400, 'bad_credential', shop.texts.text('api.bad_credential.two'), requestId(c));
  const options = {
    account: bearer,
    accepted: lines(c, 'accept-payment').join(','),
    x402,
    isConnected: () => isConnected(c),
  };
  return outcomeReply(shop, plan, outcome, options, requestId(c));
}

/** The response to a purchase, as over HTTP. */
export async function outcomeReply(
  shop: PurchaseReplyContext,
  plan: PaidPlan,
  outcome: Purchase.PurchaseResult,
  options: Paid.ReplyOptions,
  id: string,
): Promise<Reply> {
  switch (outcome.kind) {
    case 'not_sold':
      return unknownPlan(shop, id);
    case 'already_subscribed':
      return alreadySubscribed(shop, plan, id);
    case 'cannot_replace':
      return invalid(shop.texts, [{ field: 'replaces', message: outcome.reason }], id);
    case 'frozen':
      return Refusal.frozen(shop.texts, id);
    case 'too_small':
      return invalid(shop.texts, [{ field: 'amount_usd', message: tooSmall(shop, outcome.above) }], id);
    default:
      return offeredReply(shop, plan, options, outcome, id);
  }
}

function unsigned(c: Call): Reply {
  return error(400, 'bad_signature', 'This webhook event is not signed by the card processor.', requestId(c));
}

/** The response to a purchase that the shop offers. */
async function offeredReply(
  shop: PurchaseReplyContext,
  plan: PaidPlan,
  options: Paid.ReplyOptions,
  answer: Exclude<
    Purchase.PurchaseResult,
    { kind: 'already_subscribed' | 'cannot_replace' | 'frozen' | 'not_sold' | 'too_small' }
  >,
  id: string,
): Promise<Reply> {
  switch (answer.kind) {
    case 'bad_credential':
      return error(400, 'bad_credential', answer.problem.detail, id, { ...answer.problem, status: 400 });
    case 'too_many_declines':
      return error(
        429,
        'too_many_declines',
        shop.texts.text('api.too_many_declines'),
        id,
        {},
        { 'retry-after': String(Math.max(1, Math.ceil(answer.waitMs / 1000))) },
      );
    case 'payment_required':
      return paymentRequired(shop, answer, options.accepted, id);
    case 'pending':
      return pending(shop, answer.order, id);
    case 'unavailable':
      return error(
        503,
        'payment_unavailable',
        shop.texts.text('api.payment_unavailable'),
        id,
        {},
        { 'retry-after': unavailableRetrySeconds },
      );
    case 'granted':
      return Paid.reply(shop, plan, options, answer);
  }
}

/** The 402: an offer for each payment method that the client accepts, and the card page for a person. */
function paymentRequired(
  shop: Pick<CheckoutContext, 'isTaxed' | 'publicUrl'> & TextsContext,
  { order, tax, challenge, x402: terms, checkoutUrl, problem, declined }: Purchase.PaymentRequired,
  accepted: string,
  id: string,
): Reply {
  const token = challenge && tokenOffer(challenge);
  const x402 = terms && x402Offer({ ...terms, error: declined ? 'payment_declined' : 'payment_required' });
  const offers = AcceptPayment.rank(
    [token, x402].filter((offer) => offer !== null),
    accepted,
  );
  return error(
    402,
    declined ? 'payment_declined' : 'payment_required',
    problem.detail,
    id,
    Object.assign(
      {
        ...problem,
        status: 402,
        purchase: { ...Paid.describe(order), expires_at: Paid.iso(order.expiresMs) },
        ...(shop.isTaxed && { tax: PurchaseTaxText.ofOffer(shop.texts, order, tax) }),
        ...(checkoutUrl !== null && { checkout_url: checkoutUrl }),
        rails: [
          ...offers.map(({ rail }) => rail),
          ...(checkoutUrl === null
            ? []
            : [
                {
                  rail: 'checkout',
                  url: checkoutUrl,
                  for: 'a person with a card',
                  status: statusOf(shop, order.id),
                },
              ]),
        ],
      },
      ...offers.map(({ members }) => members),
    ),
    Object.assign(
      { ...noStore, 'content-type': 'application/problem+json' },
      ...offers.map(({ headers }) => headers),
    ),
  );
}

/** The offer for agents that pay with a card token. */
function tokenOffer(challenge: Challenge.Challenge) {
  const { method, intent, expires } = challenge;
  return {
    method,
    intent,
    rail: { rail: 'mpp', method, intent, challenge: challenge.id, expires_at: expires },
    members: {},
    headers: { 'www-authenticate': Challenge.serialize(challenge) },
  };
}

function pending(shop: Pick<CatalogContext, 'publicUrl'> & TextsContext, order: Order, id: string): Reply {
  return json(
    202,
    {
      success: true,
      code: 'payment_pending',
      message: shop.texts.text('api.payment_pending'),
      purchase: Paid.describe(order),
      status: statusOf(shop, order.id),
      request_id: id,
    },
    { ...noStore, 'retry-after': askAgainSeconds },
  );
}

/** The request that returns the status of a purchase. */
function statusOf({ publicUrl }: Pick<CatalogContext, 'publicUrl'>, id: string) {
  return { method: 'GET', url: `${publicUrl}/purchases/${id}` };
}

/** The 409 for a plan that already renews for the account. */
function alreadySubscribed(shop: TextsContext, plan: PaidPlan, id: string): Reply {
  const message = shop.texts.text('api.already_subscribed', { resume: 'POST /account/plans/{id}/resume' });
  return error(409, 'already_subscribed', message, id, { plan: plan.id });
}

function tooSmall(shop: TextsContext, above: Money.Money): string {
  return shop.texts.text('fault.above_processor_min', { amount: shop.texts.decimal(Money.format(above)) });
}

export function unknownPlan(shop: Pick<CatalogContext, 'catalog'> & TextsContext, id: string): Reply {
  const plans = forSale(shop.catalog.plans).map((plan) => plan.id);
  return error(404, 'not_found', shop.texts.text('api.not_found.plan', { plans: plans.join(', ') }), id);
}
