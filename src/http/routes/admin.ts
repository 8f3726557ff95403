import { Hono } from 'hono';
import * as Freezing from '../../journeys/freezing.ts';
import * as Reversal from '../../journeys/reversal.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Gift from '../../payment/gift.ts';
import type { Order } from '../../payment/order.ts';
import * as Promotion from '../../payment/promotion.ts';
import * as Gone from '../../payment/reversal.ts';
import type { AdminGuard } from '../admin-guard.ts';
import { type Call, type Env, readJson, requestId, send, unprocessable } from '../edge.ts';
import type { Metrics } from '../metrics.ts';
import { error, json, type Reply } from '../reply.ts';
import * as RefundRequests from './refund-requests.ts';

const noStore = { 'cache-control': 'no-store' };
const pageSize = 50;

/** What the seller does, by the admin token. Each act is in the audit log, with the address that it came from. */
export function routes(shop: Shop, guard: AdminGuard, metrics: Metrics): Hono<Env> {
  const app = new Hono<Env>();
  const { who } = guard;
  app.use('/admin/*', guard.bearer);

  app.get('/metrics', guard.bearer, async (c) =>
    c.body(await metrics.text(), 200, { 'content-type': metrics.type, ...noStore }),
  );

  app.get('/admin/purchases', async (c) => {
    const orders = await shop.orders.begun(
      c.req.query('account') ?? null,
      c.req.query('cursor') ?? null,
      pageSize,
    );
    const purchases = await Promise.all(orders.map((order) => shown(shop, order)));
    const next_cursor = orders.length === pageSize ? (orders.at(-1)?.id ?? null) : null;
    return send(c, json(200, { success: true, purchases, next_cursor }, noStore));
  });

  app.post('/admin/refunds', (c) =>
    asked(c, async (body) => {
      const read = Gone.parse(body);
      if (read.kind === 'fault') return unprocessable(c, read.faults);
      return refunded(await Reversal.refund(shop, read.wish, who(c)), requestId(c));
    }),
  );

  app.route('/', RefundRequests.seller(shop, who, refunded));

  app.post('/admin/grants', (c) =>
    asked(c, async (body) => {
      const read = Gift.parse(body, shop.catalog.plans, shop.clock());
      if (read.kind === 'fault') return unprocessable(c, read.faults);
      const given = await shop.gifts.give(read.gift, who(c));
      switch (given.kind) {
        case 'given':
          return json(200, { success: true, account: given.account, ...Gift.shown(read.gift) }, noStore);
        case 'mismatch':
          return error(409, 'key_used', 'This key has given something else.', requestId(c));
        case 'unknown_account':
          return error(404, 'not_found', 'There is no such account.', requestId(c));
      }
    }),
  );

  app.get('/admin/promotions', async (c) => {
    const nowMs = shop.clock();
    const promotions = (await shop.promotions.list()).map((one) => Promotion.shown(one, nowMs));
    return send(c, json(200, { success: true, promotions }, noStore));
  });

  app.post('/admin/promotions', (c) =>
    asked(c, async (body) => {
      const read = Promotion.parse(body, shop.catalog.plans, shop.clock());
      if (read.kind === 'fault') return unprocessable(c, read.faults);
      return (await shop.promotions.make(read.draft, who(c)))
        ? json(201, { success: true, code: read.draft.code }, noStore)
        : error(409, 'code_taken', 'There is a promotion of this code, or was one.', requestId(c));
    }),
  );

  app.delete('/admin/promotions/:code', async (c) => {
    const code = Promotion.normal(c.req.param('code'));
    const isEnded = code !== null && (await shop.promotions.end(code, who(c)));
    const reply = isEnded
      ? json(200, { success: true, code }, noStore)
      : error(404, 'not_found', 'No promotion of this code runs.', requestId(c));
    return send(c, reply);
  });

  for (const [deed, isFrozen] of [
    ['freeze', true],
    ['unfreeze', false],
  ] as const) {
    app.post(`/admin/accounts/:id/${deed}`, (c) =>
      asked(c, async (body) => {
        const read = Freezing.parse(body);
        if (read.kind === 'fault') return unprocessable(c, read.faults);
        const frozen = await Freezing.set(shop, c.req.param('id'), isFrozen, read.reason, who(c));
        return frozen.kind === 'unknown_account'
          ? error(404, 'not_found', 'There is no such account.', requestId(c))
          : json(200, { success: true, account: frozen.account, frozen: isFrozen }, noStore);
      }),
    );
  }
  return app;
}

async function asked(c: Call, answer: (body: unknown) => Promise<Reply>): Promise<Response> {
  const body = await readJson(c);
  return send(c, 'value' in body ? await answer(body.value) : body);
}

async function shown(shop: Shop, order: Order): Promise<Record<string, unknown>> {
  const { id, state, account, plan, amount, rail, payment, failure, createdMs, grantedMs } = order;
  return {
    id,
    state,
    account,
    plan,
    amount_usd: Money.format(amount),
    gone_back_usd: Money.format(await Reversal.goneOf(shop, order)),
    rail,
    payment,
    failure,
    created_at: new Date(createdMs).toISOString(),
    granted_at: grantedMs === null ? null : new Date(grantedMs).toISOString(),
  };
}

function refunded(outcome: Reversal.Refunded, id: string): Reply {
  switch (outcome.kind) {
    case 'refunded': {
      const { order, reversal, left, loss } = outcome;
      const refund = { id: reversal.id, status: reversal.status, amount_usd: Money.format(reversal.amount) };
      const rest = { left_usd: Money.format(left), loss_usd: Money.format(loss) };
      return json(200, { success: true, purchase: order.id, refund, ...rest }, noStore);
    }
    case 'unknown_order':
      return error(404, 'not_found', 'There is no such purchase.', id);
    case 'not_paid':
      return error(409, 'not_paid', `This purchase has not been paid (${outcome.state}).`, id);
    case 'too_much':
      return error(409, 'too_much', 'So much of this purchase cannot go back.', id, {
        left_usd: Money.format(outcome.left),
      });
    case 'mismatch':
      return error(409, 'key_used', 'This key has sent another amount back.', id, {
        amount_usd: Money.format(outcome.amount),
      });
    case 'refused':
      return error(409, 'refused', `The processor refuses: ${outcome.reason}`, id);
    case 'pending':
      return json(
        202,
        { success: true, message: 'It may have gone back: look before another try.' },
        noStore,
      );
  }
}
