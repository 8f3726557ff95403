import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';

const firstToken = 'adm_of_the_reload_and_long_enough';
const catalogOf = (
  price: string,
  plans: string,
) => `storefront: { name: Reloaded, contact: sales@example.com }
upstream: { key: { header: x-api-key }, timeout_ms: 10000 }
services:
  - slug: lists
    name: Lists
    price_usd: "${price}"
    operations:
      - { call: POST /v1/list, units: /count, units_max: { pointer: /max, default: 10, ceiling: 50 } }
plans:
${plans}`;
const credit = '  - { id: credit, kind: credit, covers: "*", requests_per_second: 10000 }\n';
const small =
  '  - { id: small, kind: subscription, covers: "*", price_usd: "10.00", every: month, included: 100 }\n';
const retired = (plan: string) => plan.replace('covers', 'retired: true, covers');

let folder: string;
let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let facilitator: Facilitator.FacilitatorDouble;
let network: Network.Network;
let bases: string[];
/** The keys that the upstream accepts, and whether it delays its responses. */
let keys = new Set(['upk_1']);
let held: (() => void)[] | null = null;
let adminToken = firstToken;
let settings: Record<string, string> = {};
let addresses = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-reload-'));
  upstream = await Upstream.scripted(({ socket, head, body }) => {
    const isKnown = keys.has(/\r\nx-api-key: (\S+)/i.exec(head)?.[1] ?? '');
    const answer = isKnown
      ? Upstream.http(200, JSON.stringify({ count: JSON.parse(body).max }))
      : Upstream.http(401, '{}');
    if (held) held.push(() => socket.write(answer));
    else socket.write(answer);
  });
  await sell('0.001', credit + small);
  await set({ UPSTREAM_API_KEY: 'upk_1', STRIPE_WEBHOOK_SECRET: 'whsec_test' });
  await writeFile(join(folder, 'admin-token'), `${adminToken}\n`);
  facilitator = await Facilitator.open();
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    CATALOG: join(folder, 'catalog.yaml'),
    SETTINGS_FILE: join(folder, 'settings.env'),
    ADMIN_TOKEN_FILE: join(folder, 'admin-token'),
    UPSTREAM_API_KEY: '',
    STRIPE_WEBHOOK_SECRET: '',
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: '' }, env });
  bases = [shop.url.replace('localhost', '127.0.0.1'), await shop.addStorefront()];
  network = Network.of(shop.sandboxUrl);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
  await facilitator?.close();
  await rm(folder, { recursive: true, force: true });
});

const sell = (price: string, plans: string) =>
  writeFile(join(folder, 'catalog.yaml'), catalogOf(price, plans));

/** Adds settings to the current ones; '' removes one. */
async function set(more: Record<string, string>): Promise<void> {
  settings = { ...settings, ...more };
  const lines = Object.entries(settings).filter(([, value]) => value !== '');
  await writeFile(
    join(folder, 'settings.env'),
    lines.map(([name, value]) => `${name}="${value}"\n`).join(''),
  );
}

function admin(method: string, path: string, body?: unknown, token = adminToken): Promise<Customer.Answer> {
  addresses += 1;
  const from = { 'x-forwarded-for': `198.51.100.${addresses % 250}` };
  return Customer.call({ token }, method, `${shop.url}/admin${path}`, body, from);
}

async function reload(body: unknown = {}): Promise<Customer.Answer> {
  const answer = await admin('POST', '/reload', body);
  if (answer.status === 200) await everywhere(answer.body.digest);
  return answer;
}

/** Waits until every process uses the catalogue. */
async function everywhere(digest: string): Promise<void> {
  for (const base of bases)
    await expect
      .poll(async () => (await Customer.send({ method: 'GET', url: `${base}/readyz` })).body.catalog)
      .toBe(digest);
}

/** Waits until the process has logged the event once more than before. */
async function said(process: number, event: string, work: () => unknown): Promise<Record<string, unknown>> {
  const lines = () =>
    (shop.storefronts[process]?.output() ?? '')
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`));
  const before = lines().length;
  await work();
  await expect.poll(() => lines().length).toBeGreaterThan(before);
  return JSON.parse(lines().at(-1) ?? '{}');
}

async function customer(microUsd = 5_000_000): Promise<Customer.Customer> {
  const fresh = await Customer.register(shop.url);
  await Customer.credit(shop.sql, fresh, microUsd);
  return fresh;
}

const list = (who: Customer.Customer, base = shop.url, max = 3) =>
  Customer.call(who, 'POST', `${base}/v1/list`, { max });
const cost = (answer: Customer.Answer) => Number(answer.headers.get('storefront-cost-usd'));

/** Calls every process continuously until `work` is done. Returns all responses. */
async function meanwhile(work: () => Promise<void>): Promise<Customer.Answer[]> {
  const who = await customer(50_000_000);
  const answers: Customer.Answer[] = [];
  let isOver = false;
  const callers = bases.map(async (base) => {
    while (!isOver) answers.push(await list(who, base));
  });
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(callers);
  return answers;
}

async function command(...args: string[]): Promise<{ code: number; text: string }> {
  const script = fileURLToPath(new URL('../../src/cli/sluice.ts', import.meta.url));
  const env = {
    PATH: process.env.PATH ?? '',
    CATALOG: join(folder, 'catalog.yaml'),
    DATABASE_URL: shop.databaseUrl,
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
    return { code: 0, text: stdout };
  } catch (fault) {
    const { code, stdout, stderr } = fault as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

describe('another catalogue', () => {
  test('is shown with what it changes for whom, and what was shown is what is taken, by every process', async () => {
    const who = await customer();
    await sell('0.002', credit + small);
    expect((await admin('GET', '/catalogue', undefined, 'x')).status).toBe(401);
    const shown = (await admin('GET', '/catalogue')).body;
    expect(shown).toMatchObject({ severity: 'raises_price', refusals: [], settings: [] });
    expect(shown.changes).toMatchObject([
      { subject: 'service', id: 'lists', fields: [{ name: 'price_usd', from: '0.001', to: '0.002' }] },
    ]);
    expect(shown.changes[0].says[0]).toMatch(
      /^credit: \d+\.\d+ USD unused in \d+ accounts?: credit pays 0\.002 USD/,
    );
    expect(cost(await list(who))).toBe(0.003);
    const told = await command('catalog', 'diff');
    expect([told.code, told.text]).toEqual([1, expect.stringContaining('price_usd: 0.001 -> 0.002')]);

    await sell('0.005', credit + small);
    const changed = await reload({ digest: shown.digest });
    expect(changed).toMatchObject({ status: 409, body: { code: 'catalog_changed' } });
    expect(cost(await list(who))).toBe(0.003);

    await sell('0.002', credit + small);
    const taken = await reload({ digest: shown.digest });
    expect(taken).toMatchObject({ status: 200, body: { changed: true, digest: shown.digest } });
    for (const base of bases) expect(cost(await list(who, base))).toBe(0.006);
    const manifest = await Customer.send({ method: 'GET', url: `${shop.url}/manifest.json` });
    expect(manifest.body.prices[0].priceUsd).toBe('0.002');
    expect((await command('catalog', 'diff', '--json')).code).toBe(0);
    expect((await reload()).body).toMatchObject({ changed: false });
    const rows = await shop.sql`SELECT who, after FROM shop.audit WHERE act = 'reload' ORDER BY id`;
    expect(rows.map(({ who }) => who)).toEqual([
      expect.stringMatching(/^admin at 198\.51\.100\./),
      expect.stringMatching(/^requested by /),
    ]);
    expect(rows.map(({ after }) => after.catalog)).toEqual([shown.digest, shown.digest]);
    const metrics = await Customer.call({ token: adminToken }, 'GET', `${bases[1]}/metrics`);
    expect(metrics.text).toContain(`sluice_catalog_info{digest="${shown.digest}"} 1`);
  });

  test('is shown in the console, whose button takes what is shown', async () => {
    let cookie = '';
    const page = async (path: string, form?: Record<string, string>) => {
      addresses += 1;
      const answer = await fetch(`${shop.url}/admin/console/${path}`, {
        method: form ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          cookie,
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': `198.51.100.${addresses % 250}`,
        },
        ...(form && { body: new URLSearchParams(form) }),
      });
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return { status: answer.status, html: await answer.text() };
    };
    expect((await page('catalogue')).status).toBe(401);
    await page('sign-in', { token: adminToken });
    await sell('0.003', credit + small);
    const shown = await page('catalogue');
    expect(shown.html).toContain('Price: 0.002 → 0.003 USD (+50%)');
    const digest = /name="digest" value="([0-9a-f]{64})"/.exec(shown.html)?.[1] ?? '';
    await sell('0.009', credit + small);
    expect((await page('catalogue', { digest })).status).toBe(409);
    await sell('0.003', credit + small);
    expect(await page('catalogue', { digest })).toMatchObject({
      status: 200,
      html: expect.stringContaining('Published.'),
    });
    await everywhere(digest);
    await sell('0.002', credit + small);
    await reload();
  });

  test('makes no call fail, and no call cost another price than the one that it began at', async () => {
    await sell('0.001', credit + small);
    await reload();
    const who = await customer();
    held = [];
    const began = list(who);
    await expect.poll(() => held).toHaveLength(1);
    await sell('0.004', credit + small);
    await reload();
    const [answer] = held;
    held = null;
    answer?.();
    expect(cost(await began)).toBe(0.003);
    expect(cost(await list(who))).toBe(0.012);

    const prices = ['0.001', '0.002'];
    const answers = await meanwhile(async () => {
      for (const price of prices) {
        await sell(price, credit + small);
        await reload();
      }
    });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const costs = new Set(answers.map(cost));
    expect([...costs].every((it) => [0.003, 0.006, 0.012].includes(it))).toBe(true);
    expect(costs.size).toBeGreaterThan(1);
  });

  test('with faults changes nothing, and says them all', async () => {
    const who = await customer();
    const before = cost(await list(who));
    await writeFile(
      join(folder, 'catalog.yaml'),
      catalogOf('cheap', credit).replace('name: Lists', 'nmae: x'),
    );
    const { status, body } = await reload();
    expect([status, body.code]).toEqual([422, 'reload_faulty']);
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining('name is missing'),
      expect.stringContaining('nmae is not an allowed key'),
      expect.stringContaining('price_usd is "cheap"'),
    ]);
    const line = await said(1, 'reload_faulty', () => shop.storefronts[1]?.child.kill('SIGHUP'));
    expect(line).toMatchObject({ who: 'SIGHUP', level: 50 });
    expect((await admin('GET', '/catalogue')).body.faults).toHaveLength(3);
    for (const base of bases) expect(cost(await list(who, base))).toBe(before);
    await sell('0.002', credit + small);
  });

  test('is taken by the one process that SIGHUP is sent to', async () => {
    const who = await customer();
    await sell('0.003', credit + small);
    await said(1, 'reloaded', () => shop.storefronts[1]?.child.kill('SIGHUP'));
    expect([cost(await list(who, bases[0])), cost(await list(who, bases[1]))]).toEqual([0.006, 0.009]);
    await reload();
    expect(cost(await list(who, bases[0]))).toBe(0.009);
  });

  test('leaves what was bought of use, and what was offered at its price', async () => {
    const who = await customer();
    const buyer = await Agent.registered(shop.url);
    const [paidFor, unpaid] = [await Agent.offer(buyer, {}, 'small'), await Agent.offer(buyer, {}, 'small')];
    const token = await network.mint();
    const paid = await Agent.pay(buyer, paidFor, token, 'small');
    expect(paid.status, paid.text).toBe(200);
    await sell('0.003', credit);
    const refused = await reload();
    expect(refused).toMatchObject({ status: 409, body: { code: 'reload_refused' } });
    expect(refused.body.refusals[0]).toMatch(
      /^Plan small cannot be left out \(small: 1 subscriber, 100 units unused in 1 account, 1 unpaid order/,
    );
    expect((await command('catalog', 'diff')).code).toBe(1);

    // The plan has become more expensive, and others can no longer buy it: an earlier offer can still be paid at its price, and is shown again.
    const dearer = small.replace('10.00', '15.00');
    await sell('0.003', credit + dearer);
    await reload();
    const again = await Agent.pay(buyer, paidFor, token, 'small');
    expect([again.status, again.body.purchase]).toEqual([200, paid.body.purchase]);
    await sell('0.003', retired(credit) + retired(dearer));
    expect(await reload()).toMatchObject({ status: 200, body: { severity: 'takes_away', refusals: [] } });
    expect((await Agent.ask(buyer, {}, 'small')).status).toBe(404);
    expect((await Agent.ask(buyer, { amount_usd: '1.00' })).status).toBe(404);
    const late = await Agent.pay(buyer, unpaid, await network.mint(), 'small');
    expect([late.status, late.body.purchase?.amount_usd], late.text).toEqual([200, '10.00']);
    const told = await Agent.pay(buyer, paidFor, token, 'small');
    expect([told.status, told.body.purchase]).toEqual([200, paid.body.purchase]);
    expect(cost(await list(who))).toBe(0.009);
    expect((await list(buyer as unknown as Customer.Customer)).headers.get('storefront-units')).toBe('3');
    const overview = (await Customer.call(who, 'GET', `${shop.url}/account`)).body;
    expect(overview.plans).toMatchObject([{ id: 'credit', kind: 'credit' }]);
    await sell('0.001', credit + small);
    expect((await reload()).status).toBe(200);
  });
});

test('a payment by coin that comes again after its price has changed is answered as it was, and settled once', async () => {
  await sell('0.001', credit + small);
  await reload();
  const buy = (headers: Record<string, string>) =>
    Customer.send({
      method: 'POST',
      url: `${shop.url}/plans/small/purchase`,
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  const { headers } = await buy({});
  const offer = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
  expect(offer.accepts[0].amount).toBe('10000000');
  const payment = await Payer.pay2(Payer.payer(), offer.accepts[0], { nowMs: Date.now() }, offer.resource);
  const proof = { 'payment-signature': Payer.base64(payment) };
  const paid = await buy(proof);
  expect(paid.status).toBe(200);
  await sell('0.001', credit + small.replace('10.00', '15.00'));
  await reload();
  const again = await buy(proof);
  expect([again.status, again.body.purchase]).toEqual([200, paid.body.purchase]);
  expect(facilitator.settled.map(({ value }) => value)).toEqual([10_000_000n]);
  await sell('0.001', credit + small);
  await reload();
});

describe('other settings', () => {
  test('that cannot change while the process runs are refused by name', async () => {
    await set({ INSTANCE_ID: 'elsewhere', UPSTREAM_API_KEY: 'upk_other' });
    const refused = await reload();
    expect(refused.body).toMatchObject({
      code: 'reload_refused',
      refusals: ['INSTANCE_ID has changed, which requires a restart'],
    });
    await set({ INSTANCE_ID: '', UPSTREM_API_KEY: 'typo', UPSTREAM_API_KEY: 'upk_1' });
    expect((await reload()).body.errors).toEqual([
      { field: 'body', message: expect.stringContaining('Did you mean "UPSTREAM_API_KEY"?') },
    ]);
    await set({ UPSTREM_API_KEY: '' });
  });

  test('rotate the key of the upstream with no call lost', async () => {
    const answers = await meanwhile(async () => {
      keys = new Set(['upk_1', 'upk_2']);
      await set({ UPSTREAM_API_KEY: 'upk_2' });
      expect((await reload()).body).toMatchObject({ settings: ['UPSTREAM_API_KEY'], changes: [] });
      await said(1, 'reload_unchanged', reload);
      // Calls that were under way have ended with the key that they started with.
      await list(await customer());
      keys = new Set(['upk_2']);
      await list(await customer());
    });
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(upstream.received.at(-1)?.head).toMatch(/x-api-key: upk_2/i);
  });

  test('rotate the secret of notices, with both believed for a while', async () => {
    const notice = async (secret: string) => {
      const body = JSON.stringify({
        id: `evt_${secret}`,
        object: 'event',
        type: 'none',
        data: { object: {} },
      });
      const at = Math.floor(Date.now() / 1000);
      const proof = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${proof}` };
      return (await Customer.send({ method: 'POST', url: `${shop.url}/webhooks/stripe`, headers, body }))
        .status;
    };
    expect([await notice('whsec_test'), await notice('whsec_next')]).toEqual([200, 400]);
    await set({ STRIPE_WEBHOOK_SECRET: 'whsec_test,whsec_next' });
    await reload();
    expect([await notice('whsec_test'), await notice('whsec_next')]).toEqual([200, 200]);
    await set({ STRIPE_WEBHOOK_SECRET: 'whsec_next' });
    await reload();
    expect([await notice('whsec_test'), await notice('whsec_next')]).toEqual([400, 200]);
    await set({ STRIPE_WEBHOOK_SECRET: 'whsec_test' });
    await reload();
  });

  test('put another admin token in place of the one before', async () => {
    const [old, next] = [adminToken, 'adm_of_the_reload_and_another_one'];
    await writeFile(join(folder, 'admin-token'), next);
    expect((await reload()).body).toMatchObject({ settings: ['ADMIN_TOKEN'] });
    expect((await admin('GET', '/purchases', undefined, old)).status).toBe(401);
    expect((await admin('GET', '/purchases', undefined, next)).status).toBe(200);
    adminToken = next;
  });
});

describe('what the shop signs with is rotated', () => {
  const kids = async (base: string) =>
    (await Customer.send({ method: 'GET', url: `${base}/.well-known/jwks.json` })).body.keys.map(
      ({ kid }: { kid: string }) => kid,
    );
  const kidOf = ({ token }: { token: string }) => decodeProtectedHeader(token).kid;
  const older = (kid: string | undefined, interval: string) =>
    shop.sql`UPDATE shop.signing_key SET created_at = created_at - ${interval}::interval WHERE kid = ${kid ?? ''}`;
  const tell = () => shop.sql`SELECT pg_notify('seller', 'secrets')`;

  test('a key is published before it signs, verifies what it signed, and goes when nothing of it lives', async () => {
    const before = await Customer.register(shop.url);
    const first = kidOf(before);
    await older(first, '1 day');
    const answers = await meanwhile(async () => {
      const { code, text } = await command('secrets', 'rotate', 'signing-key');
      expect(code, text).toBe(0);
      for (const base of bases) await expect.poll(() => kids(base)).toHaveLength(2);
      expect(kidOf(await Customer.register(shop.url))).toBe(first);
      expect((await command('secrets', 'rotate', 'signing-key')).code).toBe(1);
    });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const second = (await kids(shop.url)).find((kid: string) => kid !== first);

    await older(second, '10 minutes');
    await tell();
    await expect.poll(async () => kidOf(await Customer.register(shop.url))).toBe(second);
    const look = (who: Customer.Customer, base: string) => Customer.call(who, 'GET', `${base}/account`);
    for (const base of bases) expect((await look(before, base)).status).toBe(200);

    await older(first, '100 days');
    await older(second, '91 days');
    await tell();
    await tell();
    for (const base of bases) await expect.poll(() => kids(base)).toEqual([second]);
    for (const base of bases) expect((await look(before, base)).status).toBe(401);
  });

  test('challenges that were issued before can be paid after, for as long as they live', async () => {
    const [agent, other] = [await Agent.registered(shop.url), await Agent.registered(shop.url)];
    const [first, second] = [await Agent.offer(agent), await Agent.offer(other)];
    const passes = () =>
      shop.sql`UPDATE shop.secret SET created_at = created_at - interval '11 minutes' WHERE name LIKE 'payment-challenge%'`;
    await passes();
    expect((await command('secrets', 'rotate', 'payment-challenge')).code).toBe(0);
    expect((await command('secrets', 'rotate', 'payment-challenge')).code).toBe(1);
    await passes();
    await tell();
    const next = await Agent.offer(await Agent.registered(shop.url));
    expect((await Agent.pay(agent, first, await network.mint())).status).toBe(200);
    expect((await command('secrets', 'rotate', 'payment-challenge')).code).toBe(0);
    const refused = async () => {
      const { status, body } = await Agent.pay(other, second, await network.mint());
      return [status, body.code];
    };
    await expect.poll(refused).toEqual([402, 'payment_required']);
    expect(next.challenge.id).not.toBe(first.challenge.id);
  });
});

test('other contents of the file of texts take effect, and a faulty file changes nothing', async () => {
  const texts = join(folder, 'texts.yaml');
  const messageOf = async () => {
    const response = await fetch(`${bases[0]}/v1/list`, { method: 'POST' });
    return ((await response.json()) as { message: string }).message;
  };
  await writeFile(texts, 'api.bearer_required: First text.\n');
  await set({ TEXTS: texts });
  expect((await reload()).status).toBe(200);
  expect(await messageOf()).toBe('First text.');
  await writeFile(texts, 'api.bearer_required: Second text.\n');
  expect((await reload()).status).toBe(200);
  expect(await messageOf()).toBe('Second text.');
  await writeFile(texts, 'api.bearer: Third text.\n');
  expect((await reload()).status).not.toBe(200);
  expect(await messageOf()).toBe('Second text.');
  await set({ TEXTS: '' });
  expect((await reload()).status).toBe(200);
  expect(await messageOf()).toMatch(/^Send an access token/);
});

test('a process that ends lets the generation that answers finish', async () => {
  const [first] = shop.storefronts;
  const who = await customer();
  held = [];
  const began = list(who, bases[0]);
  await expect.poll(() => held).toHaveLength(1);
  await sell('0.002', credit + small);
  await reload();
  first?.child.kill('SIGTERM');
  const [answer] = held;
  held = null;
  answer?.();
  expect(cost(await began)).toBe(0.003);
  if (first && first.child.exitCode === null) await once(first.child, 'exit');
  expect(first?.child.exitCode).toBe(0);
  expect(await readFile(join(folder, 'catalog.yaml'), 'utf8')).toContain('0.002');
});
