import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Readiness from '../../journeys/readiness.ts';
import { version } from '../../version.ts';
import type { Env } from '../request-context.ts';

/** Liveness and readiness for the operator's monitoring. */
export function healthRoutes(
  shop: Readiness.ReadinessContext & Pick<CatalogContext, 'catalogDigest'>,
  isDraining: () => boolean,
): Hono<Env> {
  const app = new Hono<Env>();
  const headers = { 'cache-control': 'no-store' };
  app.get('/healthz', (c) => c.json({ status: 'ok', version }, 200, headers));
  app.get('/readyz', async (c) => {
    const { checks, problems, upstreams } = await Readiness.read(shop, isDraining);
    const ready = Readiness.isReady({ checks });
    const status = ready ? 'ready' : 'not_ready';
    const details = { ...(upstreams && { upstreams }), ...(problems.length > 0 && { problems }) };
    const body = { status, checks, ...details, catalog: shop.catalogDigest };
    return c.json(body, ready ? 200 : 503, headers);
  });
  return app;
}
