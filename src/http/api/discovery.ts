import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { DiscoveryContext } from '../../discovery/discovery-context.ts';
import * as LlmsTxt from '../../discovery/llms-txt.ts';
import { path } from '../../discovery/paths.ts';
import * as WellKnown from '../../discovery/well-known.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import type { Env } from '../request-context.ts';
import * as Static from './static.ts';

const plain = 'text/plain; charset=utf-8';

/** Documents at conventional addresses for crawlers and agents: llms.txt, the skill, and well-known URIs. */
export function discoveryRoutes(
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> &
    Pick<DiscoveryContext, 'reference'> &
    Pick<PaymentContext, 'acceptedTokens' | 'clock'>,
): Hono<Env> {
  const app = new Hono<Env>();
  const { reference, catalog, publicUrl, clock } = shop;
  const catalogue = { rel: 'api-catalog', href: publicUrl + path.apiCatalog };
  Static.serveDocument(app, path.llms, Static.documentOf(plain, LlmsTxt.llms(reference), [catalogue]));
  Static.serveDocument(
    app,
    path.llmsFull,
    Static.documentOf(plain, LlmsTxt.llmsFull(reference), [catalogue]),
  );
  Static.serveDocument(
    app,
    path.skill,
    Static.documentOf('text/markdown; charset=utf-8', LlmsTxt.skill(reference), [catalogue]),
  );
  const linkset = JSON.stringify(WellKnown.apiCatalog(catalog, publicUrl));
  Static.serveDocument(
    app,
    path.apiCatalog,
    Static.documentOf(WellKnown.apiCatalogType, linkset, [catalogue]),
  );
  Static.serveDocument(
    app,
    path.x402,
    Static.jsonDocument(WellKnown.x402(catalog, publicUrl, shop.acceptedTokens !== null)),
  );
  Static.serveDocument(
    app,
    path.icon,
    Static.documentOf('image/svg+xml', WellKnown.icon(catalog.storefront)),
  );
  Static.serveDocument(app, path.robots, Static.documentOf(plain, WellKnown.robotsTxt(publicUrl)));
  Static.serveDocument(
    app,
    path.sitemap,
    Static.documentOf('application/xml; charset=utf-8', WellKnown.sitemap(catalog, publicUrl)),
  );
  app.get(path.security, (c) => {
    const text = WellKnown.securityTxt(catalog.storefront.contact, publicUrl, clock());
    return Static.respondWithDocument(c, Static.documentOf(plain, text));
  });
  return app;
}
