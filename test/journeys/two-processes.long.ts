import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

const paid = 500_000;
const price = 100;
const callers = 64;
const asksMax = 40;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let bases: string[];

beforeAll(async () => {
  // Returns at most the requested number of results, usually fewer, and sometimes none or an error.
  let served = 0;
  upstream = await Upstream.scripted(({ socket, body }) => {
    served += 1;
    const { max } = JSON.parse(body);
    const answer =
      served % 11 === 0 ? Upstream.http(500, '{}') : Upstream.http(200, `{"count":${served % (max + 1)}}`);
    setImmediate(() => socket.write(answer));
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'busy.yaml' });
  bases = [shop.url.replace('localhost', '127.0.0.1'), await shop.addStorefront()];
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

/** The costs in the responses, by call and in total. */
type Said = { costs: Map<string, number>; total: number };

async function ask(
  base: string,
  customer: Customer.Customer,
  max: number,
  said: Said,
): Promise<Customer.Answer> {
  const answer = await Customer.call(customer, 'POST', `${base}/v1/list`, { max });
  const call = answer.headers.get('storefront-call');
  if (call === null) expect(['credit_exhausted', 'credit_in_flight']).toContain(answer.body.code);
  else {
    const cost = Math.round(Number(answer.headers.get('storefront-cost-usd')) * 1e6);
    expect(cost).toBe(Number(answer.headers.get('storefront-units')) * price);
    said.costs.set(call.slice('call_'.length), cost);
    said.total += cost;
  }
  return answer;
}

/** Calls until the credit is exhausted. When a call is not affordable, it asks for as much as is. */
async function spend(base: string, customer: Customer.Customer, seed: number, said: Said): Promise<void> {
  let max = 1 + (seed % 50);
  for (let asked = 0; asked < asksMax; asked += 1) {
    const answer = await ask(base, customer, max, said);
    if (answer.status === 402) {
      const { affordable_units: units } = answer.body;
      if (units === 0) return;
      max = Math.min(units, 50);
    } else max = 1 + ((max * 31 + seed) % 50);
  }
}

/** Returns the charges in the ledger, without reversed ones. */
async function booked({ account }: Customer.Customer): Promise<number> {
  const [row] =
    await shop.sql`SELECT (SELECT coalesce(sum(amount), 0) FROM ledger.usage WHERE account_id = ${account})
    - (SELECT coalesce(sum(amount), 0) FROM ledger.posting WHERE account_id = ${account} AND kind = 'undelivered') AS amount`;
  return Number(row?.amount);
}

async function join(): Promise<{ customer: Customer.Customer; said: Said }> {
  const customer = await Customer.register(shop.url);
  await Customer.credit(shop.sql, customer, paid);
  return { customer, said: { costs: new Map(), total: 0 } };
}

/** Spends the remaining credit, in the end unit by unit: none of it may be unreachable. */
async function spendRest(base: string, customer: Customer.Customer, said: Said): Promise<void> {
  for (let max = 50; ; ) {
    const answer = await ask(base, customer, max, said);
    if (answer.status === 402 && answer.body.affordable_units === 0) return;
    if (answer.status === 402) max = Math.min(50, answer.body.affordable_units);
  }
}

test('64 callers over two processes draw what was paid to the last micro-dollar, and never more', async () => {
  const { customer, said } = await join();
  await Promise.all(
    Array.from({ length: callers }, (_, at) => spend(bases[at % 2] ?? '', customer, at, said)),
  );
  expect(said.costs.size).toBeGreaterThan(200);
  expect(said.total).toBeLessThanOrEqual(paid);
  expect(await booked(customer)).toBe(said.total);
  await spendRest(bases[0] ?? '', customer, said);
  expect(said.total).toBe(paid);
  expect(await booked(customer)).toBe(paid);
  for (const base of bases) {
    const { body } = await Customer.call(customer, 'GET', `${base}/account`);
    expect(body).toMatchObject({ balance_usd: '0.00', held_usd: '0.00' });
  }
  const rows =
    await shop.sql`SELECT call_id, amount FROM ledger.usage WHERE account_id = ${customer.account}`;
  expect(new Map(rows.map((row) => [row.call_id, row.amount]))).toEqual(said.costs);
});

test('a process that is killed takes nothing with it: the other goes on, and all that is left can be spent', async () => {
  const { customer, said } = await join();
  const doomed = await shop.addStorefront();
  const victim = shop.storefronts.at(-1);
  let answered = 0;
  const killed = Promise.withResolvers<void>();
  const attacked = Promise.allSettled(
    Array.from({ length: 16 }, async (_, at) => {
      for (let asked = 0; asked < asksMax; asked += 1) {
        await ask(doomed, customer, 1 + ((at + asked) % 50), said);
        answered += 1;
        if (answered !== 60) continue;
        await victim?.kill();
        killed.resolve();
      }
    }),
  );
  const others = Array.from({ length: 16 }, (_, at) => spend(bases[at % 2] ?? '', customer, at, said));
  await killed.promise;
  expect((await attacked).some(({ status }) => status === 'rejected')).toBe(true);
  await Promise.all(others);

  await expect
    .poll(() => shop.sql`SELECT 1 FROM ledger.writer WHERE id LIKE ${`%:${new URL(doomed).port}`} AND open`)
    .toHaveLength(0);
  await spendRest(bases[1] ?? '', customer, said);
  expect(await booked(customer)).toBe(paid);
  // Every charge had a response. A response that was reversed although it arrived is the seller's loss.
  const rows =
    await shop.sql`SELECT call_id FROM ledger.usage u WHERE account_id = ${customer.account} AND NOT EXISTS
    (SELECT 1 FROM ledger.posting p WHERE p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw)`;
  for (const { call_id } of rows) expect(said.costs.has(call_id)).toBe(true);
});
