import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newAgent, signedHeaders } from '../identity/signing-agent.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const type = { 'content-type': 'application/http-message-signatures-directory+json' };
const agent = newAgent();
const servers: Server[] = [];
const reads = new Map<string, number>();
let shop: Shop.Shop;
let second: string;
let good: string;
let others: Record<'redirects' | 'huge' | 'silent' | 'wrongType', string>;

/** Opens a key directory on this machine. Returns its origin. */
async function directory(answer: RequestListener): Promise<string> {
  let origin = '';
  const server = createServer((incoming, outgoing) => {
    reads.set(origin, (reads.get(origin) ?? 0) + 1);
    answer(incoming, outgoing);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return origin;
}

beforeAll(async () => {
  const keys = JSON.stringify({ keys: [agent.jwk] });
  good = await directory((_, outgoing) => void outgoing.writeHead(200, type).end(keys));
  others = {
    redirects: await directory((_, outgoing) => void outgoing.writeHead(302, { location: good }).end()),
    huge: await directory((_, outgoing) => void outgoing.writeHead(200, type).end(keys + ' '.repeat(70_000))),
    silent: await directory(() => {}),
    wrongType: await directory(
      (_, outgoing) => void outgoing.writeHead(200, { 'content-type': 'text/html' }).end(keys),
    ),
  };
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: {
      CLIENT_ADDRESS_HEADER: 'x-forwarded-for',
      WEB_BOT_AUTH_AGENTS: [`${good}=200`, ...Object.values(others)].join(','),
    },
  });
  second = await shop.addStorefront();
});
beforeEach(async () => {
  address += 1;
  await shop.sql`TRUNCATE shop.block_use`;
});
afterAll(async () => {
  await shop?.stop();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

const signed = (agentOrigin: string) =>
  signedHeaders(agent, {
    authority: new URL(shop.url).host,
    agentOrigin,
    createdSeconds: Math.floor(Date.now() / 1_000),
  });
let address = 0;
/** Registers from one public address, another one in each test. */
const register = (headers: Record<string, string>, at = shop.url) =>
  Customer.send({
    method: 'POST',
    url: `${at}/agent/auth`,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${address}`, ...headers },
    body: { type: 'anonymous' },
  });

describe('an agent that signs its registrations', () => {
  test('registers more often than its address may, and one without a signature does not', async () => {
    for (let at = 0; at < 8; at++) {
      const { status, body } = await register(signed(good));
      expect([status, body.agent]).toEqual([201, { recognised: true, origin: good }]);
    }
    const plain: number[] = [];
    for (let at = 0; at < 6; at++) plain.push((await register({})).status);
    expect(plain).toEqual([201, 201, 201, 201, 201, 429]);
    expect(reads.get(good)).toBe(1);
  });

  test('is counted as itself; at its own limit it has those of its address', async () => {
    await shop.sql`INSERT INTO shop.block_use (kind, block, at) SELECT 'registration', ${`agent:${good}`},
      clock_timestamp() - interval '1 hour' FROM generate_series(1, 198)`;
    const found: unknown[] = [];
    for (let at = 0; at < 8; at++) {
      const { status, body } = await register(signed(good));
      found.push([status, body.agent.recognised, body.agent.reason]);
    }
    const recognised = [201, true, undefined];
    const fallen = [201, false, 'limit'];
    expect(found).toEqual([
      recognised,
      recognised,
      ...Array.from({ length: 5 }, () => fallen),
      [429, false, 'limit'],
    ]);
  });

  test('is not recognised by the tool over MCP, which leaves its signature unused', async () => {
    const headers = signed(good);
    const { text } = await Customer.send({
      method: 'POST',
      url: `${shop.url}/mcp`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-forwarded-for': `203.0.113.${address}`,
        ...headers,
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'shop_register', arguments: {} },
      },
    });
    expect(text).toContain('access_token');
    expect(text).not.toContain('recognised');
    expect((await register(headers)).body.agent).toEqual({ recognised: true, origin: good });
  });

  test('has a tenth of its day in ten minutes', async () => {
    await shop.sql`INSERT INTO shop.block_use (kind, block) SELECT 'registration', ${`agent:${good}`}
      FROM generate_series(1, 20)`;
    expect((await register(signed(good))).body.agent).toEqual({ recognised: false, reason: 'limit' });
  });

  test('registers on a day that is closed for others, and takes nothing of it', async () => {
    await shop.sql`INSERT INTO shop.block_use (kind, block) SELECT 'registration', '' FROM generate_series(1, 20000)`;
    expect((await register(signed(good))).status).toBe(201);
    const { status, body } = await register({});
    expect([status, body.code]).toEqual([429, 'registration_limited']);
    const [day] = await shop.sql`SELECT count(*)::integer AS count FROM shop.block_use WHERE block = ''`;
    expect(day?.count).toBe(20_000);
  });

  test('uses each signature once, over all processes; a copy counts as unsigned', async () => {
    const headers = signed(good);
    const both = await Promise.all([register(headers), register(headers, second)]);
    const found = both.map(({ status, body }) => [status, body.agent]);
    expect(found).toContainEqual([201, { recognised: true, origin: good }]);
    expect(found).toContainEqual([201, { recognised: false, reason: 'used' }]);
  });

  test('needs no proof of work on a full day; a copy of its signature does', async () => {
    await shop.sql`INSERT INTO shop.block_use (kind, block) SELECT 'registration', '' FROM generate_series(1, 10000)`;
    const headers = signed(good);
    expect((await register(headers)).status).toBe(201);
    const { status, body } = await register(headers);
    expect([status, body.code]).toEqual([429, 'proof_of_work_required']);
  });
});

test.each(['redirects', 'huge', 'silent', 'wrongType'] as const)(
  'a directory that %s leaves the registration as if it were unsigned, and is read once a minute',
  async (kind) => {
    for (let at = 0; at < 2; at++) {
      const { status, body } = await register(signed(others[kind]));
      expect([status, body.agent]).toEqual([201, { recognised: false, reason: 'directory_unreadable' }]);
    }
    expect(reads.get(others[kind])).toBe(1);
    expect(reads.get(good)).toBeLessThanOrEqual(2);
  },
);
