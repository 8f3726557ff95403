import { Hono } from 'hono';
import * as Account from '../../journeys/account.ts';
import type { Shop } from '../../journeys/shop.ts';
import { caller, type Env, send, unidentified } from '../edge.ts';
import { json } from '../reply.ts';

/** What a caller may know of itself: free, by bearer. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/account', async (c) => {
    const known = await caller(shop, c);
    if (known.kind === 'refused') return send(c, known.reply);
    if (known.kind === 'absent') return send(c, unidentified(shop, c, { kind: 'absent' }));
    return send(c, json(200, await Account.overview(shop, known.account), { 'cache-control': 'no-store' }));
  });
  return app;
}
