import { path as identity } from '@sluice/kernel/endpoints';
import { beforeAll, expect, test } from 'vitest';
import * as Paths from '../../src/discovery/paths.ts';
import * as RouteTable from './route-table.ts';

/** Routes that the description leaves out, with the reason. */
const leftOut = [
  // Used by the seller and the card processor, not by callers.
  /^\/admin(?:\/|$)/,
  /^\/metrics$/,
  /^\/webhooks\//,
  /^\/healthz$/,
  // Pages for a person.
  /^\/(?:shop|docs)(?:\/|$)/,
  /^\/checkout\//,
  /^\/(?:auto-top-up|cards|plans\/manage)\//,
  /^\/oauth2\/authorize$/,
  /^\/purchases\/:id\/(?:return|cancelled)$/,
  /^\/receipts\/:jws$/,
  // Documents defined by other standards, which links and the API catalogue lead to.
  /^\/$/,
  /^\/\.well-known\//,
  /^\/schemas\//,
  /^\/(?:llms|llms-full)\.txt$|^\/(?:skill|auth)\.md$|^\/(?:favicon\.svg|robots\.txt|sitemap\.xml)$/,
  // A separate protocol.
  /^\/mcp$/,
];

let described: Set<string>;
let routes: RouteTable.Route[];
beforeAll(async () => {
  ({ described, routes } = await RouteTable.read());
});

test('every route of the storefront is described, or left out for a reason', () => {
  const own = routes
    .filter(({ path }) => !leftOut.some((pattern) => pattern.test(path)))
    // The routes of single services are covered by the one that takes any service.
    .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`)
    .map((route) => route.replace(/^GET \/services\/(?!\{)[^/]+$/, 'GET /services/{slug}'));
  expect([...new Set(own)].sort()).toEqual([...described].sort());
});

test('every address that the shop links to is a route of it', () => {
  const served = new Set(routes.map(({ path }) => path));
  const linked = [...Object.values(Paths.path), ...Object.values(Paths.links), ...Object.values(identity)];
  expect(linked.filter((path) => !served.has(path))).toEqual([]);
});
