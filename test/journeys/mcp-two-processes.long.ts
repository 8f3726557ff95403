import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Mcp from './mcp-client.ts';

const paid = 1_000_000;
const price = 100;
const callers = 50;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let bases: string[];

beforeAll(async () => {
  // Gives as many as it is asked for, and every eleventh time an error.
  let served = 0;
  upstream = await Upstream.scripted(({ socket, body }) => {
    served += 1;
    const { max } = JSON.parse(body);
    socket.write(served % 11 === 0 ? Upstream.http(500, '{}') : Upstream.http(200, `{"count":${max}}`));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'busy.yaml' });
  bases = [shop.url, await shop.addStorefront()];
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

test('fifty calls at once over two processes are charged exactly', async () => {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, paid);
  const clients = await Promise.all(bases.map((base) => Mcp.connect(base, customer.token)));
  const calls = Array.from({ length: callers }, (_, at) => {
    const client = clients[at % clients.length];
    if (client === undefined) throw new Error('no client');
    return Mcp.call(client, 'POST_v1_list', { body: { max: 1 + (at % 7) } });
  });
  const answers = (await Promise.all(calls)).map(({ answer }) => answer);
  expect(new Set(answers.map(({ call }) => call)).size).toBe(callers);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 500]));
  const units = answers.reduce((sum, { units: own }) => sum + Number(own), 0);
  const [lot] = await shop.sql`SELECT remaining FROM ledger.statement(${customer.account})`;
  expect(lot?.remaining).toBe(paid - units * price);
  expect(await Shop.breaches(shop)).toEqual([]);
});
