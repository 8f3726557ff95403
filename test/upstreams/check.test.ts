import { expect, test } from 'vitest';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';
import { checkNamedUpstreams } from '../../src/cli/check/named-upstreams.ts';
import { http, type Received, scripted } from '../proxy/scripted-upstream.ts';
import { closing, header } from './opened.ts';

const secret = 'sk_of_the_check_and_long';

/** Findings for one upstream with a key and one with a token; the script answers both and the token endpoint. */
async function check(script: (received: Received) => unknown, env: Record<string, string> = {}) {
  const server = closing(await scripted(script));
  const found = File.parse(
    `storefront: { name: Several, contact: sales@example.com }
upstreams:
  keyed:
    url: { env: UPSTREAM_URL }
    key: { header: x-api-key, from: { env: UPSTREAM_API_KEY } }
  token:
    url: { env: UPSTREAM_URL }
    oauth: { token_url: "${server.url}/token", client_id: shop, client_secret: { env: UPSTREAM_SECRET } }
services:
  - slug: keyed
    name: Keyed
    price_usd: "0"
    upstream: keyed
    operations: [{ call: GET /v1/me, units: 0 }]
  - slug: token
    name: Token
    price_usd: "0.01"
    upstream: token
    operations: [{ call: "GET /v1/items/{id}", units: 1 }]
plans:
  - { id: credit, kind: credit, covers: "*" }
`,
    'catalog.yaml',
  );
  if (!found.ok) throw new Error(found.faults.map(Fault.format).join('\n'));
  const given = { UPSTREAM_URL: server.url, UPSTREAM_API_KEY: secret, UPSTREAM_SECRET: secret, ...env };
  const findings = await checkNamedUpstreams(found.catalog, given);
  expect(JSON.stringify(findings)).not.toContain(secret);
  return { server, said: findings.map(({ state, says }) => `${state}: ${says}`) };
}

const token = http(200, JSON.stringify({ access_token: 'tok_1', token_type: 'bearer' }));

test('each upstream is asked with its own credentials, by a GET that costs nothing', async () => {
  const { server, said } = await check(({ head, socket }) =>
    socket.write(head.includes('/token') ? token : http(404)),
  );
  expect(said).toEqual([
    `ok: keyed at ${server.url} answers`,
    'ok: keyed takes a request with its credentials: GET /v1/me answers 404',
    `ok: token at ${server.url} answers`,
    'ok: token takes a request with its credentials: GET /v1/items/sluice-check answers 404',
  ]);
  const asked = server.received.filter(({ head }) => head.startsWith('GET /v1/items'));
  expect(asked.map((received) => header(received, 'authorization'))).toEqual([['Bearer tok_1']]);
});

test('rejected credentials and a failing token endpoint are problems', async () => {
  const { said } = await check(({ head, socket }) => socket.write(http(head.includes('/token') ? 400 : 401)));
  expect(said).toContain('problem: keyed rejects its credentials: GET /v1/me answers 401');
  expect(said).toContain('problem: token gives no usable response to GET /v1/items/sluice-check: status_400');
});

test('missing variables are reported and nothing is sent', async () => {
  const { server, said } = await check(() => undefined, { UPSTREAM_SECRET: '' });
  expect(said).toEqual([
    'problem: UPSTREAM_SECRET is missing: upstreams.token.oauth.client_secret in the catalogue names it',
  ]);
  expect(server.received).toHaveLength(0);
});
