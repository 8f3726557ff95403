import { Hono } from 'hono';
import type { Shop } from '../../journeys/shop.ts';
import type { Env } from '../edge.ts';
import * as Readiness from '../readiness.ts';

/** For whoever runs the shop: does the process live, and can it do its work? */
export function routes(shop: Shop, isDraining: () => boolean): Hono<Env> {
  const app = new Hono<Env>();
  const headers = { 'cache-control': 'no-store' };
  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, headers));
  app.get('/readyz', async (c) => {
    const checks = await Readiness.checks(shop, isDraining);
    const ready = Object.values(checks).every(Boolean);
    const status = ready ? 'ready' : 'not_ready';
    return c.json({ status, checks, catalog: shop.catalogDigest }, ready ? 200 : 503, headers);
  });
  return app;
}
