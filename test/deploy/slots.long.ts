import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as AccountKey from '../../src/identity/account-key.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import { freePort } from '../support/free-port.ts';

const file = resolve(import.meta.dirname, '../../deploy/ha/storefronts.cfg');
const limits = { name: 'robot', budget: null, services: null, expiresMs: null };
const servers: Server[] = [];
const notReady = new Set<number>();
let haproxy: ChildProcess;
let url: string;
let ring: KeyRing.KeyRing;

beforeAll(async () => {
  ring = KeyRing.keyRing('https://shop.example', [await SigningKey.load(await SigningKey.generate(0))]);
  const env: Record<string, string> = {};
  for (const index of [0, 1, 2]) {
    const server = createServer(({ url: path }, response) => {
      response.writeHead(path === '/readyz' && notReady.has(index) ? 503 : 200).end(String(index));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    env[`STOREFRONT${index + 1}`] = `127.0.0.1:${typeof address === 'object' && address?.port}`;
    servers.push(server);
  }
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  haproxy = spawn('haproxy', ['-db', '-f', file], {
    env: { ...env, PATH: process.env.PATH, BIND_SHOP: `127.0.0.1:${port}` },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await until(async () => (await ask({}).catch(() => '')) !== '');
});
afterAll(async () => {
  if (haproxy?.exitCode === null && haproxy.kill()) await once(haproxy, 'exit');
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Polls HAProxy, which checks its servers every half second. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isSo()); await sleep(20))
    if (Date.now() > end) throw new Error('HAProxy did not get there in 20 seconds');
}

async function ask(headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/v1/list`, { headers });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${body}`);
  return body;
}

/** Returns the processes that requests of an account reach: with two access tokens, of two sessions, and with two of its keys. */
async function reached(account: string): Promise<string[]> {
  const tokens = [id('ses', account), id('ses', account)].map(async (sid) => {
    const { token } = await AccessToken.issue(ring, { account, sid, member: null, epoch: 0 }, Date.now());
    return `Bearer ${token}`;
  });
  const keys = [1, 2].map(() => `bearer ${AccountKey.make(account, null, limits).secret}`);
  const bearers = [...(await Promise.all(tokens)), ...keys];
  return Promise.all(bearers.map((authorization) => ask({ authorization })));
}

test('all bearers of an account reach one process, and accounts are divided over all of them', async () => {
  const found = new Map<string, string[]>();
  for (let count = 0; count < 60; count++) {
    const account = id('acc');
    const reaches = await reached(account);
    expect(new Set(reaches).size, account).toBe(1);
    found.set(account, reaches);
  }
  expect(new Set([...found.values()].flat())).toEqual(new Set(['0', '1', '2']));
  for (const authorization of [
    'Bearer not.a.token',
    'Bearer slk_',
    'Basic c2xrXzE6',
    'Bearer ',
    'Bearer a.e30.b',
  ])
    expect(await ask({ authorization }), authorization).toMatch(/^[012]$/);
});

test('a process that is not ready passes its accounts on, and the others keep theirs', async () => {
  const accounts = Array.from({ length: 30 }, () => id('acc'));
  const before = new Map<string, string>();
  for (const account of accounts) before.set(account, (await reached(account))[0] ?? '');
  notReady.add(1);
  const leaver = accounts.find((account) => before.get(account) === '1') ?? '';
  await until(async () => (await reached(leaver))[0] !== '1');
  for (const account of accounts) {
    const [now] = await reached(account);
    if (before.get(account) === '1') expect(['0', '2']).toContain(now);
    else expect(now, account).toBe(before.get(account));
  }
});
