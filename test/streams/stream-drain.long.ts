import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
const sockets: Socket[] = [];

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => {
    socket.write(head + chunk('data: {"text":"a"}\n\n'));
    sockets.push(socket);
  });
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'streams.yaml',
    env: { DRAIN_MAX_SECONDS: '30' },
  });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

test('a process that is told to stop lets its streams end and charges them, also that of a caller who left', async () => {
  const base = await shop.addStorefront();
  const storefront = shop.storefronts.at(-1);
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, 500_000);
  const stream = (signal: AbortSignal | null = null) =>
    fetch(`${base}/v1/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
      body: '{"max_tokens":10,"stream":true}',
      signal,
    });
  const leaving = new AbortController();
  const [stays, leaves] = await Promise.all([stream(), stream(leaving.signal)]);
  await leaves.body?.getReader().read();
  leaving.abort();
  const stopped = storefront?.stop();
  await expect.poll(() => storefront?.output()).toContain('"draining"');
  const end = `${chunk('data: {"usage":{"total_tokens":9}}\n\ndata: [DONE]\n\n')}0\r\n\r\n`;
  for (const socket of sockets) socket.write(end);
  expect(await stays.text()).toContain('[DONE]');
  expect(await stopped).toBe(0);
  const rows = await shop.sql<{ units: number }[]>`
    SELECT units::int FROM ledger.usage WHERE account_id = ${customer.account} AND status = 200`;
  expect(rows.map(({ units }) => units)).toEqual([9, 9]);
  expect(await Shop.breaches(shop)).toEqual([]);
});
