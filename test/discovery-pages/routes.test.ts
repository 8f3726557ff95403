import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import * as Description from '../../src/catalog/description.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Match from '../../src/catalog/match.ts';
import * as Directory from '../../src/discovery/directory.ts';
import * as Reference from '../../src/discovery/reference.ts';
import * as App from '../../src/http/app.ts';
import * as Metrics from '../../src/http/metrics.ts';
import { path as identity } from '../../src/identity/endpoint.ts';
import type { Reload } from '../../src/journeys/reload.ts';
import type { Shop } from '../../src/journeys/shop.ts';

/** Routes that the description leaves out, and why. */
const leftOut = [
  // For the seller and the card processor, not for callers.
  /^\/admin(?:\/|$)/,
  /^\/metrics$/,
  /^\/webhooks\//,
  /^\/healthz$/,
  // Pages for a person.
  /^\/(?:shop|docs)(?:\/|$)/,
  /^\/checkout\//,
  /^\/purchases\/:id\/(?:return|cancelled)$/,
  /^\/receipts\/:jws$/,
  // Documents with a standard of their own, which links and the API catalogue lead to.
  /^\/$/,
  /^\/\.well-known\//,
  /^\/schemas\//,
  /^\/(?:llms|llms-full)\.txt$|^\/(?:skill|auth)\.md$|^\/favicon\.svg$/,
  // A protocol of its own.
  /^\/mcp$/,
];

let described: Set<string>;
let routes: { method: string; path: string }[];
beforeAll(async () => {
  const publicUrl = 'https://shop.example.com';
  const catalog = await CatalogFile.load(
    fileURLToPath(new URL('../../openapi/catalog.yaml', import.meta.url)),
  );
  const offers = { claim: true, x402: true };
  const reference = await Reference.open(catalog, null, { baseUrl: publicUrl, offers });
  described = new Set(
    reference.entries.filter(({ service }) => service === null).map((it) => `${it.method} ${it.path}`),
  );
  const desk = { ring: { jwks: { keys: [] } } };
  const proofs = { path: Directory.path.quote };
  const known = { catalog, publicUrl, reference, desk, proofs, description: Description.none };
  // Its routes are made of what a shop knows; none of them is called here.
  const shop = { ...known, coin: null, claiming: null } as unknown as Shop;
  const log = { line: () => {}, fault: () => {} };
  const reload = {} as Reload;
  const metrics = Metrics.open({ lane: { ready: true, backlog: { calls: 0, ageMs: 0 } }, clock: () => 0 });
  const edge = {
    clientAddressHeader: null,
    adminTokenDigest: 'x',
    isDraining: () => false,
    metrics,
    reload,
    log,
  };
  routes = App.routes(shop, edge, Match.compile(catalog)).routes.filter(({ method }) => method !== 'ALL');
});

test('every route of the storefront is described, or left out for a reason', () => {
  const own = routes
    .filter(({ path }) => !leftOut.some((pattern) => pattern.test(path)))
    // The routes of single services stand for one that takes any.
    .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`)
    .map((route) => route.replace(/^GET \/services\/(?!\{)[^/]+$/, 'GET /services/{slug}'));
  expect([...new Set(own)].sort()).toEqual([...described].sort());
});

test('every address that the shop links to is a route of it', () => {
  const served = new Set(routes.map(({ path }) => path));
  const linked = [
    ...Object.values(Directory.path),
    ...Object.values(Directory.links),
    ...Object.values(identity),
  ];
  expect(linked.filter((path) => !served.has(path))).toEqual([]);
});
