import { Hono } from 'hono';
import { path } from '../../discovery/directory.ts';
import * as WellKnown from '../../discovery/well-known.ts';
import * as Words from '../../discovery/words.ts';
import type { Shop } from '../../journeys/shop.ts';
import type { Env } from '../edge.ts';
import * as Static from '../static.ts';

const plain = 'text/plain; charset=utf-8';

/** What crawlers and agents look for where convention has it: texts, and the well-known addresses. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const { reference, catalog, publicUrl, clock } = shop;
  const catalogue = { rel: 'api-catalog', href: publicUrl + path.apiCatalog };
  Static.get(app, path.llms, Static.of(plain, Words.llms(reference), [catalogue]));
  Static.get(app, path.llmsFull, Static.of(plain, Words.llmsFull(reference), [catalogue]));
  Static.get(app, path.skill, Static.of('text/markdown; charset=utf-8', Words.skill(reference), [catalogue]));
  const linkset = JSON.stringify(WellKnown.apiCatalog(catalog, publicUrl));
  Static.get(app, path.apiCatalog, Static.of(WellKnown.apiCatalogType, linkset, [catalogue]));
  Static.get(app, path.x402, Static.json(WellKnown.x402(catalog, publicUrl, shop.coin !== null)));
  Static.get(app, path.icon, Static.of('image/svg+xml', WellKnown.icon(catalog.storefront.name)));
  app.get(path.security, (c) => {
    const text = WellKnown.securityTxt(catalog.storefront.contact, publicUrl, clock());
    return Static.respond(c, Static.of(plain, text));
  });
  return app;
}
