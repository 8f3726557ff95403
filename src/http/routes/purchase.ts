import { Hono } from 'hono';
import type { PaidPlan } from '../../catalog/plan.ts';
import * as AddressBlock from '../../identity/address-block.ts';
import * as CoinPurchase from '../../journeys/coin-purchase.ts';
import * as Notice from '../../journeys/payment-notice.ts';
import * as Purchase from '../../journeys/purchase.ts';
import { session } from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Statement from '../../ledger/statement.ts';
import * as AcceptPayment from '../../payment/accept-payment.ts';
import * as Challenge from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Order } from '../../payment/order.ts';
import * as Coin from '../../payment/x402/coin.ts';
import * as Payload from '../../payment/x402/payload.ts';
import * as PaymentRequired from '../../payment/x402/payment-required.ts';
import * as X402Response from '../../payment/x402/response.ts';
import {
  address,
  bytes,
  caller,
  type Env,
  lines,
  parseJson,
  requestId,
  send,
  unprocessable,
} from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';
import * as CheckoutRoutes from './checkout.ts';

const noStore = { 'cache-control': 'no-store' };
const askAgainSeconds = '5';

/** What the request said beside its wish. */
type Asked = { hasBearer: boolean; accepted: string; coin: Payload.Reading };

/** How money arrives: the purchase, its hosted page, and the processor's notices. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/plans/:planId/purchase', async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return send(c, parsed);
    const coin = Payload.read({
      paymentSignature: lines(c, 'payment-signature'),
      xPayment: lines(c, 'x-payment'),
    });
    const credential = Credential.read({
      authorization: lines(c, 'authorization'),
      paymentAuthorization: lines(c, 'payment-authorization'),
    });
    const wished = await Purchase.asked(shop, c.req.param('planId'), parsed.value, async () =>
      coin.kind === 'none' ? Purchase.begun(shop, credential, body) : CoinPurchase.begun(shop, coin),
    );
    if (wished.kind === 'unknown_plan') return send(c, unknownPlan(shop, requestId(c)));
    if (wished.kind === 'fault') return send(c, unprocessable(c, wished.faults));
    const buyer = await caller(shop, c);
    if (buyer.kind === 'refused') return send(c, buyer.reply);
    const { plan, wish } = wished;
    const request = {
      plan,
      ...wish,
      account: buyer.kind === 'account' ? buyer.account : null,
      body,
      credential,
      address: AddressBlock.of(address(c, clientAddressHeader)),
    };
    if (coin.kind !== 'none' && request.credential.kind !== 'none')
      return send(c, error(400, 'bad_credential', 'Two payments in one request: send one.', requestId(c)));
    const answer =
      coin.kind === 'none' ? await Purchase.run(shop, request) : await CoinPurchase.run(shop, request, coin);
    if (answer.kind === 'not_sold') return send(c, unknownPlan(shop, requestId(c)));
    if (answer.kind === 'cannot_replace')
      return send(c, unprocessable(c, [{ field: 'replaces', message: answer.reason }]));
    const asked = {
      hasBearer: buyer.kind === 'account',
      accepted: lines(c, 'accept-payment').join(','),
      coin,
    };
    return send(c, await reply(shop, plan, asked, answer, requestId(c)));
  });

  app.get('/purchases/:id', async (c) => {
    const order = await shop.orders.find(c.req.param('id'));
    if (!order) return send(c, error(404, 'not_found', 'Not Found', requestId(c)));
    const { state, account } = order;
    return send(c, json(200, { success: true, purchase: describe(order), state, account }, noStore));
  });

  app.post('/webhooks/stripe', async (c) => {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const noticed = await Notice.receive(shop, body.toString(), c.req.header('stripe-signature') ?? '');
    if (noticed.kind === 'unsigned')
      return send(
        c,
        error(400, 'bad_signature', 'This notice is not signed by the processor.', requestId(c)),
      );
    return send(c, json(200, { received: true }));
  });

  app.route('/', CheckoutRoutes.routes(shop));
  return app;
}

/** What became of a purchase, as over HTTP. */
export async function reply(
  shop: Shop,
  plan: PaidPlan,
  asked: Asked,
  answer: Exclude<Purchase.PurchaseAnswer, { kind: 'cannot_replace' | 'not_sold' }>,
  id: string,
): Promise<Reply> {
  switch (answer.kind) {
    case 'bad_credential':
      return error(400, 'bad_credential', answer.problem.detail, id, { ...answer.problem, status: 400 });
    case 'too_many_declines':
      return error(
        429,
        'too_many_declines',
        'Too many declined payments; wait before the next.',
        id,
        {},
        { 'retry-after': String(Math.max(1, Math.ceil(answer.waitMs / 1000))) },
      );
    case 'payment_required':
      return paymentRequired(shop, answer, asked.accepted, id);
    case 'pending':
      return pending(shop, answer.order, id);
    case 'granted':
      return granted(shop, plan, asked, answer);
  }
}

/** The 402: the price by every rail that the client takes, and the card page for a person. */
function paymentRequired(
  shop: Shop,
  { order, request, challenge, checkoutUrl, problem, declined }: Purchase.PaymentRequired,
  accepted: string,
  id: string,
): Reply {
  const { method, intent, expires } = challenge;
  const card = {
    method,
    intent,
    rail: { rail: 'mpp', method, intent, challenge: challenge.id, expires_at: expires },
    members: {},
    headers: { 'www-authenticate': Challenge.serialize(challenge) },
  };
  const required = CoinPurchase.asked(shop, request, order.amount);
  const coin =
    required && coinOffer({ ...required, error: declined ? 'payment_declined' : 'payment_required' });
  const offers = AcceptPayment.rank(coin ? [card, coin] : [card], accepted);
  return error(
    402,
    declined ? 'payment_declined' : 'payment_required',
    problem.detail,
    id,
    Object.assign(
      {
        ...problem,
        status: 402,
        purchase: { ...describe(order), expires_at: iso(order.expiresMs) },
        checkout_url: checkoutUrl,
        rails: [
          ...offers.map(({ rail }) => rail),
          {
            rail: 'checkout',
            url: checkoutUrl,
            for: 'a person with a card',
            status: statusOf(shop, order.id),
          },
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

/** The same price for clients of x402: version 2 reads the field, version 1 the body. */
function coinOffer(required: PaymentRequired.PaymentRequired) {
  const networks = required.requirements.map(({ network }) => network.id);
  return {
    method: 'evm',
    intent: 'charge',
    rail: { rail: 'x402', scheme: 'exact', networks },
    members: PaymentRequired.legacyBody(required),
    headers: { 'payment-required': PaymentRequired.header(required) },
  };
}

function pending(shop: Shop, order: Order, id: string): Reply {
  return json(
    202,
    {
      success: true,
      code: 'payment_pending',
      message:
        'The payment is under way. Ask again with this very request, or at `status`; do not pay again.',
      purchase: describe(order),
      status: statusOf(shop, order.id),
      request_id: id,
    },
    { ...noStore, 'retry-after': askAgainSeconds },
  );
}

/** Where it is told how a purchase stands. */
function statusOf({ publicUrl }: Shop, id: string) {
  return { method: 'GET', url: `${publicUrl}/purchases/${id}` };
}

async function granted(
  shop: Shop,
  plan: PaidPlan,
  { hasBearer, coin }: Asked,
  { order, receipt, own }: Extract<Purchase.PurchaseAnswer, { kind: 'granted' }>,
): Promise<Reply> {
  const { account } = order;
  const lots = await shop.statements.of(account);
  const tokens = !hasBearer && own ? await session(shop, account) : null;
  return json(
    200,
    {
      success: true,
      purchase: describe(order),
      plan: {
        id: plan.id,
        kind: plan.kind,
        status: order.periodEndMs !== null && order.periodEndMs <= shop.clock() ? 'expired' : 'active',
        period_end: order.periodEndMs === null ? null : iso(order.periodEndMs),
        included_remaining:
          order.period === null
            ? null
            : Statement.remaining(
                lots.filter((lot) => lot.plan === plan.id),
                'unit',
                shop.clock(),
              ),
      },
      balance_usd: Money.format(Money.ofMicro(Statement.remaining(lots, 'usd', shop.clock()))),
      receipt: {
        method: order.rail === 'x402' ? 'x402' : 'stripe',
        reference: order.payment,
        settled_at: iso(order.grantedMs),
      },
      account,
      ...(tokens && {
        access_token: tokens.access.token,
        token_type: 'Bearer',
        identity_assertion: tokens.assertion.token,
        assertion_expires: iso(tokens.assertion.claims.expiresMs),
      }),
    },
    { ...proofOfPayment(shop, order, receipt, coin), 'cache-control': 'private, no-store' },
  );
}

/** What tells the client that its payment was taken, in the field of its scheme. */
function proofOfPayment(
  shop: Shop,
  order: Purchase.Granted,
  receipt: string,
  coin: Payload.Reading,
): Record<string, string> {
  if (coin.kind !== 'payload' || shop.coin === null) return { 'payment-receipt': receipt };
  const [name, value] = X402Response.field(coin, Coin.requirement(shop.coin, order.amount), order.payment);
  return { [name.toLowerCase()]: value };
}

function describe({ id, plan, amount }: Pick<Order, 'id' | 'plan' | 'amount'>): Record<string, unknown> {
  return { id, plan, amount_usd: Money.format(amount) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function unknownPlan(shop: Shop, id: string): Reply {
  const plans = shop.catalog.plans.filter((plan) => plan.kind !== 'trial').map((plan) => plan.id);
  return error(404, 'not_found', `No such plan is for sale. Plans: ${plans.join(', ')}.`, id);
}
