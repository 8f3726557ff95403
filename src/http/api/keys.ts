import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as AccountKey from '../../identity/account-key.ts';
import * as AccountKeys from '../../journeys/account-keys.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error, json, type Reply } from '../reply.ts';
import {
  actorOf,
  bytes,
  type Call,
  type Env,
  type IdentifiedAccount,
  onlyOwn,
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
    owned(shop, c, async (account, caller) => {
      const keys = await AccountKeys.list(shop, account, onlyOwn(caller.member));
      // Addresses of persons are not for programs.
      const isInPerson = caller.member !== null && !caller.isApplication;
      const shown = isInPerson ? keys : keys.map(({ created_by: _, ...key }) => key);
      return json(200, { success: true, keys: shown }, noStore);
    }),
  );

  app.post('/account/keys', (c) => owned(shop, c, (_, caller) => create(c, caller)));

  app.delete('/account/keys/:id', (c) => owned(shop, c, (_, caller) => revoke(c, caller, c.req.param('id'))));
  return app;

  async function create(c: Call, { account, member }: IdentifiedAccount): Promise<Reply> {
    const body = await bytes(c);
    if (!Buffer.isBuffer(body)) return body;
    const parsed = parseJson(c, body);
    if (!('value' in parsed)) return parsed;
    const slugs = shop.catalog.services.map(({ slug }) => slug);
    const read = AccountKey.parse(shop.texts, parsed.value, slugs, shop.clock());
    if (read.kind === 'faults') return unprocessable(c, read.faults);
    const key = await AccountKeys.make(shop, account, AccountKeys.creatorOf(member), read.limits);
    if (key !== null) {
      const { created_by: _, ...shown } = key;
      return json(201, { success: true, ...shown }, noStore);
    }
    const message = shop.texts.text('api.too_many_keys', { keys: AccountKey.keysMax });
    return error(409, 'too_many_keys', message, requestId(c));
  }

  async function revoke(c: Call, caller: IdentifiedAccount, id: string): Promise<Reply> {
    const who = { creator: onlyOwn(caller.member), by: actorOf(caller) };
    return (await AccountKeys.revoke(shop, caller.account, id, who))
      ? json(200, { success: true, id, revoked: true }, noStore)
      : error(404, 'not_found', shop.texts.text('api.not_found.key'), requestId(c));
  }
}
