import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';

const token = 'adm_of_the_test_and_long_enough';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;
/** The URL of the second process. */
let other: string;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env });
  other = await shop.addStorefront();
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

let addresses = 0;

function admin(
  method: string,
  path: string,
  body?: unknown,
  bearer = token,
  address?: string,
): Promise<Customer.Answer> {
  addresses += 1;
  // Uses a new address each time, because the number of requests per second from one address is limited.
  const from = { 'x-forwarded-for': address ?? `198.51.100.${addresses % 250}` };
  return Customer.call({ token: bearer }, method, `${shop.url}/admin${path}`, body, from);
}

async function overview(agent: { token: string }) {
  return (await Customer.call(agent, 'GET', `${shop.url}/account`)).body;
}

/** Registers an agent that has bought 2.00 USD. */
async function bought(): Promise<Agent.Agent & { token: string; account: string; order: string }> {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd: '2.00' });
  const paid = await Agent.pay(agent, offer, await network.mint());
  expect(paid.status, paid.text).toBe(200);
  return { ...agent, order: offer.order };
}

const acts = async (subject: string) => [
  ...(await shop.sql<
    { act: string; who: string }[]
  >`SELECT act, who FROM shop.audit WHERE subject = ${subject} ORDER BY id`),
];

test('nobody else gets in, and a shop without an admin token has no such routes', async () => {
  for (const path of ['/purchases', '/promotions']) {
    expect((await admin('GET', path, undefined, 'adm_of_the_test_and_long_enoug')).status).toBe(401);
    expect((await admin('GET', path, undefined, (await Customer.register(shop.url)).token)).status).toBe(401);
  }
  const closed = await shop.addStorefront({ ADMIN_TOKEN: '' });
  expect((await Customer.call({ token }, 'GET', `${closed}/admin/purchases`)).status).toBe(404);
});

test('what happened is counted for Prometheus, and nobody else sees it', async () => {
  const buyer = await bought();
  await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=2`);
  expect((await fetch(`${shop.url}/metrics`)).status).toBe(401);
  const answer = await fetch(`${shop.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const text = await answer.text();
  expect(text).toMatch(/^sluice_units_total\{service="lists"\} [1-9]/m);
  expect(text).toMatch(/^sluice_ledger_ready 1$/m);
  expect(text).not.toContain(buyer.account);
});

test('an address that guesses is slowed down', async () => {
  const tries = await Promise.all(
    Array.from({ length: 15 }, () => admin('GET', '/purchases', undefined, 'wrong', '192.0.2.1')),
  );
  expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([401, 429]));
});

test('purchases are listed, the newest first, page by page', async () => {
  const buyer = await bought();
  const mine = (await admin('GET', `/purchases?account=${buyer.account}`)).body;
  expect(mine.purchases).toMatchObject([
    { id: buyer.order, state: 'granted', amount_usd: '2.00', gone_back_usd: '0.00', rail: 'card' },
  ]);
  expect(mine.next_cursor).toBeNull();
  await shop.sql`INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, expires_at, created_at)
    SELECT 'pur_old_' || n, 'declined', 'acc_old', 'credit', 1, now(), now() - make_interval(days => n) FROM generate_series(1, 60) n`;
  const first = (await admin('GET', '/purchases?account=acc_old')).body;
  const second = (await admin('GET', `/purchases?account=acc_old&cursor=${first.next_cursor}`)).body;
  const ids = [...first.purchases, ...second.purchases].map((one: { id: string }) => one.id);
  expect(ids).toEqual(Array.from({ length: 60 }, (_, n) => `pur_old_${n + 1}`));
});

test('a refund goes back with its credit, and is in the audit log', async () => {
  const buyer = await bought();
  const part = await admin('POST', '/refunds', { purchase: buyer.order, amount_usd: '0.50' });
  expect(part.body).toMatchObject({
    success: true,
    refund: { amount_usd: '0.50' },
    left_usd: '1.50',
    loss_usd: '0.00',
  });
  expect((await overview(buyer)).balance_usd).toBe('1.50');
  expect((await admin('POST', '/refunds', { purchase: buyer.order, amount_usd: '1.60' })).body.code).toBe(
    'too_much',
  );
  expect((await admin('POST', '/refunds', { purchase: buyer.order })).body.left_usd).toBe('0.00');
  expect((await admin('POST', '/refunds', { purchase: 'pur_none' })).status).toBe(404);
  expect((await admin('POST', '/refunds', { purchase: 7, amount: '1' })).body.errors).toHaveLength(2);
  expect((await acts(buyer.order)).map(({ act }) => act)).toEqual(['refund', 'refund']);
});

describe('a coin payment that was sent back by hand', () => {
  /** Registers an agent whose purchase is recorded as paid by x402 and who requests a refund. */
  async function paidInCoin() {
    const buyer = await bought();
    await shop.sql`UPDATE shop.purchase SET rail = 'x402' WHERE id = ${buyer.order}`;
    const path = `${shop.url}/purchases/${buyer.order}/refund-request`;
    expect((await Customer.call(buyer, 'POST', path, { reason: 'By mistake' })).status).toBe(201);
    const request = async () => (await Customer.call(buyer, 'GET', path)).body.refund_request.state;
    return { ...buyer, request };
  }

  test('is taken out of the account and answers the request, once for each key, in the audit log', async () => {
    const buyer = await paidInCoin();
    const plain = await admin('POST', '/refunds', { purchase: buyer.order });
    expect(plain.body.code).toBe('refused');
    expect(plain.text).toContain('sent_by_hand');
    expect((await overview(buyer)).balance_usd).toBe('2.00');
    const sent = {
      purchase: buyer.order,
      amount_usd: '1.50',
      key: 'by-hand-1',
      sent_by_hand: true,
      reference: '0xabc',
    };
    const answers = await Promise.all([1, 2, 3, 4].map(() => admin('POST', '/refunds', sent)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        left_usd: '0.50',
        refund: { status: 'sent_by_hand', amount_usd: '1.50' },
      });
    }
    expect((await overview(buyer)).balance_usd).toBe('0.50');
    expect(await buyer.request()).toBe('refunded');
    expect((await admin('POST', '/refunds', { ...sent, amount_usd: '1.00' })).body.code).toBe('key_used');
    const more = { ...sent, key: 'by-hand-2', amount_usd: '0.60' };
    expect((await admin('POST', '/refunds', more)).body).toMatchObject({
      code: 'too_much',
      left_usd: '0.50',
    });
    const [entry, ...others] =
      await shop.sql`SELECT act, who, after FROM shop.audit WHERE subject = ${buyer.order}`;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ act: 'refund_by_hand', after: { amount: 1_500_000, reference: '0xabc' } });
    await Books.proves(shop.sql);
  });

  test('is recorded by the answer to the request, and by the command', async () => {
    const buyer = await paidInCoin();
    const answer = (body: object) => admin('POST', `/refund-requests/${buyer.order}/refund`, body);
    expect((await answer({})).body.code).toBe('by_hand');
    expect((await answer({ amount_usd: '0.50', sent_by_hand: true })).status).toBe(200);
    expect(await buyer.request()).toBe('refunded');
    const env = { DATABASE_URL: shop.databaseUrl, STRIPE_API_BASE: shop.sandboxUrl };
    const run = await Sluice.run(['refund', buyer.order, '--sent-by-hand', '--reference', '0xdef'], { env });
    expect(run.out).toContain('1.50 USD of');
    expect(run.code, run.err).toBe(0);
    expect((await overview(buyer)).balance_usd).toBe('0.00');
    await Books.proves(shop.sql);
  });

  test('is refused of what the processor took, and of what has not been paid', async () => {
    const buyer = await bought();
    const sent = { purchase: buyer.order, sent_by_hand: true };
    expect((await admin('POST', '/refunds', sent)).body.code).toBe('refused');
    expect((await admin('POST', '/refunds', { ...sent, purchase: 'pur_none' })).status).toBe(404);
    const offer = await Agent.offer(buyer, {});
    expect((await admin('POST', '/refunds', { ...sent, purchase: offer.order })).body.code).toBe('not_paid');
    expect((await admin('POST', '/refunds', { ...sent, sent_by_hand: 'yes' })).body.errors).toHaveLength(1);
    expect((await overview(buyer)).balance_usd).toBe('2.00');
  });
});

test('a part goes back once under its key, whenever it is asked for and however its answer was lost', async () => {
  const buyer = await bought();
  const part = { purchase: buyer.order, amount_usd: '0.50', key: 'ticket 4711' };
  await network.fault('POST /v1/refunds', 'cut_after', 3);
  expect((await admin('POST', '/refunds', part)).status).toBe(202);
  const again = await Promise.all([1, 2, 3].map(() => admin('POST', '/refunds', part)));
  for (const { status, body } of again) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ left_usd: '1.50', refund: again[0]?.body.refund });
  }
  expect((await admin('POST', '/refunds', { ...part, amount_usd: '0.60' })).body.code).toBe('key_used');
  expect((await admin('POST', '/refunds', { ...part, key: 'ticket 4712' })).body.left_usd).toBe('1.00');
  expect((await overview(buyer)).balance_usd).toBe('1.00');
});

test('what the seller gives is there at once, once for its key, and seen', async () => {
  const buyer = await Agent.registered(shop.url);
  const creditGrant = {
    account: buyer.account,
    usd: '5.00',
    expires: '2099-01-31',
    reason: 'sorry',
    key: id('key'),
  };
  for (let times = 0; times < 2; times += 1)
    expect((await admin('POST', '/grants', creditGrant)).status).toBe(200);
  expect((await admin('POST', '/grants', { ...creditGrant, usd: '6.00' })).status).toBe(409);
  await admin('POST', '/grants', { account: buyer.account, units: 100, key: id('key') });
  const seen = await overview(buyer);
  expect(seen.grants).toEqual([
    { source: 'seller', given_units: 100, remaining_units: 100, expires_at: null },
    { source: 'seller', given_usd: '5.00', remaining_usd: '5.00', expires_at: '2099-02-01T00:00:00.000Z' },
  ]);
  expect(seen).toMatchObject({ balance_usd: '5.00', included_remaining: 100 });
  for (const url of [shop.url, other]) {
    const { headers, status } = await Customer.call(buyer, 'GET', `${url}/v1/search?max=50`);
    expect([status, headers.get('storefront-cost-usd')]).toEqual([200, '0.000000']);
  }
  const paid = await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=50`);
  expect(paid.headers.get('storefront-balance-usd')).toBe('4.950000');
  expect((await acts(buyer.account)).map(({ act }) => act)).toEqual(['grant', 'grant']);
  await Books.proves(shop.sql);
});

test.each([
  [{ usd: '5.00', units: 5 }, 'usd'],
  [{ usd: '0' }, 'usd'],
  [{ units: 1.5 }, 'units'],
  [{ usd: '1.00', expires: '2020-01-01' }, 'expires'],
  [{ usd: '1.00', plan: 'none' }, 'plan'],
  [{ usd: '1.00', amount: '1' }, 'body'],
])('refuses to give %o', async (creditGrant, field) => {
  const answer = await admin('POST', '/grants', { account: 'acc_1', key: id('key'), ...creditGrant });
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
});

test('a promotion is made, sent by buyers, listed and ended', async () => {
  const code = `spring ${id('x').slice(2, 8)}`;
  const made = await admin('POST', '/promotions', { code, usd: '1.00', days: 30, max: 2 });
  expect(made.status, made.text).toBe(201);
  expect((await admin('POST', '/promotions', { code, usd: '1.00' })).status).toBe(409);
  const send = (buyer: { token: string }, url = shop.url, sent = code) =>
    Customer.call(buyer, 'POST', `${url}/account/promotions`, { code: sent }, { 'x-forwarded-for': id('a') });
  const buyers = [
    await Agent.registered(shop.url),
    await Agent.registered(shop.url),
    await Agent.registered(shop.url),
  ] as const;
  const first = await send(buyers[0]);
  expect(first.body.promotion).toMatchObject({ code: made.body.code, usd: '1.00' });
  expect((await send(buyers[0], other)).status).toBe(409);
  expect((await overview(buyers[0])).grants).toMatchObject([
    { source: `promotion:${made.body.code}`, remaining_usd: '1.00' },
  ]);
  expect((await send(buyers[1], other)).status).toBe(200);
  const late = await send(buyers[2]);
  const never = await send(buyers[2], shop.url, 'NEVER-THERE');
  const same = ({ status, body }: Customer.Answer) => ({ status, code: body.code, message: body.message });
  expect(same(late)).toEqual(same(never));
  expect(late.status).toBe(404);
  const listed = (await admin('GET', '/promotions')).body.promotions;
  expect(listed).toMatchObject([
    { code: made.body.code, usd: '1.00', state: 'over', redemptions: 2, max: 2 },
  ]);
  expect((await admin('DELETE', `/promotions/${encodeURIComponent(code)}`)).status).toBe(200);
  expect((await admin('DELETE', `/promotions/${encodeURIComponent(code)}`)).status).toBe(404);
  for (let tries = 0; tries < 3; tries += 1) await send(buyers[2], other, `GUESS-${tries}`);
  const slowed = await send(buyers[2]);
  expect([slowed.status, Number(slowed.headers.get('retry-after')) > 500]).toEqual([429, true]);
  expect((await acts(made.body.code)).map(({ act }) => act)).toEqual(['promotion_made', 'promotion_ended']);
  await Books.proves(shop.sql);
});

test('a frozen account may look and do nothing else, in every process at once; its money stays', async () => {
  const buyer = await bought();
  const call = (url: string) => Customer.call(buyer, 'GET', `${url}/v1/search?max=10`);
  expect([(await call(shop.url)).status, (await call(other)).status]).toEqual([200, 200]);
  const frozen = await admin('POST', `/accounts/${buyer.account}/freeze`, { reason: 'abuse' });
  expect(frozen.body).toMatchObject({ account: buyer.account, frozen: true });
  for (const url of [shop.url, other]) {
    const refused = await call(url);
    expect([refused.status, refused.body.code]).toEqual([403, 'account_frozen']);
  }
  expect((await Agent.ask(buyer, { amount_usd: '1.00' })).body.code).toBe('account_frozen');
  expect((await overview(buyer)).balance_usd).toBe('1.98');
  expect((await admin('POST', `/accounts/${buyer.account}/freeze`)).status).toBe(200);
  // A process that starts now has the same state.
  const fresh = await shop.addStorefront();
  expect((await call(fresh)).status).toBe(403);
  expect((await admin('POST', `/accounts/${buyer.account}/unfreeze`, {})).status).toBe(200);
  for (const url of [shop.url, other, fresh]) expect((await call(url)).status).toBe(200);
  expect((await acts(buyer.account)).map(({ act }) => act)).toEqual(['frozen', 'unfrozen']);
  expect((await admin('POST', '/accounts/acc_none/freeze')).status).toBe(404);
});

test('the same is done by command', async () => {
  const buyer = await Agent.registered(shop.url);
  const command = async (...args: string[]) => {
    const script = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));
    const env = {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: shop.databaseUrl,
      CATALOG: fileURLToPath(new URL('../fixtures/periods.yaml', import.meta.url)),
    };
    return promisify(execFile)(process.execPath, [script, ...args], { env }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, out: stderr }),
    );
  };
  const given = await command(
    'grant',
    buyer.account,
    '--usd',
    '3.00',
    '--key',
    'one',
    '--expires',
    '2099-12-31',
  );
  expect(given).toEqual({
    code: 0,
    out: `${buyer.account} has received 3.00 USD in the plan credit.\n`,
  });
  expect((await command('grant', buyer.account, '--usd', '4.00', '--key', 'one')).code).toBe(1);
  expect((await command('grant', buyer.account, '--usd', 'much', '--key', 'two')).code).toBe(2);
  expect((await overview(buyer)).balance_usd).toBe('3.00');
  expect((await command('promotions', 'create', 'by-command', '--units', '10', '--claimed-only')).code).toBe(
    0,
  );
  expect((await command('promotions', 'create', 'by-command', '--units', '10')).code).toBe(1);
  expect((await command('promotions', 'list')).out).toContain(
    'BY-COMMAND  10 units  runs  used 0 times of any number',
  );
  const sent = await Customer.call(buyer, 'POST', `${shop.url}/account/promotions`, { code: 'by-command' });
  expect([sent.status, sent.body.code]).toEqual([403, 'claim_required']);
  expect((await command('promotions', 'end', 'by-command')).code).toBe(0);
  expect((await acts('BY-COMMAND')).map(({ who }) => who)).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/^command of /)),
  );
});
