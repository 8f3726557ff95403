import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import * as Nginx from '../paid-call/nginx.ts';
import * as Proc from '../paid-call/proc.ts';
import * as Program from '../paid-call/program.ts';

/**
 * Compares streams through the storefront with streams through nginx (`proxy_buffering off`), side by side in one run:
 * `DATABASE_URL=postgres://... node bench/streams/run.ts`. Creates its own database and drops it. Needs nginx.
 */
const firstEvents = 300;
const busyStreams = 20;
const eventsAStream = 3_000;
const rounds = 3;
const openStreams = 1_000;
const bytesAMb = 1e6;

const catalogue = `
storefront: { name: Bench, contact: bench@example.com }
upstream:
  key: { header: x-api-key }
  limits: { connections: 1200, account_connections: 1200 }
services:
  - slug: chat
    name: Chat
    price_usd: "0.000001"
    operations:
      - call: POST /v1/chat
        units: /usage/total_tokens
        units_max: 100
        stream: { when: /stream, usage: { at: /usage } }
plans:
  - { id: credit, kind: credit, covers: "*", requests_per_second: 10000 }
`;

type Contender = { name: string; url: string; pid: number; token: string };

const event = `data: {"choices":[{"index":0,"delta":{"content":"${'word '.repeat(4)}"}}],"usage":null}\n\n`;
const ending = 'data: {"choices":[],"usage":{"total_tokens":29}}\n\ndata: [DONE]\n\n';
/** Serves the next request to the upstream. */
let script: (response: ServerResponse) => void = () => undefined;

function open(to: Contender): Promise<IncomingMessage> {
  const outgoing = request(`${to.url}/v1/chat`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' },
  });
  outgoing.end('{"stream":true}');
  return once(outgoing, 'response').then(([incoming]: IncomingMessage[]) => {
    if (incoming?.statusCode !== 200) throw new Error(`${to.name} responded with ${incoming?.statusCode}`);
    return incoming;
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Milliseconds from the upstream's first event to the caller's. */
async function firstByte(to: Contender): Promise<number> {
  let sentMs = 0;
  script = (response) => {
    sentMs = performance.now();
    response.write(event);
    setImmediate(() => response.end(ending));
  };
  const incoming = await open(to);
  const ended = once(incoming, 'end');
  await once(incoming, 'data');
  const ms = performance.now() - sentMs;
  await ended;
  return ms;
}

/** Events per second of concurrent streams, and CPU microseconds of the contender for each event. */
async function throughput(to: Contender): Promise<{ perSecond: number; cpuUs: number }> {
  script = (response) => {
    let sent = 0;
    const write = () => {
      while (sent < eventsAStream) {
        sent += 1;
        if (!response.write(event)) return void response.once('drain', write);
        // A model sends its events one by one.
        if (sent % 10 === 0) return void setImmediate(write);
      }
      response.end(ending);
    };
    write();
  };
  const [cpu, startedMs] = [Proc.cpuMs(to.pid), performance.now()];
  await Promise.all(
    Array.from({ length: busyStreams }, async () => {
      const incoming = await open(to);
      incoming.resume();
      await once(incoming, 'end');
    }),
  );
  const events = busyStreams * eventsAStream;
  return {
    perSecond: (events * 1_000) / (performance.now() - startedMs),
    cpuUs: ((Proc.cpuMs(to.pid) - cpu) * 1_000) / events,
  };
}

/** Resident megabytes while streams are open, each after one event: in all, and the growth. */
async function memory(to: Contender): Promise<{ all: number; grown: number }> {
  const before = Proc.residentBytes(to.pid);
  const responses: ServerResponse[] = [];
  script = (response) => {
    responses.push(response);
    response.write(event);
  };
  const incoming: IncomingMessage[] = [];
  for (let at = 0; at < openStreams; at += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => open(to)));
    for (const one of some) one.resume();
    incoming.push(...some);
  }
  await sleep(1_000);
  const all = Proc.residentBytes(to.pid);
  const ended = incoming.map((one) => once(one, 'end'));
  for (const response of responses) response.end(ending);
  await Promise.all(ended);
  return { all: all / bytesAMb, grown: (all - before) / bytesAMb };
}

async function compare(sluice: Contender, nginx: Contender): Promise<void> {
  for (const one of [sluice, nginx]) for (let at = 0; at < 100; at++) await firstByte(one);
  const times = new Map([sluice, nginx].map((one) => [one.name, [] as number[]]));
  for (let at = 0; at < firstEvents; at++)
    for (const one of [sluice, nginx]) times.get(one.name)?.push(await firstByte(one));
  const [ours = 0, theirs = 0] = [sluice, nginx].map((one) => median(times.get(one.name) ?? []));
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  process.stdout.write(
    `first event: sluice ${ms(ours)}, nginx ${ms(theirs)}, added ${ms(ours - theirs)} (target: 1 ms)\n`,
  );
  for (let round = 1; round <= rounds; round++) {
    const [a, b] = [await throughput(sluice), await throughput(nginx)];
    process.stdout.write(
      `round ${round}: events per second: sluice ${a.perSecond.toFixed(0)}, nginx ${b.perSecond.toFixed(0)}; CPU per event: sluice ${a.cpuUs.toFixed(1)} us, nginx ${b.cpuUs.toFixed(1)} us, ratio ${(a.cpuUs / b.cpuUs).toFixed(2)}\n`,
    );
  }
  const { all, grown } = await memory(sluice);
  process.stdout.write(
    `${openStreams} open streams: sluice ${all.toFixed(0)} MB in all, ${grown.toFixed(0)} MB more than before (target: 150 MB)\n`,
  );
}

async function register(url: string, sql: postgres.Sql): Promise<string> {
  const response = await fetch(`${url}/agent/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"anonymous"}',
  });
  const { account, access_token } = (await response.json()) as { account: string; access_token: string };
  const order = id('pur');
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${order}, ${account}, 'credit', 100000000, now() + interval '1 hour')`;
  await sql`SELECT shop.grant_purchase(${order}, ${id('pi')}, ${account})`;
  return access_token;
}

const server = process.env.DATABASE_URL;
if (server === undefined)
  throw new Error('DATABASE_URL is missing: a PostgreSQL on which a database may be made');
const name = id('bench');
const admin = postgres(server, { max: 1, onnotice: () => {} });
await admin.unsafe(`CREATE DATABASE ${name}`);
const database = new URL(server);
database.pathname = `/${name}`;
const dir = await mkdtemp(join(tmpdir(), 'sluice-streams-'));
const sql = postgres(database.href, { max: 1, onnotice: () => {} }) as unknown as postgres.Sql;
const running: { stop(): Promise<void> }[] = [];
const api = createServer((incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  script(response);
}).listen(0, '127.0.0.1');
try {
  await once(api, 'listening');
  const upstreamUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  await writeFile(join(dir, 'catalog.yaml'), catalogue);
  const port = String(await Program.freePort());
  const env = {
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    DATABASE_URL: database.href,
    CATALOG: join(dir, 'catalog.yaml'),
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_API_KEY: 'upstream-key-0123456789',
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_bench',
    STRIPE_NETWORK_ID: 'profile_bench',
  };
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const storefront = await Program.node(['--max-semi-space-size=16', main], env, join(dir, 'log'));
  running.push(storefront);
  const nginx = await Nginx.start(
    dir,
    'nginx',
    1,
    'proxy_pass http://upstream; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;',
    `upstream upstream { server ${new URL(upstreamUrl).host}; keepalive 64; }`,
  );
  running.push(nginx);
  const url = `http://127.0.0.1:${port}`;
  const token = await register(url, sql);
  await compare(
    { name: 'sluice', url, pid: storefront.pid, token },
    { name: 'nginx', url: nginx.url, pid: nginx.pid, token },
  );
} finally {
  for (const program of running) await program.stop();
  api.closeAllConnections();
  api.close();
  await sql.end({ timeout: 2 });
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await rm(dir, { recursive: true });
}
