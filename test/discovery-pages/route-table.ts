import { fileURLToPath } from 'node:url';
import * as Description from '../../src/catalog/description.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Match from '../../src/catalog/match.ts';
import * as Paths from '../../src/discovery/paths.ts';
import * as Reference from '../../src/discovery/reference.ts';
import * as App from '../../src/http/app.ts';
import { openBudgets } from '../../src/http/server/body-budget.ts';
import * as Metrics from '../../src/http/telemetry/metrics.ts';
import type { Reload } from '../../src/journeys/reload.ts';
import type { Shop } from '../../src/journeys/shop.ts';
import { OpenSockets } from '../../src/proxy/open-sockets.ts';
import { english } from '../../src/text/texts.ts';

export type Route = { method: string; path: string };

/** Returns all routes of a storefront with the shipped catalogue, and those that its own description lists. */
export async function read(): Promise<{ routes: Route[]; described: Set<string> }> {
  const publicUrl = 'https://shop.example.com';
  const catalog = await CatalogFile.load(
    fileURLToPath(new URL('../../openapi/catalog.yaml', import.meta.url)),
  );
  const offers = { claim: true, x402: true };
  const reference = await Reference.openReference(catalog, null, { baseUrl: publicUrl, offers });
  const described = new Set(
    reference.entries.filter(({ service }) => service === null).map((it) => `${it.method} ${it.path}`),
  );
  const tokenVerifier = { ring: { jwks: { keys: [] } } };
  const proofs = { path: Paths.path.quote };
  const requiredProofs = { path: Paths.path.requiredQuote };
  const both = { proofs, requiredProofs };
  const known = { catalog, publicUrl, reference, tokenVerifier, ...both, description: Description.none };
  // The routes depend on the shop's configuration; none of them is called here.
  const shop = {
    ...known,
    texts: english,
    coin: null,
    claiming: null,
    consoleSignIn: { oidc: null },
    console: {},
    rails: ['mpp', 'card'],
  } as unknown as Shop;
  const log = { line: () => {}, fault: () => {} };
  const reload = {} as Reload;
  const metrics = Metrics.createMetrics({
    writer: { ready: true, backlog: { calls: 0, ageMs: 0 } },
    clock: () => 0,
  });
  const edge = {
    clientAddressHeader: null,
    budgets: openBudgets(1024 * 1024),
    sockets: new OpenSockets({ openMax: 1, accountMax: 1, idleMsMax: 1, openMsMax: 1, messageBytesMax: 1 }),
    adminTokenDigest: 'x',
    isDraining: () => false,
    metrics,
    reload,
    log,
  };
  const app = App.appRoutes(shop, edge, Match.compile(catalog));
  return { routes: app.routes.filter(({ method }) => method !== 'ALL'), described };
}
