import { Hono } from 'hono';
import manifestSchema from '../../../openapi/manifest.schema.json' with { type: 'json' };
import paymentInfoSchema from '../../../openapi/payment-info.schema.json' with { type: 'json' };
import serviceSchema from '../../../openapi/service.schema.json' with { type: 'json' };
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Manifest from '../../catalog/manifest.ts';
import * as PriceMatrix from '../../catalog/price-matrix.ts';
import * as PurchaseRequest from '../../catalog/purchase-offer.ts';
import * as Paths from '../../discovery/paths.ts';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as SignedManifest from '../../identity/signed-manifest.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { error } from '../reply.ts';
import { type Env, requestId, send } from '../request-context.ts';
import * as Static from './static.ts';

const { path } = Paths;
const schemaType = 'application/schema+json';
/** The signature states when its prices were in force, so it is renewed at this interval. */
const signedForMs = 60 * 60 * 1000;

/** Public documents about the shop's services and prices, rendered once from the catalogue. */
export function catalogRoutes(
  shop: CatalogContext & Pick<IdentityContext, 'clock' | 'tokenVerifier'> & TextsContext,
): Hono<Env> {
  const app = new Hono<Env>();
  const { catalog, publicUrl, description } = shop;
  const context = { baseUrl: publicUrl, description };
  const manifest = Manifest.manifest(catalog, {
    baseUrl: publicUrl,
    rails: shop.rails,
    links: Paths.links,
  });
  const describedBy = (schema: string) => ({
    rel: 'describedby',
    href: publicUrl + schema,
    type: schemaType,
  });
  const signed = { rel: 'alternate', href: publicUrl + path.signedManifest, type: 'application/jose' };
  Static.serveDocument(
    app,
    path.manifest,
    Static.jsonDocument(manifest, [describedBy(path.manifestSchema), signed]),
  );
  app.get(path.signedManifest, signer(shop, manifest));
  const ofService = [describedBy(path.serviceSchema)];
  Static.serveDocument(
    app,
    path.services,
    Static.jsonDocument(PriceMatrix.list(catalog, context), ofService),
  );
  for (const { slug } of catalog.services) {
    const detail = PriceMatrix.detail(catalog, slug, context);
    const reference = { rel: 'service-desc', href: `${publicUrl}/services/${slug}/openapi.json` };
    Static.serveDocument(app, `/services/${slug}`, Static.jsonDocument(detail, [...ofService, reference]));
  }
  app.get('/services/:slug', (c) =>
    send(
      c,
      error(404, 'not_found', shop.texts.text('api.not_found.service'), requestId(c), {
        services: publicUrl + path.services,
      }),
    ),
  );
  for (const [at, schema] of [
    [path.manifestSchema, manifestSchema],
    [path.serviceSchema, serviceSchema],
    [path.paymentInfoSchema, paymentInfoSchema],
  ] as const)
    Static.serveDocument(app, at, Static.documentOf(schemaType, JSON.stringify(schema)));

  // The start document links to all others.
  const links = { manifest: path.manifest, services: path.services, ...Paths.links };
  const start = {
    name: catalog.storefront.name,
    description: catalog.storefront.description,
    links: Object.fromEntries(Object.entries(links).map(([rel, at]) => [rel, publicUrl + at])),
    // Turns a goal in plain words into requests; free and without an account.
    ask: { method: 'GET', url: `${publicUrl}${path.guide}?goal={goal}` },
    mcp: { transport: 'streamable-http', method: 'POST', url: publicUrl + path.mcp },
    register: PurchaseRequest.howToTry(publicUrl),
  };
  Static.serveDocument(app, path.start, Static.jsonDocument(start, Paths.startLinks(publicUrl)));
  return app;
}

/** Serves the signed manifest. All callers share one signature until it is renewed. */
function signer(
  { tokenVerifier, clock, publicUrl }: Pick<IdentityContext, 'clock' | 'publicUrl' | 'tokenVerifier'>,
  manifest: SignedManifest.VerifiedManifest['manifest'],
) {
  let kept: { document: Static.StaticDocument; untilMs: number } | null = null;
  const schema = { rel: 'describedby', href: publicUrl + path.manifestSchema, type: schemaType };
  return async (c: Parameters<typeof Static.respondWithDocument>[0]) => {
    const nowMs = clock();
    if (kept === null || nowMs >= kept.untilMs) {
      const jws = await SignedManifest.sign(tokenVerifier.ring, manifest, nowMs);
      kept = { document: Static.documentOf('application/jose', jws, [schema]), untilMs: nowMs + signedForMs };
    }
    return Static.respondWithDocument(c, kept.document);
  };
}
