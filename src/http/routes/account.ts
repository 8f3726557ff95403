import { Hono } from 'hono';
import * as Account from '../../journeys/account.ts';
import * as PlanChange from '../../journeys/plan-change.ts';
import type { Shop } from '../../journeys/shop.ts';
import { type Call, type Env, owned, readJson, requestId, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };

/** What a caller may know and decide of itself: free, by bearer. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account', (c) =>
    owned(shop, c, async (account) => json(200, await Account.overview(shop, account), noStore)),
  );

  app.post('/account/plans/:id/cancel', (c) =>
    owned(shop, c, async (account) =>
      told(shop, c, await PlanChange.cancel(shop, account, c.req.param('id'), true)),
    ),
  );

  app.post('/account/plans/:id/resume', (c) =>
    owned(shop, c, async (account) =>
      told(shop, c, await PlanChange.cancel(shop, account, c.req.param('id'), false)),
    ),
  );

  app.post('/account/plans/:id/change', (c) =>
    owned(shop, c, async (account) => {
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const target = (body.value as { plan?: unknown } | null)?.plan;
      if (typeof target !== 'string')
        return unprocessable(c, [{ field: 'plan', message: 'Required: the id of the plan to change to' }]);
      return told(shop, c, await PlanChange.change(shop, account, c.req.param('id'), target));
    }),
  );

  return app;
}

function told(shop: Shop, c: Call, changed: PlanChange.Changed): Reply {
  const id = requestId(c);
  switch (changed.kind) {
    case 'done':
      return json(
        200,
        { success: true, subscription: PlanChange.shown(changed.subscription, shop.clock()) },
        noStore,
      );
    case 'no_plan':
      return error(404, 'not_found', 'This account has no such plan that runs.', id);
    case 'prepaid':
      return error(
        409,
        'prepaid',
        'This period is prepaid and does not renew: there is nothing to cancel or change. Buy the next plan with `replaces`.',
        id,
        {
          subscription: PlanChange.shown(changed.subscription, shop.clock()),
        },
      );
    case 'no_such_target': {
      const plans = shop.catalog.plans.filter(({ kind }) => kind === 'subscription').map((plan) => plan.id);
      return unprocessable(c, [
        { field: 'plan', message: `Must be another plan that is paid by the period: ${plans.join(', ')}` },
      ]);
    }
    case 'under_way':
      return error(
        409,
        'change_under_way',
        `A change to ${changed.plan} is under way; ask for that one again.`,
        id,
      );
    case 'declined':
      return error(402, 'payment_declined', `Nothing has changed: ${changed.reason}`, id);
  }
}
