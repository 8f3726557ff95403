import { Hono } from 'hono';
import * as AccountKey from '../../identity/account-key.ts';
import * as AccountKeys from '../../journeys/account-keys.ts';
import type { Shop } from '../../journeys/shop.ts';
import {
  bytes,
  type Call,
  caller,
  type Env,
  parseJson,
  requestId,
  send,
  unidentified,
  unprocessable,
} from '../edge.ts';
import { error, json, type Reply } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };

/** Keys that an account makes for its own programs. Who holds one makes and ends none: its limits would be worth nothing. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account/keys', (c) =>
    owned(shop, c, async (account) =>
      json(200, { success: true, keys: await AccountKeys.list(shop, account) }, noStore),
    ),
  );

  app.post('/account/keys', (c) =>
    owned(shop, c, async (account) => {
      const body = await bytes(c);
      if (!Buffer.isBuffer(body)) return body;
      const parsed = parseJson(c, body);
      if (!('value' in parsed)) return parsed;
      const slugs = shop.catalog.services.map(({ slug }) => slug);
      const wish = AccountKey.parse(parsed.value, slugs, shop.clock());
      if (wish.kind === 'faults') return unprocessable(c, wish.faults);
      const key = await AccountKeys.make(shop, account, wish.terms);
      if (key !== null) return json(201, { success: true, ...key }, noStore);
      const message = `An account has at most ${AccountKey.keysMax} keys: end one that is of no more use.`;
      return error(409, 'too_many_keys', message, requestId(c));
    }),
  );

  app.delete('/account/keys/:id', (c) =>
    owned(shop, c, async (account) => {
      const id = c.req.param('id');
      return (await AccountKeys.revoke(shop, account, id))
        ? json(200, { success: true, id, revoked: true }, noStore)
        : error(404, 'not_found', 'This account has no such key.', requestId(c));
    }),
  );

  return app;
}

async function owned(shop: Shop, c: Call, answer: (account: string) => Promise<Reply>): Promise<Response> {
  const known = await caller(shop, c);
  if (known.kind === 'refused') return send(c, known.reply);
  if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
  if (known.key === null) return send(c, await answer(known.account));
  const message = 'Keys are made, listed and ended with an access token of the account, not with a key.';
  return send(c, error(403, 'key_not_allowed', message, requestId(c), { key: known.key.id }));
}
