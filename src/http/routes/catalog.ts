import { Hono } from 'hono';
import * as Manifest from '../../catalog/manifest.ts';
import * as PriceMatrix from '../../catalog/price-matrix.ts';
import * as PurchaseRequest from '../../catalog/purchase-request.ts';
import { path } from '../../identity/endpoint.ts';
import type { Shop } from '../../journeys/shop.ts';
import { type Env, requestId, send } from '../edge.ts';
import { error } from '../reply.ts';
import * as Static from '../static.ts';
import { path as guidePath } from './guide.ts';
import { path as mcpPath } from './mcp.ts';

/** What the shop says about itself, to anybody: made once from the catalogue. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const { catalog, publicUrl, description } = shop;
  const context = { baseUrl: publicUrl, description };
  const manifest = Manifest.manifest(catalog, {
    baseUrl: publicUrl,
    rails: ['mpp', 'card'],
    links: { account: '/account', health: '/readyz' },
  });
  Static.get(app, '/manifest.json', Static.json(manifest));
  Static.get(app, '/services', Static.json(PriceMatrix.list(catalog, context)));
  for (const { slug } of catalog.services)
    Static.get(app, `/services/${slug}`, Static.json(PriceMatrix.detail(catalog, slug, context)));
  app.get('/services/:slug', (c) =>
    send(c, error(404, 'not_found', 'Not Found', requestId(c), { services: `${publicUrl}/services` })),
  );

  // The first thing that anybody asks for: where everything else is.
  const start = {
    name: catalog.storefront.name,
    description: catalog.storefront.description,
    links: {
      manifest: `${publicUrl}/manifest.json`,
      services: `${publicUrl}/services`,
      guide: `${publicUrl}${path.guide}`,
    },
    // From a goal in plain words to the requests that reach it; free, and no account is needed.
    ask: { method: 'GET', url: `${publicUrl}${guidePath}?goal={goal}` },
    mcp: { transport: 'streamable-http', method: 'POST', url: publicUrl + mcpPath },
    register: PurchaseRequest.howToTry(publicUrl),
  };
  Static.get(app, '/', Static.json(start));
  return app;
}
