import { Hono } from 'hono';
import type { CreditPlan } from '../../catalog/plan.ts';
import * as Checkout from '../../journeys/checkout.ts';
import * as Notice from '../../journeys/payment-notice.ts';
import * as Purchase from '../../journeys/purchase.ts';
import { session } from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import { nearest } from '../../kernel/nearest.ts';
import * as Statement from '../../ledger/statement.ts';
import * as Challenge from '../../payment/challenge.ts';
import * as Credential from '../../payment/credential.ts';
import type { Order } from '../../payment/order.ts';
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
import * as PaymentPage from '../pages/payment.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };
const quantityMax = 1_000;
const urlCharsMax = 2_000;
const fields = ['amount_usd', 'quantity', 'return_url'];

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
    const wish = parse(parsed.value, plan);
    if ('errors' in wish) return send(c, unprocessable(c, wish.errors));
    const buyer = await caller(shop, c);
    if (buyer.kind === 'refused') return send(c, buyer.reply);
    const account = buyer.kind === 'account' ? buyer.account : null;
    const credential = Credential.read({
      authorization: lines(c, 'authorization'),
      paymentAuthorization: lines(c, 'payment-authorization'),
    });
    const answer = await Purchase.run(shop, {
      plan,
      ...wish,
      account,
      body,
      credential,
      address: address(c, clientAddressHeader),
    });
    return send(c, await reply(shop, c, plan, account, answer));
  });

  app.get('/purchases/:id', async (c) => {
    const order = await shop.orders.find(c.req.param('id'));
    if (!order) return send(c, error(404, 'not_found', 'Not Found', requestId(c)));
    return send(
      c,
      json(
        200,
        { success: true, purchase: describe(order), state: order.state, account: order.account },
        noStore,
      ),
    );
  });

  app.get('/checkout/:id', async (c) => {
    const opened = await Checkout.open(shop, c.req.param('id'));
    switch (opened.kind) {
      case 'redirect':
        return c.redirect(opened.url, 303);
      case 'paid':
        return PaymentPage.respond(200, PaymentPage.alreadyPaid());
      case 'gone':
        return PaymentPage.respond(410, PaymentPage.gone());
      case 'unknown':
        return PaymentPage.respond(404, PaymentPage.unknown());
    }
  });

  app.get('/purchases/:id/cancelled', () => PaymentPage.respond(200, PaymentPage.cancelled()));

  app.get('/purchases/:id/return', async (c) => {
    const name = shop.catalog.storefront.name;
    const returned = await Checkout.comeBack(shop, c.req.param('id'), c.req.query('session') ?? '');
    switch (returned.kind) {
      case 'unknown':
        return PaymentPage.respond(404, PaymentPage.unknown());
      case 'pending':
        return PaymentPage.respond(202, PaymentPage.pending());
      case 'paid': {
        const { order, account } = returned;
        if (order.returnUrl !== null) return c.redirect(order.returnUrl, 303);
        const lots = await shop.statements.of(account);
        const { access } = await session(shop, account);
        return PaymentPage.respond(
          200,
          PaymentPage.paid({
            shop: name,
            amount: Money.format(order.amount),
            balance: Money.format(Money.ofMicro(Statement.remaining(lots, 'usd', shop.clock()))),
            account,
            accessToken: access.token,
            guide: `${shop.publicUrl}/auth.md`,
          }),
        );
      }
    }
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
  return app;
}

type Wish = { amount: Money.Money; returnUrl: string | null };
type Fault = { field: string; message: string };

/** What the body wishes for: an amount within the plan's bounds, in whole cents. */
function parse(value: unknown, plan: CreditPlan): Wish | { errors: Fault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { errors: [{ field: 'body', message: 'Expected object' }] };
  const body: Partial<Record<string, unknown>> = { ...value };
  const errors: Fault[] = [];
  for (const name of Object.keys(body)
    .filter((name) => !fields.includes(name))
    .slice(0, 20)) {
    const near = nearest(name, fields);
    const shown = name.slice(0, 64);
    errors.push({
      field: 'body',
      message: near
        ? `Unknown field "${shown}". Did you mean "${near}"?`
        : `Unknown field "${shown}". Allowed fields: ${fields.join(', ')}`,
    });
  }
  const quantity = body.quantity ?? 1;
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > quantityMax) {
    errors.push({ field: 'quantity', message: `Must be a whole number between 1 and ${quantityMax}` });
  }
  const amount = total(body.amount_usd, typeof quantity === 'number' ? quantity : 1, plan);
  if (typeof amount === 'string') errors.push({ field: 'amount_usd', message: amount });
  const returnUrl = body.return_url ?? null;
  if (returnUrl !== null && !isWebAddress(returnUrl))
    errors.push({ field: 'return_url', message: 'Must be an http or https address' });
  if (errors.length > 0 || typeof amount === 'string') return { errors };
  return { amount, returnUrl: typeof returnUrl === 'string' ? returnUrl : null };
}

function total(value: unknown, quantity: number, plan: CreditPlan): Money.Money | string {
  if (value !== undefined && value !== null && typeof value !== 'string')
    return 'Must be a decimal string in USD, such as "5.00"';
  const one = typeof value === 'string' ? Money.parse(value) : plan.min;
  if (one === null) return 'Must be a decimal string in USD, such as "5.00"';
  if (Money.toCents(one) === null) return 'Must be in whole cents';
  const amount = one * (Number.isInteger(quantity) && quantity > 0 && quantity <= quantityMax ? quantity : 1);
  if (amount < plan.min) return `Must be at least ${Money.format(plan.min)}`;
  if (amount > plan.max) return `Must be at most ${Money.format(plan.max)}`;
  return Money.ofMicro(amount);
}

function isWebAddress(value: unknown): boolean {
  const url = typeof value === 'string' && value.length <= urlCharsMax ? URL.parse(value) : null;
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

async function reply(
  shop: Shop,
  c: Call,
  plan: CreditPlan,
  bearer: string | null,
  answer: Purchase.PurchaseAnswer,
): Promise<Reply> {
  const id = requestId(c);
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
        { 'retry-after': String(answer.retryAfterSeconds) },
      );
    case 'payment_required':
      return paymentRequired(answer, id);
    case 'pending':
      return json(
        202,
        {
          success: true,
          code: 'payment_pending',
          message:
            'The payment is under way. Ask again with this very request, or at `status`; do not pay again.',
          purchase: describe(answer.order),
          status: { method: 'GET', url: `${shop.publicUrl}/purchases/${answer.order.id}` },
          request_id: id,
        },
        { ...noStore, 'retry-after': '5' },
      );
    case 'granted':
      return granted(shop, plan, bearer, answer);
  }
}

function paymentRequired(
  { order, challenge, checkoutUrl, problem, declined }: Purchase.PaymentRequired,
  id: string,
): Reply {
  const code = declined ? 'payment_declined' : 'payment_required';
  return error(
    402,
    code,
    problem.detail,
    id,
    {
      ...problem,
      status: 402,
      purchase: {
        id: order.id,
        plan: order.plan,
        amount_usd: Money.format(order.amount),
        expires_at: new Date(order.expiresMs).toISOString(),
      },
      checkout_url: checkoutUrl,
      rails: [
        {
          rail: 'mpp',
          method: challenge.method,
          intent: challenge.intent,
          challenge: challenge.id,
          expires_at: challenge.expires,
        },
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

async function granted(
  shop: Shop,
  plan: CreditPlan,
  bearer: string | null,
  answer: Extract<Purchase.PurchaseAnswer, { kind: 'granted' }>,
): Promise<Reply> {
  const { order, account, receipt } = answer;
  const lots = await shop.statements.of(account);
  const tokens = bearer === null ? await session(shop, account) : null;
  return json(
    200,
    {
      success: true,
      purchase: describe(order),
      plan: { id: plan.id, kind: plan.kind, status: 'active', period_end: null, included_remaining: null },
      balance_usd: Money.format(Money.ofMicro(Statement.remaining(lots, 'usd', shop.clock()))),
      receipt: {
        method: 'stripe',
        reference: order.paymentIntent,
        settled_at: order.grantedMs === null ? null : new Date(order.grantedMs).toISOString(),
      },
      account,
      ...(tokens && {
        access_token: tokens.access.token,
        token_type: 'Bearer',
        identity_assertion: tokens.assertion.token,
        assertion_expires: new Date(tokens.assertion.claims.expiresMs).toISOString(),
      }),
    },
    { 'payment-receipt': receipt, 'cache-control': 'private, no-store' },
  );
}

function describe(order: Order): Record<string, unknown> {
  return { id: order.id, plan: order.plan, amount_usd: Money.format(order.amount) };
}

function unknownPlan(shop: Shop, c: Call): Reply {
  const plans = shop.catalog.plans.filter((plan) => plan.kind === 'credit').map((plan) => plan.id);
  return error(404, 'not_found', `No such plan is for sale. Plans: ${plans.join(', ')}.`, requestId(c));
}
