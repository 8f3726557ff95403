import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as AccountKey from '../../identity/account-key.ts';
import * as AccountKeys from '../../journeys/account-keys.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import {
  bytes,
  type Call,
  type Env,
  owned,
  parseJson,
  requestId,
  unprocessable,
} from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };

/** API keys of an account. */
export function keysRoutes(shop: CallerContext & Pick<CatalogContext, 'catalog'> & TextsContext): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account/keys', (c) =>
    owned(
      shop,
      c,
      async (account) => json(200, { success: true, keys: await AccountKeys.list(shop, account) }, noStore),
      'read_keys',
    ),
  );

  app.post('/account/keys', (c) => owned(shop, c, (account) => create(c, account), 'change_keys'));

  app.delete('/account/keys/:id', (c) =>
    owned(shop, c, (account) => revoke(c, account, c.req.param('id')), 'change_keys'),
  );
  return app;

  async function create(c: Call, account: string): Promise<Reply> {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return body;
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return parsed;
    const slugs = shop.catalog.services.map(({ slug }) => slug);
    const read = AccountKey.parse(shop.texts, parsed.value, slugs, shop.clock());
    if (read.kind === 'faults') return unprocessable(c, read.faults);
    const key = await AccountKeys.make(shop, account, read.limits);
    if (key !== null) return json(201, { success: true, ...key }, noStore);
    const message = shop.texts.text('api.too_many_keys', { keys: AccountKey.keysMax });
    return error(409, 'too_many_keys', message, requestId(c));
  }

  async function revoke(c: Call, account: string, id: string): Promise<Reply> {
    return (await AccountKeys.revoke(shop, account, id))
      ? json(200, { success: true, id, revoked: true }, noStore)
      : error(404, 'not_found', shop.texts.text('api.not_found.key'), requestId(c));
  }
}
