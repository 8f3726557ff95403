import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Journey from '../../journeys/top-up.ts';
import * as TopUp from '../../payment/top-up.ts';
import type { Consent } from '../../payment/top-up-consent.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import { type Call, type Env, owned, readJson, requestId, unprocessable } from '../request-context.ts';

const path = '/account/auto-top-up';
const noStore = { 'cache-control': 'no-store' };

/** Auto top-up, which is off until the account turns it on. */
export function topUpRoutes(
  shop: CallerContext & Journey.TopUpTermsContext & Pick<CatalogContext, 'catalog'> & TextsContext,
): Hono<Env> {
  const app = new Hono<Env>();

  app.get(path, (c) => owned(shop, c, async (account) => reply(await shop.topUps.of(account))));

  app.put(path, (c) =>
    owned(
      shop,
      c,
      async (account) => {
        const plan = Journey.planOf(shop);
        if (plan === null)
          return error(404, 'not_found', shop.texts.text('api.not_found.credit_plan'), requestId(c));
        const body = await readJson(c);
        if (!('value' in body)) return body;
        const read = TopUp.parse(shop.texts, body.value, plan);
        if (read.kind === 'fault') return unprocessable(c, read.faults);
        const changed = await Journey.change(shop, account, plan, read.kind === 'on' ? read.terms : null);
        if (changed.kind === 'done') return reply(changed.topUp);
        return consentNeeded(c, Journey.pageOf(shop, changed.consent), changed.consent);
      },
      ({ body }) => changeIn(body),
    ),
  );
  return app;
}

/** The facts of a change for the activity of the account. */
function changeIn(body: Reply['body']): Record<string, unknown> {
  const { state, amount_usd } = Object(body.auto_top_up);
  return { state, amount_usd };
}

function reply(topUp: TopUp.TopUp | null): Reply {
  return json(200, { success: true, auto_top_up: Journey.asTopUp(topUp) }, noStore);
}

function consentNeeded(c: Call, url: string, { expiresMs }: Consent): Reply {
  return error(409, 'consent_required', c.get('texts').text('api.consent_required'), requestId(c), {
    consent_url: url,
    expires_at: new Date(expiresMs).toISOString(),
  });
}
