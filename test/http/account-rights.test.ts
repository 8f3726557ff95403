import { expect, test } from 'vitest';
import { accountRoutes } from '../../src/http/account-rights.ts';
import * as RouteTable from '../discovery-pages/route-table.ts';

/** Routes below the prefixes of accounts that act on no account of a session: they identify their caller in another way, or show a page to anyone. */
const ofNoAccount = [
  // They sign in, or out.
  'POST /shop/account/sign-in',
  'POST /shop/account/link',
  'GET /shop/account/link',
  'GET /shop/account/link/sent',
  'POST /shop/account/link/open',
  // The holder of a page or of a payment has its address.
  'GET /purchases/:id/cancelled',
  'GET /purchases/:id/return',
  'GET /plans/manage/:key',
  'GET /plans/manage/:key/cancel',
  'GET /plans/manage/:key/card',
  'GET /plans/manage/:key/card/return',
  'POST /plans/manage/:key/card',
  'POST /plans/manage/:key/cancel',
];
const prefixes =
  /^(?:GET|POST|PUT|PATCH|DELETE) \/(?:account|shop\/account|purchases|plans|oauth2\/introspect|shop\/authorize)(?:\/|$)/;

test('every route of an account has an entry in the table of rights, and every entry a route', async () => {
  const { routes } = await RouteTable.read();
  const known = [...new Set(routes.map(({ method, path }) => `${method} ${path}`))];
  const table = Object.keys(accountRoutes);
  const without = known.filter(
    (route) => prefixes.test(route) && !table.includes(route) && !ofNoAccount.includes(route),
  );
  expect(without).toEqual([]);
  const gone = table.filter((route) => !route.startsWith('MCP ') && !known.includes(route));
  expect(gone).toEqual([]);
});
