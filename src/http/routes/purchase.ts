import { Hono } from 'hono';
import type { PaidPlan } from '../../catalog/plan.ts';
import * as AddressBlock from '../../identity/address-block.ts';
import * as Notice from '../../journeys/payment-notice.ts';
import * as Purchase from '../../journeys/purchase.ts';
import { session } from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Statement from '../../ledger/statement.ts';
import * as Challenge from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Order } from '../../payment/order.ts';
import * as Wish from '../../payment/wish.ts';
import {
  address,
  bytes,
  type Call,
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

/** How money arrives: the purchase, its hosted page, and the processor's notices. */
export function routes(shop: Shop, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/plans/:planId/purchase', async (c) => {
    const plan = Purchase.find(shop.catalog.plans, c.req.param('planId'));
    if (!plan) return send(c, unknownPlan(shop, c));
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return send(c, body);
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return send(c, parsed);
    const wished = Wish.parse(parsed.value, plan);
    if (!wished.ok) return send(c, unprocessable(c, wished.faults));
    const buyer = await caller(shop, c);
    if (buyer.kind === 'refused') return send(c, buyer.reply);
    const answer = await Purchase.run(shop, {
      plan,
      ...wished.wish,
      account: buyer.kind === 'account' ? buyer.account : null,
      body,
      credential: Credential.read({
        authorization: lines(c, 'authorization'),
        paymentAuthorization: lines(c, 'payment-authorization'),
      }),
      address: AddressBlock.of(address(c, clientAddressHeader)),
    });
    if (answer.kind === 'cannot_replace')
      return send(c, unprocessable(c, [{ field: 'replaces', message: answer.reason }]));
    return send(c, await reply(shop, plan, buyer.kind === 'account', answer, requestId(c)));
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

async function reply(
  shop: Shop,
  plan: PaidPlan,
  hasBearer: boolean,
  answer: Exclude<Purchase.PurchaseAnswer, { kind: 'cannot_replace' }>,
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
      return paymentRequired(answer, id);
    case 'pending':
      return pending(shop, answer.order, id);
    case 'granted':
      return granted(shop, plan, hasBearer, answer);
  }
}

function paymentRequired(
  { order, challenge, checkoutUrl, problem, declined }: Purchase.PaymentRequired,
  id: string,
): Reply {
  const { method, intent, expires } = challenge;
  return error(
    402,
    declined ? 'payment_declined' : 'payment_required',
    problem.detail,
    id,
    {
      ...problem,
      status: 402,
      purchase: { ...describe(order), expires_at: iso(order.expiresMs) },
      checkout_url: checkoutUrl,
      rails: [
        { rail: 'mpp', method, intent, challenge: challenge.id, expires_at: expires },
        { rail: 'checkout', url: checkoutUrl, for: 'a person with a card' },
      ],
    },
    {
      ...noStore,
      'content-type': 'application/problem+json',
      'www-authenticate': Challenge.serialize(challenge),
    },
  );
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
      status: { method: 'GET', url: `${shop.publicUrl}/purchases/${order.id}` },
      request_id: id,
    },
    { ...noStore, 'retry-after': askAgainSeconds },
  );
}

async function granted(
  shop: Shop,
  plan: PaidPlan,
  hasBearer: boolean,
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
      receipt: { method: 'stripe', reference: order.payment, settled_at: iso(order.grantedMs) },
      account,
      ...(tokens && {
        access_token: tokens.access.token,
        token_type: 'Bearer',
        identity_assertion: tokens.assertion.token,
        assertion_expires: iso(tokens.assertion.claims.expiresMs),
      }),
    },
    { 'payment-receipt': receipt, 'cache-control': 'private, no-store' },
  );
}

function describe({ id, plan, amount }: Pick<Order, 'id' | 'plan' | 'amount'>): Record<string, unknown> {
  return { id, plan, amount_usd: Money.format(amount) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function unknownPlan(shop: Shop, c: Call): Reply {
  const plans = shop.catalog.plans.filter((plan) => plan.kind !== 'trial').map((plan) => plan.id);
  return error(404, 'not_found', `No such plan is for sale. Plans: ${plans.join(', ')}.`, requestId(c));
}
