import { Hono } from 'hono';
import * as PurchaseRequest from '../../catalog/purchase-request.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Journey from '../../journeys/top-up.ts';
import * as TopUp from '../../payment/top-up.ts';
import { type Call, type Env, owned, readJson, requestId, unprocessable } from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

const path = '/account/auto-top-up';
const noStore = { 'cache-control': 'no-store' };

/** Credit that is bought by itself when it runs low: off until its owner says otherwise. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();

  app.get(path, (c) => owned(shop, c, async (account) => told(await shop.topUps.of(account))));

  app.put(path, (c) =>
    owned(shop, c, async (account) => {
      const plan = Journey.planOf(shop);
      if (plan === null)
        return error(404, 'not_found', 'This shop sells no credit that could be topped up.', requestId(c));
      const body = await readJson(c);
      if (!('value' in body)) return body;
      const wish = TopUp.parse(body.value, plan);
      if (wish.kind === 'fault') return unprocessable(c, wish.faults);
      const changed = await Journey.change(shop, account, plan, wish.kind === 'on' ? wish.terms : null);
      if (changed.kind === 'done') return told(changed.topUp);
      return noCard(c, PurchaseRequest.how(plan, shop.publicUrl));
    }),
  );
  return app;
}

function told(topUp: TopUp.TopUp | null): Reply {
  return json(200, { success: true, auto_top_up: Journey.shown(topUp) }, noStore);
}

function noCard(c: Call, purchase: PurchaseRequest.PurchaseRequest): Reply {
  return error(
    409,
    'no_card_on_file',
    'No card of this account is on file. Pay once on the hosted page: `purchase` is answered with its `checkout_url`, for a person to open. The card is then kept at the processor, and this request can be sent again.',
    requestId(c),
    { purchase },
  );
}
