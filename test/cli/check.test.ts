import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { needed } from '../../src/adapters/stripe/notice.ts';
import type { Finding } from '../../src/cli/checkup/finding.ts';
import * as CardNetwork from '../sandbox/card-network.ts';
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
  // Wants the key for everything but the root.
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

/** What is said of one part, with other settings, as `state: says`. */
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
    /^ok +settings +complete, and nothing is stood in for$/m,
    /^ok +catalogue .*scripted\.yaml: \d+ operations/m,
    /^not proved +database +it is empty: the first start makes the tables$/m,
    /^ok +upstream +it takes the key: GET \/v1\/export answers 200 with the key, 401 without$/m,
    /^ok +cards +the test key opens acct_sandbox$/m,
    /^ok +cards +notices of all 14 events go to https:\/\/shop\.invalid\/webhooks\/stripe$/m,
    /^not proved +cards +whether agents can pay/m,
    /^not proved +cards +whether STRIPE_WEBHOOK_SECRET is right/m,
    /^ok +mail +127\.0\.0\.1:\d+ greets and lets us in$/m,
    /^not proved +address +nothing answers at https:\/\/shop\.invalid/m,
  ])
    expect(out).toMatch(line);
  // The test's own server may save itself the disk.
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

test('a key that the API refuses, an API that wants none, one that is away', async () => {
  expect((await said('upstream', { UPSTREAM_API_KEY: 'wrong' }))[1]).toMatch(/^problem: it refuses the key/);
  expect((await said('upstream', { UPSTREAM_API_KEY: '' }))[1]).toMatch(/^problem: it wants a key/);
  expect((await said('upstream', {}, '--probe', 'GET /'))[1]).toMatch(
    /^not proved: .*so this request wants none$/,
  );
  expect((await said('upstream', { UPSTREAM_URL: 'http://127.0.0.1:1' }))[0]).toMatch(
    /^problem: .*does not answer/,
  );
});

test('a processor that refuses the key, sends no notices, or not of all events', async () => {
  expect(await said('cards', { STRIPE_SECRET_KEY: 'sk_live_mine' })).toEqual([
    expect.stringMatching(/^problem: the live key is refused/),
    expect.stringMatching(/^not proved: whether STRIPE_WEBHOOK_SECRET/),
  ]);
  const elsewhere = 'https://elsewhere.invalid';
  expect((await said('cards', { PUBLIC_URL: elsewhere }))[1]).toMatch(
    /^problem: no notices go to https:\/\/elsewhere/,
  );
  await network.stripe.webhookEndpoints.create({
    url: `${elsewhere}/webhooks/stripe`,
    enabled_events: ['payment_intent.succeeded'],
  });
  expect((await said('cards', { PUBLIC_URL: elsewhere }))[1]).toMatch(
    /^problem: no notices go out of checkout\.session\.completed/,
  );
  expect((await said('cards', { STRIPE_NETWORK_ID: 'profile_live' }))[2]).toMatch(
    /^problem: .*different modes/,
  );
  expect((await said('cards', { STRIPE_API_BASE: 'http://127.0.0.1:1' }))[0]).toMatch(
    /^problem: .*does not answer/,
  );
});

test('a database that is away, migrated, or newer than the program; mail and Redis that are away', async () => {
  expect(await said('database', { DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toEqual([
    expect.stringMatching(/^problem: out of reach/),
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
