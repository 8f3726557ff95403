import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Freezing from '../../journeys/freezing.ts';
import * as Refund from '../../journeys/refund.ts';
import * as RefundPreview from '../../journeys/refund-preview.ts';
import type { RefundAnswerContext } from '../../journeys/refund-requests.ts';
import type { SellerContext } from '../../journeys/seller-context.ts';
import * as CardAttempt from '../../payment/card-attempt.ts';
import * as CreditGrant from '../../payment/credit-grant.ts';
import { type Order, reference } from '../../payment/order.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import * as Promotion from '../../payment/promotion.ts';
import * as Gone from '../../payment/reversal.ts';
import { error, json, type Reply } from '../reply.ts';
import { type Call, type Env, readJson, requestId, send, unprocessable } from '../request-context.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { AdminGuard } from './admin-guard.ts';
import * as RefundRequests from './refund-requests.ts';

const noStore = { 'cache-control': 'no-store' };
const pageSize = 50;

/** The dependencies of the seller's routes. */
type AdminContext = RefundAnswerContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'revocations'> &
  Pick<SellerContext, 'creditGrants' | 'promotions'>;

/** The seller's routes, which need the admin token. The audit log records each action with the caller's address. */
export function adminRoutes(shop: AdminContext, guard: AdminGuard, metrics: Metrics): Hono<Env> {
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
    withBody(c, async (body) => {
      const read = Gone.parse(body);
      if (read.kind === 'fault') return unprocessable(c, read.faults);
      return refunded(await Refund.refund(shop, read.instruction, who(c)), requestId(c));
    }),
  );

  app.route('/', RefundRequests.seller(shop, who, refunded));

  app.post('/admin/grants', (c) => withBody(c, (body) => grant(shop, c, who(c), body)));

  app.get('/admin/promotions', async (c) => {
    const nowMs = shop.clock();
    const promotions = (await shop.promotions.list()).map((one) => Promotion.asPromotion(one, nowMs));
    return send(c, json(200, { success: true, promotions }, noStore));
  });

  app.post('/admin/promotions', (c) =>
    withBody(c, async (body) => {
      const read = Promotion.parse(body, shop.catalog.plans, shop.clock());
      if (read.kind === 'fault') return unprocessable(c, read.faults);
      return (await shop.promotions.make(read.draft, who(c)))
        ? json(201, { success: true, code: read.draft.code }, noStore)
        : error(
            409,
            'code_taken',
            'This promotion code is or was in use. Choose another code.',
            requestId(c),
          );
    }),
  );

  app.delete('/admin/promotions/:code', async (c) => {
    const code = Promotion.normal(c.req.param('code'));
    const isEnded = code !== null && (await shop.promotions.end(code, who(c)));
    const reply = isEnded
      ? json(200, { success: true, code }, noStore)
      : error(404, 'not_found', 'There is no active promotion with this code.', requestId(c));
    return send(c, reply);
  });

  for (const [action, isFrozen] of [
    ['freeze', true],
    ['unfreeze', false],
  ] as const) {
    app.post(`/admin/accounts/:id/${action}`, (c) =>
      withBody(c, async (body) => {
        const read = Freezing.parse(body);
        if (read.kind === 'fault') return unprocessable(c, read.faults);
        const frozen = await Freezing.set(shop, c.req.param('id'), isFrozen, read.reason, who(c));
        return frozen.kind === 'unknown_account'
          ? error(404, 'not_found', 'There is no account with this id.', requestId(c))
          : json(200, { success: true, account: frozen.account, frozen: isFrozen }, noStore);
      }),
    );
  }
  return app;
}

async function withBody(c: Call, act: (body: unknown) => Promise<Reply>): Promise<Response> {
  const body = await readJson(c);
  return send(c, 'value' in body ? await act(body.value) : body);
}

async function grant(
  shop: Pick<CatalogContext, 'catalog'> &
    Pick<IdentityContext, 'clock'> &
    Pick<SellerContext, 'creditGrants'>,
  c: Call,
  who: string,
  body: unknown,
): Promise<Reply> {
  const read = CreditGrant.parse(body, shop.catalog.plans, shop.clock());
  if (read.kind === 'fault') return unprocessable(c, read.faults);
  const given = await shop.creditGrants.give(read.creditGrant, who);
  switch (given.kind) {
    case 'given':
      return json(
        200,
        { success: true, account: given.account, ...CreditGrant.asCreditGrant(read.creditGrant) },
        noStore,
      );
    case 'mismatch':
      return error(
        409,
        'key_used',
        'This key was already used for another grant. Use a new key.',
        requestId(c),
      );
    case 'unknown_account':
      return error(404, 'not_found', 'There is no account with this id.', requestId(c));
    case 'too_much':
      return error(409, 'too_much', CreditGrant.tooMuch, requestId(c));
  }
}

async function shown(
  shop: Pick<PaymentContext, 'clock' | 'orders' | 'subscriptions' | 'cardAttempts'>,
  order: Order,
): Promise<Record<string, unknown>> {
  const { id, state, account, plan, amount, rail, failure, createdMs, grantedMs } = order;
  const { reversed, ending } = await RefundPreview.previewRest(shop, order);
  return {
    id,
    state,
    account,
    plan,
    amount_usd: Money.format(amount),
    gone_back_usd: Money.format(reversed),
    // Refunding the rest ends this subscription, unless the refund's `subscription` is `keep`.
    refund_ends: ending && { subscription: ending.subscription, when: ending.when },
    rail,
    payment: reference(order),
    failure,
    // The card processor's assessment of each charge, the newest first.
    charges: (await shop.cardAttempts.ofOrder(id)).map(CardAttempt.asCharge),
    created_at: new Date(createdMs).toISOString(),
    granted_at: grantedMs === null ? null : new Date(grantedMs).toISOString(),
  };
}

function refunded(outcome: Refund.RefundResult, id: string): Reply {
  switch (outcome.kind) {
    case 'refunded': {
      const { order, reversal, left, loss, ended } = outcome;
      const refund = { id: reversal.id, status: reversal.status, amount_usd: Money.format(reversal.amount) };
      const subscription = ended && {
        id: ended.subscription,
        ends: ended.when,
        period_end: new Date(ended.endMs).toISOString(),
        // False when the processor was unreachable: then the subscription still renews.
        done: ended.isDone,
      };
      const rest = {
        left_usd: Money.format(left),
        loss_usd: Money.format(loss.certain),
        loss_pending_usd: Money.format(loss.pending),
        subscription,
      };
      return json(200, { success: true, purchase: order.id, refund, ...rest }, noStore);
    }
    case 'busy':
      return error(
        409,
        'busy',
        'Another refund of this purchase is being made, or its outcome is not known yet. Try again in ten minutes.',
        id,
      );
    case 'changed':
      return error(409, 'changed', 'Another refund of this purchase was made meanwhile.', id, {
        left_usd: Money.format(outcome.left),
      });
    case 'unknown_order':
      return error(404, 'not_found', 'There is no purchase with this id.', id);
    case 'not_paid':
      return error(409, 'not_paid', `This purchase has not been paid (${outcome.state}).`, id);
    case 'too_much':
      return error(409, 'too_much', 'The amount exceeds what can still be refunded. See `left_usd`.', id, {
        left_usd: Money.format(outcome.left),
      });
    case 'mismatch':
      return error(
        409,
        'key_used',
        'This key was already used to refund another amount. Use a new key.',
        id,
        {
          amount_usd: Money.format(outcome.amount),
        },
      );
    case 'refused':
      return error(409, 'refused', `The card processor refused the refund: ${outcome.reason}`, id);
    case 'pending':
      return json(
        202,
        {
          success: true,
          message: 'The outcome of the refund is unknown. Check the purchase before you try again.',
        },
        noStore,
      );
  }
}
