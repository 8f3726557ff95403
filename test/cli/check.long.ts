import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as CardNetwork from '../../packages/stripe-sandbox/test/card-network.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { openUncountableRecord } from '../../src/adapters/postgres/uncountable.ts';
import { needed } from '../../src/adapters/stripe/webhook-event.ts';
import type { Finding } from '../../src/cli/check/finding.ts';
import { UncountableCounts } from '../../src/proxy/uncountable.ts';
import * as Chain from '../support/chain.ts';
import { createDatabase } from '../support/database.ts';
import * as Sluice from './sluice.ts';

const key = 'upk_right';
const catalog = fileURLToPath(new URL('../fixtures/scripted.yaml', import.meta.url));
const publicUrl = 'https://shop.invalid';

let network: CardNetwork.CardNetwork;
let upstream: Server;
let mail: SMTPServer;
let database: Awaited<ReturnType<typeof createDatabase>>;
let settings: Record<string, string>;

beforeAll(async () => {
  network = await CardNetwork.open();
  // Requires the key for every path except the root.
  upstream = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Key ${key}` || request.url === '/';
    response.writeHead(isKnown ? 200 : 401).end('{}');
  }).listen(0, '127.0.0.1');
  mail = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'] });
  mail.listen(0, '127.0.0.1');
  await Promise.all([once(upstream, 'listening'), once(mail.server, 'listening')]);
  database = await createDatabase();
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  settings = {
    CATALOG: catalog,
    PUBLIC_URL: publicUrl,
    DATABASE_URL: database.url,
    UPSTREAM_URL: `http://127.0.0.1:${port(upstream)}`,
    UPSTREAM_API_KEY: key,
    STRIPE_SECRET_KEY: 'sk_test_mine',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_NETWORK_ID: 'profile_test_mine',
    STRIPE_API_BASE: network.url,
    SMTP_URL: `smtp://127.0.0.1:${port(mail.server)}`,
    MAIL_FROM: 'shop@example.com',
    ADMIN_TOKEN: 'a'.repeat(30),
  };
});
afterAll(async () => {
  await network?.close();
  upstream?.close();
  await new Promise<void>((resolve) => mail.close(() => resolve()));
  await database?.drop();
});

/** Returns the findings about one part with other settings, as `state: message`. */
async function said(part: string, other: Record<string, string> = {}, ...args: string[]): Promise<string[]> {
  const { out } = await Sluice.here(['check', '--json', ...args], { ...settings, ...other });
  const { findings }: { findings: Finding[] } = JSON.parse(out);
  return findings.filter((one) => one.part === part).map(({ state, says }) => `${state}: ${says}`);
}

test('a shop that is well and not open yet: what is proved, and what is not', async () => {
  await network.stripe.webhookEndpoints.create({
    url: `${publicUrl}/webhooks/stripe`,
    enabled_events: [...needed],
  });
  const { code, out } = await Sluice.run(['check'], { env: settings });
  for (const line of [
    /^ok +settings +complete, without bundled stand-ins$/m,
    /^ok +catalogue .*scripted\.yaml: \d+ operations/m,
    /^not proved +database +it is empty: the first start creates the tables$/m,
    /^ok +upstream +it accepts the key: GET \/v1\/export answers 200 with the key, 401 without$/m,
    /^ok +cards +the test key opens acct_sandbox$/m,
    /^ok +cards +all 21 events are sent to https:\/\/shop\.invalid\/webhooks\/stripe$/m,
    /^not proved +cards +whether agents can pay/m,
    /^not proved +cards +whether STRIPE_WEBHOOK_SECRET is right/m,
    /^ok +mail +127\.0\.0\.1:\d+ accepts the connection and the sign-in$/m,
    /^not proved +address +no server responds at https:\/\/shop\.invalid/m,
  ])
    expect(out).toMatch(line);
  // The test's own server may run without fsync.
  const problems = [...out.matchAll(/^PROBLEM +(.*)$/gm)].map(([, what]) => what);
  expect(
    problems.filter((what) => !/(fsync|synchronous_commit|full_page_writes) is off/.test(what ?? '')),
  ).toEqual([]);
  expect(code).toBe(problems.length === 0 ? 0 : 1);
});

test('all faults of settings and catalogue at once', async () => {
  const found = await said('settings', {
    STRIPE_WEBHOOK_SECRET: '',
    LOG_LEVEL: 'loud',
    ADMIN_TOKEN: 'short',
  });
  expect(found.map((line) => line.split(' ')[1])).toEqual([
    'STRIPE_WEBHOOK_SECRET',
    'ADMIN_TOKEN',
    'LOG_LEVEL',
  ]);
  expect(await said('catalogue', { CATALOG: '/nowhere.yaml' })).toEqual([
    'problem: /nowhere.yaml:1:1 the catalogue cannot be read (ENOENT)',
  ]);
});

test('a key that the API rejects, an API that needs none, one that is down', async () => {
  expect((await said('upstream', { UPSTREAM_API_KEY: 'wrong' }))[1]).toMatch(/^problem: it rejects the key/);
  expect((await said('upstream', { UPSTREAM_API_KEY: '' }))[1]).toMatch(/^problem: it requires a key/);
  expect((await said('upstream', {}, '--probe', 'GET /'))[1]).toMatch(
    /^not proved: .*so this request needs none$/,
  );
  expect((await said('upstream', { UPSTREAM_URL: 'http://127.0.0.1:1' }))[0]).toMatch(
    /^problem: .*does not respond/,
  );
});

test('a processor that refuses the key, sends no notices, or not of all events', async () => {
  expect(await said('cards', { STRIPE_SECRET_KEY: 'sk_live_mine' })).toEqual([
    expect.stringMatching(/^problem: Stripe rejects the live key/),
    expect.stringMatching(/^not proved: whether STRIPE_WEBHOOK_SECRET/),
  ]);
  const elsewhere = 'https://elsewhere.invalid';
  expect((await said('cards', { PUBLIC_URL: elsewhere }))[1]).toMatch(
    /^problem: no webhook endpoint sends events to https:\/\/elsewhere/,
  );
  await network.stripe.webhookEndpoints.create({
    url: `${elsewhere}/webhooks/stripe`,
    enabled_events: ['payment_intent.succeeded'],
  });
  expect((await said('cards', { PUBLIC_URL: elsewhere }))[1]).toMatch(
    /^problem: the webhook endpoint we_\w+ does not send checkout\.session\.completed/,
  );
  expect((await said('cards', { STRIPE_NETWORK_ID: 'profile_live' }))[2]).toMatch(
    /^problem: .*different modes/,
  );
  expect((await said('cards', { STRIPE_API_BASE: 'http://127.0.0.1:1' }))[0]).toMatch(
    /^problem: .*does not respond/,
  );
});

test('a restricted key is told which rights it lacks, an account what keeps it from selling', async () => {
  const denied = { status: 403, type: 'invalid_request_error', message: 'This key lacks a right.' };
  const once = { kind: 'refuse', times: 1 };
  await network.order('/faults', { ...once, route: 'GET /v1/disputes', error: denied });
  await network.order('/faults', { ...once, route: 'GET /v1/invoices', error: denied });
  expect(await said('cards')).toContainEqual('problem: the key has no permission to read Invoices, Disputes');
  await network.order('/account', { default_currency: 'eur' });
  expect((await said('cards'))[0]).toMatch(/^not proved: .* settles in EUR/);
  await network.order('/account', { default_currency: 'usd', payouts_enabled: false });
  expect((await said('cards'))[0]).toMatch(/^problem: .* cannot pay out/);
  await network.order('/account', { payouts_enabled: true, charges_enabled: false });
  expect((await said('cards'))[0]).toMatch(/^problem: .* cannot charge cards/);
  await network.order('/account', { charges_enabled: true });
});

test('a restricted key of a taxed shop is told that it cannot calculate tax, by a request that calculates nothing', async () => {
  const taxed = { CATALOG: fileURLToPath(new URL('../fixtures/taxed.yaml', import.meta.url)) };
  const lacking = expect.stringMatching(/^problem: the key has no permission for Tax Calculations/);
  expect(await said('cards', taxed)).not.toContainEqual(lacking);
  const denied = { status: 403, type: 'invalid_request_error', message: 'This key lacks a right.' };
  await network.order('/faults', {
    ...{ kind: 'refuse', times: 1 },
    route: 'POST /v1/tax/calculations',
    error: denied,
  });
  expect(await said('cards', taxed)).toContainEqual(lacking);
});

test('an account in another currency is no concern where every price is above the minimum', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice check '));
  const dear = join(folder, 'dear.yaml');
  const taxed = await readFile(new URL('../fixtures/taxed.yaml', import.meta.url), 'utf8');
  const withMin = (min: string) => taxed.replace('kind: credit,', `kind: credit, min_usd: "${min}",`);
  try {
    await network.order('/account', { default_currency: 'eur' });
    await writeFile(dear, withMin('1.00'));
    expect((await said('cards', { CATALOG: dear }))[0]).toMatch(/^ok: .* settles in EUR; .* 1\.00 USD/);
    await writeFile(dear, withMin('0.99'));
    expect((await said('cards', { CATALOG: dear }))[0]).toMatch(/^not proved: .* settles in EUR/);
  } finally {
    await network.order('/account', { default_currency: 'usd' });
    await rm(folder, { recursive: true });
  }
});

test('an endpoint of an old API version is found, and a shop without a network profile is explained', async () => {
  const old = 'https://old.invalid';
  await network.stripe.webhookEndpoints.create({
    url: `${old}/webhooks/stripe`,
    enabled_events: ['*'],
    api_version: '2019-02-19',
  });
  expect(await said('cards', { PUBLIC_URL: old })).toContainEqual(
    expect.stringMatching(/^problem: .*API version 2019-02-19/),
  );
  expect(await said('cards', { STRIPE_NETWORK_ID: '' })).toContainEqual(
    expect.stringMatching(/^ok: STRIPE_NETWORK_ID is not set/),
  );
});

test('a database that is away, migrated, or newer than the program; mail and Redis that are away', async () => {
  expect(await said('database', { DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toEqual([
    expect.stringMatching(/^problem: not reachable/),
  ]);
  await migrate(database.url);
  expect((await said('database')).at(-1)).toMatch(/^ok: all \d+ migrations are applied$/);
  const sql = postgres(database.url, { max: 1 });
  await sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)`;
  await sql.end();
  expect((await said('database')).at(-1)).toMatch(/^problem: the database is newer than this program/);
  expect(await said('mail', { SMTP_URL: 'smtp://127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^problem: 127/),
  ]);
  expect(await said('redis', { REDIS_URL: 'redis://127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^problem: 127/),
  ]);
});

test('responses that could not be counted, by operation and reason, over all processes', async () => {
  const own = await createDatabase();
  try {
    expect(await said('counting', { DATABASE_URL: own.url })).toEqual([
      'not proved: the shop has not run on this database yet',
    ]);
    await migrate(own.url);
    expect(await said('counting', { DATABASE_URL: own.url })).toEqual([
      'ok: every success of the upstream in the last 7 days could be counted',
    ]);
    const sql = postgres(own.url, { max: 1, onnotice: () => {} });
    const nowMs = Date.now();
    const counts = (writer: string) => {
      const counted = new UncountableCounts(() => nowMs);
      counted.add({ call: 'c', operation: 'POST /v1/list', reason: 'missing' });
      return counted.write(openUncountableRecord(sql, writer));
    };
    // Writing the same counts again changes nothing; another process adds to them.
    for (const writer of ['prc_1', 'prc_1', 'prc_2']) await counts(writer);
    await sql.end();
    expect(await said('counting', { DATABASE_URL: own.url })).toEqual([
      'problem: 2 successes of the upstream in the last 7 days could not be counted: POST /v1/list 2 times (missing)',
    ]);
  } finally {
    await own.drop();
  }
});

test('stablecoin payments: who is trusted, a facilitator that refuses the shop, the wrong chain', async () => {
  const facilitator = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer fac_right';
    const kinds = [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }];
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ kinds }));
  }).listen(0, '127.0.0.1');
  await once(facilitator, 'listening');
  const chain = await Chain.open();
  const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const coin = {
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: `http://127.0.0.1:${(facilitator.address() as AddressInfo).port}`,
    X402_FACILITATOR_TOKEN: 'fac_right',
  };
  expect(await said('coin', coin)).toEqual([
    expect.stringMatching(`^ok: payments go to ${payTo}: use that address for this shop alone`),
    // The facilitator supports version 2 only.
    expect.stringMatching(/^not proved: .* settles on eip155:84532, and not for clients of x402 version 1/),
    expect.stringMatching(
      /^not proved: payments on eip155:84532 are granted on the facilitator’s word alone/,
    ),
  ]);
  expect((await said('coin', { ...coin, X402_FACILITATOR_TOKEN: '' }))[1]).toMatch(
    /^problem: .* refuses this shop \(401\)/,
  );
  expect((await said('coin', { ...coin, X402_NETWORK: 'eip155:137' }))[1]).toMatch(
    /does not settle on eip155:137/,
  );
  chain.setChainId(1);
  expect((await said('coin', { ...coin, X402_RPC_URL: chain.url }))[2]).toMatch(
    /^problem: .* serves chain 1$/,
  );
  expect((await said('coin', { ...coin, X402_RPC_URL: 'http://127.0.0.1:1' }))[2]).toMatch(
    /^problem: the RPC address of eip155:84532 does not respond like a node/,
  );
  expect((await said('settings', { ...coin, X402_PAY_TO: payTo.replace('aA', 'AA') }))[0]).toMatch(
    /^problem: X402_PAY_TO fails its checksum/,
  );
  facilitator.close();
  await chain.close();
});
