import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openAgentDirectories } from '../../src/adapters/agent-directories.ts';
import { publicOnly } from '../../src/adapters/public-lookup.ts';
import * as Waits from '../support/waits.ts';
import { newAgent } from './signing-agent.ts';

const type = { 'content-type': 'application/http-message-signatures-directory+json' };
const agent = newAgent();
const keys = JSON.stringify({ keys: [agent.jwk] });
const minuteMs = 60_000;
const start = 1_800_000_000_000;
const servers: Server[] = [];
const reported: string[] = [];
const directories = openAgentDirectories((_, { reason }) => void reported.push(String(reason)));
afterAll(async () => {
  await directories.close();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** Opens a key directory on this machine. */
async function directory(answer: RequestListener): Promise<{ origin: string; reads(): number }> {
  let reads = 0;
  const server = createServer((incoming, outgoing) => {
    reads += 1;
    answer(incoming, outgoing);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reads: () => reads };
}
const kindOf = async (origin: string, nowMs = start, keyId = agent.keyId) =>
  (await directories.find(origin, keyId, nowMs)).kind;

test('Registrations that arrive together read a directory once', async () => {
  const { origin, reads } = await directory((_, outgoing) => void outgoing.writeHead(200, type).end(keys));
  const found = await Promise.all(Array.from({ length: 20 }, () => kindOf(origin)));
  expect([new Set(found), reads()]).toEqual([new Set(['key']), 1]);
});

test('Signatures by invented keys read a directory once a minute', async () => {
  const { origin, reads } = await directory((_, outgoing) => void outgoing.writeHead(200, type).end(keys));
  for (let at = 0; at < 20; at++) expect(await kindOf(origin, start + at, `key_${at}`)).toBe('unknown');
  expect(reads()).toBe(1);
  expect(await kindOf(origin, start + minuteMs, 'key_0')).toBe('unknown');
  expect(reads()).toBe(2);
});

test('A key that a directory withdraws is unknown after the time that the directory states', async () => {
  let listed = keys;
  const { origin } = await directory(
    (_, outgoing) => void outgoing.writeHead(200, { ...type, 'cache-control': 'max-age=120' }).end(listed),
  );
  expect(await kindOf(origin)).toBe('key');
  listed = '{"keys":[]}';
  expect(await kindOf(origin, start + 119_999)).toBe('key');
  expect(await kindOf(origin, start + 120_000)).toBe('unknown');
});

test('The keys of a directory that fails are used for a day and no longer', async () => {
  let status = 200;
  const { origin } = await directory((_, outgoing) => void outgoing.writeHead(status, type).end(keys));
  expect(await kindOf(origin)).toBe('key');
  status = 500;
  expect(await kindOf(origin, start + 24 * 60 * minuteMs)).toBe('key');
  expect(await kindOf(origin, start + 24 * 60 * minuteMs + 1)).toBe('unreadable');
});

test('A directory that sends its text byte by byte is given up after two seconds', async () => {
  const { origin } = await directory((_, outgoing) => {
    outgoing.writeHead(200, type);
    const timer = setInterval(() => outgoing.write(' '), 100);
    outgoing.on('close', () => clearInterval(timer));
  });
  const before = performance.now();
  expect(await kindOf(origin)).toBe('unreadable');
  expect(performance.now() - before).toBeLessThan(Waits.busyFactor * 2_000);
});

test.each(['https://169.254.169.254', 'https://10.0.0.1', 'https://[fd00::1]', 'http://agent.example'])(
  'A directory at %s is never asked',
  async (origin) => {
    reported.length = 0;
    expect(await kindOf(origin)).toBe('unreadable');
    expect(reported).toEqual(['not an https origin with a name']);
  },
);

test.each([true, false])('A name of a private address is not resolved (all: %s)', async (all) => {
  const fault = await new Promise((resolve) => publicOnly('localhost', { all }, resolve));
  expect(fault).toMatchObject({ code: 'EPRIVATE' });
});
