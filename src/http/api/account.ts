import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Account from '../../journeys/account.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as PlanChange from '../../journeys/plan-change.ts';
import type { CheckoutContext } from '../../payment/payment-context.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { prefersHtml } from '../pages/accept.ts';
import { accountPath } from '../pages/return-to.ts';
import { error, json, type Reply } from '../reply.ts';
import { type Call, type Env, owned, readJson, requestId, unprocessable } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };

/** The account of the caller and its subscriptions. Free; needs a bearer token. */
export function accountRoutes(shop: CallerContext & Account.AccountContext & CheckoutContext): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account', async (c) => {
    // A person who types this address into a browser wants the page of the account, which asks them to sign in.
    const isPerson = c.req.header('authorization') === undefined && prefersHtml(c.req.header('accept') ?? '');
    if (isPerson) return c.redirect(accountPath, 303);
    return owned(shop, c, async (account) => json(200, await Account.overview(shop, account), noStore));
  });

  // Each action addresses a plan, or one subscription by its id.
  for (const [path, which] of [
    ['/account/plans/:id', (plan: string) => ({ plan })],
    ['/account/subscriptions/:id', (subscription: string) => ({ subscription })],
  ] as const) {
    app.post(`${path}/cancel`, (c) =>
      owned(shop, c, async (account) =>
        changedReply(shop, c, await PlanChange.cancel(shop, account, which(c.req.param('id')))),
      ),
    );

    app.post(`${path}/resume`, (c) =>
      owned(shop, c, async (account) =>
        changedReply(shop, c, await PlanChange.resume(shop, account, which(c.req.param('id')))),
      ),
    );

    app.post(`${path}/change`, (c) =>
      owned(shop, c, async (account) => {
        const body = await readJson(c);
        if (!('value' in body)) return body;
        const asked = body.value as { plan?: unknown; price_usd?: unknown } | null;
        const { plan: target, price_usd } = asked ?? {};
        if (typeof target !== 'string')
          return unprocessable(c, [{ field: 'plan', message: shop.texts.text('fault.plan_to_change_to') }]);
        const price = typeof price_usd === 'string' ? Money.parse(price_usd) : null;
        if (price_usd !== undefined && price === null)
          return unprocessable(c, [{ field: 'price_usd', message: shop.texts.text('fault.amount') }]);
        const selected = which(c.req.param('id'));
        return changedReply(shop, c, await PlanChange.change(shop, account, selected, target, price));
      }),
    );
  }

  return app;
}

function changedReply(
  shop: Pick<CatalogContext, 'catalog'> & Pick<IdentityContext, 'clock'> & TextsContext,
  c: Call,
  changed: PlanChange.PlanChangeResult,
): Reply {
  const id = requestId(c);
  switch (changed.kind) {
    case 'done':
      return json(
        200,
        {
          success: true,
          subscription: PlanChange.asPlan(changed.subscriptions[0], shop.clock()),
          subscriptions: changed.subscriptions.map((one) => PlanChange.asPlan(one, shop.clock())),
        },
        noStore,
      );
    case 'no_plan':
      return error(404, 'not_found', shop.texts.text('api.not_found.subscription'), id);
    case 'prepaid':
      return error(409, 'prepaid', shop.texts.text('api.prepaid'), id, {
        subscription: PlanChange.asPlan(changed.subscription, shop.clock()),
      });
    case 'no_such_target': {
      const plans = shop.catalog.plans.filter(({ kind }) => kind === 'subscription').map((plan) => plan.id);
      return unprocessable(c, [
        { field: 'plan', message: shop.texts.text('fault.another_plan', { plans: plans.join(', ') }) },
      ]);
    }
    case 'price_changed': {
      const [now, expected] = [Money.format(changed.price), Money.format(changed.expected)];
      const facts = { plan: changed.plan, price: shop.texts.usd(now), expected: shop.texts.usd(expected) };
      return error(409, 'price_changed', shop.texts.text('api.price_changed', facts), id, {
        ...{ plan: changed.plan, price_usd: now, expected_price_usd: expected },
      });
    }
    case 'already_subscribed':
      return error(
        409,
        'already_subscribed',
        shop.texts.text('api.already_subscribed.change', { plan: changed.plan }),
        id,
        { plan: changed.plan },
      );
    case 'under_way':
      return error(
        409,
        'change_under_way',
        shop.texts.text('api.change_under_way', { plan: changed.plan }),
        id,
      );
    case 'unpaid':
      return error(409, 'renewal_unpaid', shop.texts.text('api.renewal_unpaid'), id, {
        pay_url: changed.payUrl,
      });
    case 'declined':
      return error(
        402,
        'payment_declined',
        shop.texts.text('api.payment_declined.change', { reason: changed.reason }),
        id,
      );
  }
}
