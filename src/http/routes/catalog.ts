import { Hono } from 'hono';
import manifestSchema from '../../../openapi/manifest.schema.json' with { type: 'json' };
import paymentInfoSchema from '../../../openapi/payment-info.schema.json' with { type: 'json' };
import serviceSchema from '../../../openapi/service.schema.json' with { type: 'json' };
import * as Manifest from '../../catalog/manifest.ts';
import * as PriceMatrix from '../../catalog/price-matrix.ts';
import * as PurchaseRequest from '../../catalog/purchase-request.ts';
import * as Directory from '../../discovery/directory.ts';
import * as SignedManifest from '../../identity/signed-manifest.ts';
import type { Shop } from '../../journeys/shop.ts';
import { type Env, requestId, send } from '../edge.ts';
import { error } from '../reply.ts';
import * as Static from '../static.ts';

const { path } = Directory;
const schemaType = 'application/schema+json';
/** A signature says when its prices were in force: it is made anew as often as this. */
const signedForMs = 60 * 60 * 1000;

/** What the shop sells, to anybody: made once from the catalogue. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const { catalog, publicUrl, description } = shop;
  const context = { baseUrl: publicUrl, description };
  const manifest = Manifest.manifest(catalog, {
    baseUrl: publicUrl,
    rails: ['mpp', 'card', ...(shop.coin === null ? [] : ['x402'])],
    links: Directory.links,
  });
  const describedBy = (schema: string) => ({
    rel: 'describedby',
    href: publicUrl + schema,
    type: schemaType,
  });
  const signed = { rel: 'alternate', href: publicUrl + path.signedManifest, type: 'application/jose' };
  Static.get(app, path.manifest, Static.json(manifest, [describedBy(path.manifestSchema), signed]));
  app.get(path.signedManifest, signer(shop, manifest));
  const ofService = [describedBy(path.serviceSchema)];
  Static.get(app, path.services, Static.json(PriceMatrix.list(catalog, context), ofService));
  for (const { slug } of catalog.services) {
    const detail = PriceMatrix.detail(catalog, slug, context);
    const reference = { rel: 'service-desc', href: `${publicUrl}/services/${slug}/openapi.json` };
    Static.get(app, `/services/${slug}`, Static.json(detail, [...ofService, reference]));
  }
  app.get('/services/:slug', (c) =>
    send(c, error(404, 'not_found', 'Not Found', requestId(c), { services: publicUrl + path.services })),
  );
  for (const [at, schema] of [
    [path.manifestSchema, manifestSchema],
    [path.serviceSchema, serviceSchema],
    [path.paymentInfoSchema, paymentInfoSchema],
  ] as const)
    Static.get(app, at, Static.of(schemaType, JSON.stringify(schema)));

  // The first thing that anybody asks for: where everything else is.
  const links = { manifest: path.manifest, services: path.services, ...Directory.links };
  const start = {
    name: catalog.storefront.name,
    description: catalog.storefront.description,
    links: Object.fromEntries(Object.entries(links).map(([rel, at]) => [rel, publicUrl + at])),
    // From a goal in plain words to the requests that reach it; free, and no account is needed.
    ask: { method: 'GET', url: `${publicUrl}${path.guide}?goal={goal}` },
    mcp: { transport: 'streamable-http', method: 'POST', url: publicUrl + path.mcp },
    register: PurchaseRequest.howToTry(publicUrl),
  };
  Static.get(app, path.start, Static.json(start, Directory.startLinks(publicUrl)));
  return app;
}

/** Serves the manifest signed; one signature serves everybody for a while. */
function signer({ desk, clock, publicUrl }: Shop, manifest: SignedManifest.Signed['manifest']) {
  let kept: { document: Static.Document; untilMs: number } | null = null;
  const schema = { rel: 'describedby', href: publicUrl + path.manifestSchema, type: schemaType };
  return async (c: Parameters<typeof Static.respond>[0]) => {
    const nowMs = clock();
    if (kept === null || nowMs >= kept.untilMs) {
      const jws = await SignedManifest.sign(desk.ring, manifest, nowMs);
      kept = { document: Static.of('application/jose', jws, [schema]), untilMs: nowMs + signedForMs };
    }
    return Static.respond(c, kept.document);
  };
}
