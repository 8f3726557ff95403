import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SocketRelay } from '../../src/proxy/socket-relay.ts';

let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a WebSocket. Returns both ends. */
async function pair(): Promise<{ near: WebSocket; far: WebSocket }> {
  const far = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[near]] = await Promise.all([once(server, 'connection'), once(far, 'open')]);
  return { near, far };
}

test('a fault while a message is admitted ends its two connections, and nothing else', async () => {
  const caller = await pair();
  const upstream = await pair();
  const fault = new Error('the meter is broken');
  const relay = new SocketRelay({
    caller: caller.near,
    upstream: upstream.near,
    isConnected: () => true,
    admit: () => Promise.reject(fault),
    refusal: () => 'credit_exhausted',
    check: async () => null,
    isSecret: () => false,
    idleMsMax: 60_000,
    openMsMax: 60_000,
  });
  const closed = Promise.all([once(caller.far, 'close'), once(upstream.far, 'close')]);
  upstream.far.send('one');
  await expect(relay.closed).rejects.toBe(fault);
  const [[code, reason], [farCode]] = await closed;
  expect([code, String(reason), farCode]).toEqual([1011, 'internal', 1000]);
});
