import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { closeBooks } from '../../src/adapters/postgres/usage.ts';
import { openBackOffice } from '../../src/cli/back-office.ts';
import { eventDocument } from '../../src/discovery/event-reference.ts';
import * as SellerSession from '../../src/identity/seller-session.ts';
import * as ResolveInDoubt from '../../src/journeys/resolve-in-doubt.ts';
import { openReceiver } from '../events/receiver.ts';
import { keys } from '../events/secrets.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import * as Books from '../purchase/books.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import { unguarded } from '../support/unguarded.ts';

const token = 'adm_of_the_console_and_long_enough';
const rooms = [
  '',
  '/console/accounts',
  '/console/payments',
  '/console/catalogue',
  '/console/health',
  '/console/audit',
];

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    if (head.includes('gone=1')) socket.destroy();
    else socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token, ENCRYPTION_KEYS: keys };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env });
  network = Network.of(shop.sandboxUrl);
});
afterEach(() => Books.proves(shop.sql));
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Seen = { status: number; headers: Headers; html: string };
let addresses = 0;

/** The seller's browser: it keeps a cookie, runs no script, and says where a form is from. */
class Seller {
  cookie = '';
  site = 'same-origin';
  url = shop.url;
  /** One of its own for each request, as so many a second from one are let through. */
  address: string | null = null;

  async open(path: string, form?: Record<string, string>, flash = ''): Promise<Seen> {
    addresses += 1;
    const cookie = [this.cookie, flash].filter(Boolean).join('; ');
    const answer = await fetch(`${this.url}/admin${path}`, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'x-forwarded-for': this.address ?? `198.51.100.${addresses % 250}`,
        ...(cookie && { cookie }),
        ...(form && { 'sec-fetch-site': this.site }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const kept = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    const session = kept.find((pair) => !/^(?:__Host-)?sluice_flash=/.test(pair));
    if (session) this.cookie = session;
    const outcome = kept.find((pair) => /sluice_flash=./.test(pair));
    const next = answer.headers.get('location');
    // A form that succeeded, or a wrong token: the next page shows the outcome once.
    if (outcome && next) return this.open(next.replace(/^\/admin|#.*$/g, ''), undefined, outcome);
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  }

  /** The value of a hidden field of a page. */
  async hidden(path: string, name: string): Promise<string> {
    const { html } = await this.open(path);
    return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  }
}

async function signedIn(url = shop.url): Promise<Seller> {
  const seller = new Seller();
  seller.url = url;
  const { status, headers } = await seller.open('/console/sign-in', { token, to: '/admin' });
  expect([status, headers.get('location')]).toEqual([303, '/admin']);
  return seller;
}

/** A table of a page, its rows by their first cell. */
function rows(html: string, label: string): Map<string, string[]> {
  const table = new RegExp(`aria-label="${label}"><table[^>]*>(.*?)</table>`, 's').exec(html)?.[1] ?? '';
  const read = (row: string) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      cell.replace(/<[^>]+>/g, '').trim(),
    );
  return new Map(
    [...(table.split('<tbody>')[1] ?? '').matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => {
      const [first = '', ...rest] = read(row);
      return [first, rest];
    }),
  );
}

/** The accounts of a list, in its order. */
const accountsOf = (html: string) =>
  [...html.matchAll(/scope="row"><a href="\/admin\/console\/accounts\/(\w+)"/g)].map(
    ([, found = '']) => found,
  );

/** The sums of the front page, by name, in micro-dollars. */
function sums(html: string): Record<string, number> {
  const list = /<dl class="facts" id="sums">(.*?)<\/dl>/s.exec(html)?.[1] ?? '';
  return Object.fromEntries(
    [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name = '', value = '']) => [
      name,
      usd(value),
    ]),
  );
}

const usd = (text = '0') => Number(text.replace('-', '').replace(' USD', '').replaceAll(',', '')) * 1_000_000;

/** Someone who has a plan, paid on the hosted page, and the address that was entered there. */
async function subscribed() {
  const agent = await Agent.registered(shop.url);
  await Customer.pay((await Agent.offer(agent, {}, 'small')).checkoutUrl);
  const [row] = await shop.sql<
    { id: string; payer_email: string }[]
  >`SELECT id, payer_email FROM shop.subscription WHERE account_id = ${agent.account}`;
  return { ...agent, subscription: row?.id ?? '', email: row?.payer_email ?? '' };
}

async function renewing(subscription: string): Promise<boolean> {
  const [row] = await shop.sql<
    { renews: boolean }[]
  >`SELECT NOT cancel_at_period_end AND ended_at IS NULL AS renews FROM shop.subscription WHERE id = ${subscription}`;
  return row?.renews === true;
}

/** Someone who has bought credit by a program, and the purchase. */
async function bought(amount_usd: string) {
  const agent = await Agent.registered(shop.url);
  const offer = await Agent.offer(agent, { amount_usd });
  const paid = await Agent.pay(agent, offer, await network.mint());
  expect(paid.status, paid.text).toBe(200);
  return { ...agent, order: offer.order };
}

const acts = async (subject: string) => [
  ...(await shop.sql<
    { act: string; who: string }[]
  >`SELECT act, who FROM shop.audit WHERE subject = ${subject} ORDER BY id`),
];

describe('who comes in', () => {
  test('nobody without the token, and each page is the door', async () => {
    const stranger = new Seller();
    for (const room of [...rooms, '/console/accounts/acc_1', '/console/payments/pur_1']) {
      const { status, html } = await stranger.open(room);
      expect([room, status]).toEqual([room, 401]);
      expect(html).toContain('Admin token');
      expect(html).not.toContain('Sign out');
    }
    const deep = await stranger.open('/console/payments?state=refunded&text=a%22b');
    const to = '/admin/console/payments?state=refunded&text=a%22b';
    expect(deep.html).toContain(`name="to" value="${to.replace('&', '&amp;')}"`);
    const wrong = await stranger.open('/console/sign-in', { token: `${token}x`, to: '/admin' });
    expect([wrong.status, stranger.cookie.includes('sluice_seller')]).toEqual([401, false]);
    expect(wrong.html).toMatch(/id="token"[^>]* aria-invalid="true"/);
  });

  test('an address that guesses is slowed down, at both doors together', async () => {
    const guesser = new Seller();
    guesser.address = '192.0.2.9';
    const bearer = () =>
      Customer.call({ token: 'wrong' }, 'GET', `${shop.url}/admin/purchases`, undefined, {
        'x-forwarded-for': '192.0.2.9',
      });
    const tries = await Promise.all([
      ...Array.from({ length: 8 }, () => guesser.open('/console/sign-in', { token: 'a guess', to: '' })),
      ...Array.from({ length: 8 }, bearer),
    ]);
    const counted = (wanted: number) => tries.filter(({ status }) => status === wanted).length;
    expect(counted(401) + counted(429)).toBe(16);
    expect(counted(429)).toBeGreaterThan(0);
    const pages = await Promise.all(
      Array.from({ length: 30 }, () => guesser.open('/console/payments?state=refunded')),
    );
    const slowed = pages.find(({ status }) => status === 429);
    expect(slowed?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(slowed?.html).toMatch(/<small>Console<[\s\S]*Too many requests/);
    expect(slowed?.html).toContain('href="/admin/console/payments?state=refunded">Try again</a>');
    expect(slowed?.html).not.toMatch(/href="\/docs|mailto:|Go to the shop/);
  });

  test('what the browser keeps is no token, opens the pages alone, and holds in every process', async () => {
    const seller = new Seller();
    const { headers } = await seller.open('/console/sign-in', { token, to: '/admin/console/health' });
    expect(headers.get('location')).toBe('/admin/console/health');
    const kept = headers.get('set-cookie') ?? '';
    expect(kept).toMatch(/; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
    expect(kept).not.toContain(token);
    for (const room of rooms) expect((await seller.open(room)).status).toBe(200);
    expect((await seller.open('/purchases')).status).toBe(401);
    const [closed, tomorrow, secure] = await Promise.all([
      shop.addStorefront({ ADMIN_TOKEN: '' }),
      shop.addStorefront({ ADMIN_TOKEN: `${token}_of_tomorrow` }),
      shop.addStorefront({ PUBLIC_URL: 'https://shop.example.com' }),
    ]);
    const plain = seller.cookie;
    // Under an https public URL only a cookie of this very host counts; the proof in it holds in every process.
    for (const [url, cookie, status] of [
      [secure, plain, 401],
      [secure, `__Host-${plain}`, 200],
      [tomorrow, plain, 401],
      [closed, plain, 404],
    ] as const) {
      seller.url = url;
      seller.cookie = cookie;
      expect([url, (await seller.open('')).status]).toEqual([url, status]);
    }
    seller.url = secure;
    const given = await seller.open('/console/sign-in', { token, to: 'https://evil.example' });
    expect(given.headers.get('set-cookie')).toMatch(/^__Host-.*; Secure$/);
    expect(given.headers.get('location')).toBe('/admin');
    // A shop under a public URL delivers no events to this machine, as the test of endpoints wants.
    await Promise.all(shop.storefronts.splice(1).map((storefront) => storefront.stop()));
  });

  test('a proof that is forged, changed or too old is none', async () => {
    const seller = await signedIn();
    const [{ value: secret }] = await shop.sql<
      [{ value: string }]
    >`SELECT value FROM shop.secret WHERE name = 'console'`;
    const digest = sha256Hex(token);
    const [expires = '', mac = ''] = seller.cookie.split('=')[1]?.split('.') ?? [];
    const now = Date.now();
    const issued = (ms: number, key = secret, of = digest) => SellerSession.issue(key, of, ms);
    for (const [proof, status] of [
      [issued(now), 200],
      [issued(now - (SellerSession.lifeSeconds - 60) * 1_000), 200],
      [issued(now - SellerSession.lifeSeconds * 1_000), 401],
      [issued(now, 'another secret'), 401],
      [issued(now, secret, sha256Hex('another token')), 401],
      [`${Number(expires) + 60}.${mac}`, 401],
      [`${expires}.${mac.replace(/^./, (c) => (c === '0' ? '1' : '0'))}`, 401],
      [expires, 401],
      ['', 401],
    ] as const) {
      seller.cookie = `sluice_seller=${proof}`;
      expect([proof, (await seller.open('/console/audit')).status]).toEqual([proof, status]);
    }
    const leaving = await signedIn();
    await leaving.open('/console/sign-out', {});
    expect((await leaving.open('')).status).toBe(401);
  });

  test('a form from another site does nothing', async () => {
    const seller = await signedIn();
    const buyer = await Agent.registered(shop.url);
    const form = { act: 'freeze', reason: 'none of mine' };
    for (const site of ['cross-site', 'same-site', 'none']) {
      seller.site = site;
      expect((await seller.open(`/console/accounts/${buyer.account}`, form)).status).toBe(403);
      expect((await seller.open('/console/sign-in', { token, to: '/admin' })).status).toBe(403);
      const refused = await seller.open('/console/sign-out', {});
      expect([refused.status, refused.html.includes('<small>Console<')]).toEqual([403, true]);
    }
    expect(await acts(buyer.account)).toEqual([]);
  });
});

describe('the front page', () => {
  test('its figures are those of the books and of the processor', async () => {
    const seller = await signedIn();
    const empty = sums((await seller.open('')).html);
    const buyers = [await bought('4.00'), await bought('2.00'), await bought('1.00')] as const;
    const person = await Agent.registered(shop.url);
    const offer = await Agent.offer(person, {}, 'small');
    await Customer.pay(offer.checkoutUrl);
    const call = (buyer: { token: string }, count: number) =>
      Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=${count}`);
    for (const [buyer, count] of [
      [buyers[0], 50],
      [buyers[1], 20],
      [person, 30],
      [person, 7],
    ] as const)
      expect((await call(buyer, count)).status).toBe(200);
    expect((await call(buyers[2], 0)).headers.get('storefront-cost-usd')).toBe('0.000000');
    // One refund of a part, one dispute that is lost, one that is open.
    await Customer.call({ token }, 'POST', `${shop.url}/admin/refunds`, {
      purchase: buyers[0].order,
      amount_usd: '0.50',
    });
    const [second, third] = await Promise.all(buyers.slice(1).map(({ order }) => network.paymentsOf(order)));
    const dispute = async (payment: string | undefined) =>
      (await network.control('/disputes', { payment_intent: payment })) as { id: string };
    const lost = await dispute(second?.[0]?.id);
    await network.stripe.disputes.close(lost.id);
    await dispute(third?.[0]?.id);
    await expect
      .poll(() =>
        shop.sql`SELECT kind, status FROM shop.reversal ORDER BY kind, status`.then((all) => [...all]),
      )
      .toEqual([
        { kind: 'dispute', status: 'lost' },
        { kind: 'dispute', status: 'needs_response' },
        { kind: 'refund', status: 'succeeded' },
      ]);

    const { html } = await seller.open('');
    const found = sums(html);
    const taken = (
      await network.stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 })
    )
      .filter(({ status }) => status === 'succeeded')
      .reduce((sum, { amount_received }) => sum + amount_received, 0);
    const [paid] = await shop.sql<[{ paid: number; processor: number }]>`SELECT
      (SELECT sum(amount)::bigint FROM shop.purchase WHERE state = 'granted') AS paid,
      (SELECT sum(paid_in)::bigint FROM ledger.totals() WHERE asset = 'usd') AS processor`;
    expect(found).toMatchObject({
      Gross: paid.paid,
      Refunds: 500_000,
      'Disputes lost': 2_000_000,
      Net: paid.paid - 2_500_000,
      'In open disputes': 1_000_000,
    });
    expect(found.Gross).toBe(Money.ofCents(taken));
    expect((found.Gross ?? 0) - (empty.Gross ?? 0)).toBe(17_000_000);
    // The period was paid in money and is on the books in units.
    expect(found.Gross).toBe(paid.processor + 10_000_000);

    // A day that is 20 days ago counts for 30 and 90 days, and not for 7.
    await shop.sql`UPDATE shop.purchase SET granted_at = granted_at - interval '20 days' WHERE id = ${buyers[0].order}`;
    const grossOf = async (days: string) => sums((await seller.open(`?days=${days}`)).html).Gross;
    expect(await Promise.all(['7', '30', '90', '8'].map(grossOf))).toEqual([
      paid.paid - 4_000_000,
      ...[paid.paid, paid.paid, paid.paid],
    ]);
    await shop.sql`UPDATE shop.purchase SET granted_at = granted_at + interval '20 days' WHERE id = ${buyers[0].order}`;

    const byRail = rows(html, 'Gross revenue by method');
    expect(usd(byRail.get('Card (agent)')?.[1])).toBe(paid.processor);
    expect(byRail.get('Card')).toEqual(['1', '10.00 USD']);
    const total = async () =>
      Object.fromEntries(
        (
          await shop.sql<
            { asset: string; balance: number; spent: number; lost: number }[]
          >`SELECT * FROM ledger.totals()`
        ).map(({ asset, ...row }) => [asset, row]),
      );
    const { usd: money, unit } = await total();
    const use = rows(html, 'Usage by service').get('Lists');
    expect(use).toEqual(['5', '107', '37', '0.07 USD']);
    expect([usd(use?.[3]), Number(use?.[2])]).toEqual([money?.spent, unit?.spent]);
    const unspent = rows(html, 'Outstanding balance').get('Paid for') ?? [];
    const [left] = await shop.sql<
      [{ usd: number; units: number }]
    >`SELECT sum(remaining) FILTER (WHERE s.asset = 'usd')::bigint AS usd,
      sum(remaining) FILTER (WHERE s.asset = 'unit')::bigint AS units FROM shop.account a, ledger.statement(a.id) s`;
    expect([usd(unspent[0]), Number(unspent[1])]).toEqual([left.usd, left.units]);
    expect(left.units).toBe(unit?.balance);
    expect(html).toMatch(/<dt>Active<\/dt><dd>4<\/dd>/);
    expect(html).toMatch(
      /<b class="count">1<\/b> <a href="[^"]+view=returned">Open disputes[^<]*<\/a> <span class="sum">1.00 USD</,
    );
    // The seller sees until when to respond, as the processor says, and what is at stake.
    const { due_by } = (await network.stripe.disputes.list({ limit: 10 })).data.find(
      ({ status }) => status === 'needs_response',
    )?.evidence_details ?? { due_by: null };
    const due = new Date((due_by ?? 0) * 1_000);
    const dueDay = `${due.getUTCDate()} ${due.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${due.getUTCFullYear()}`;
    expect(html).toContain(`Due ${dueDay}`);
    const disputed = (await seller.open(`/console/payments/${buyers[2]?.order}`)).html;
    expect(disputed).toContain(`Respond to the dispute by ${dueDay}</h2>`);
    expect(disputed).toMatch(/<dt>At stake<\/dt><dd>1\.00 USD</);

    // Three hours later the same is summed up by the hour, and the page says the same of it.
    await unguarded(
      shop.sql,
      (
        sql,
      ) => sql`UPDATE ledger.usage SET call_id = (lpad(to_hex(('x' || left(replace(call_id::text, '-', ''), 12))::bit(48)::bigint - 10800000), 12, '0')
      || substr(replace(call_id::text, '-', ''), 13))::uuid`,
    );
    const books = openConnection(shop.databaseUrl, 1);
    await closeBooks(books);
    await books.end();
    const [again] =
      await shop.sql`SELECT ledger.sum_usage() AS more, (SELECT sum(units)::int FROM ledger.usage_hour) AS units`;
    expect([again?.more, again?.units]).toEqual([false, 107]);
    const later = (await seller.open('')).html;
    expect(rows(later, 'Usage by service').get('Lists')).toEqual(use);
    expect(later).toMatch(/<dt>Active<\/dt><dd>4<\/dd>/);
  });

  test('what wants attention is told with its reason, until it is done', async () => {
    const seller = await signedIn();
    const agent = await Agent.registered(shop.url);
    const offer = await Agent.offer(agent, { amount_usd: '3.00' });
    expect((await Agent.pay(agent, offer, await network.mint('pm_card_chargeDeclined'))).status).toBe(402);
    const paid = await bought('1.00');
    const stuck = await Agent.offer(agent, { amount_usd: '3.00' });
    await shop.sql`UPDATE shop.purchase SET state = 'claimed', claimed_at = now(), claimed_by = 'nobody' WHERE id = ${stuck.order}`;
    expect((await seller.open('')).html).toMatch(
      /<b class="count">1<\/b> <a href="[^"]+view=unfinished">Unfinished charges/,
    );
    expect((await seller.open('/console/payments?view=unfinished')).html).toMatch(
      /id="unfinished".*Waiting for the next check/s,
    );
    // The processor refuses to list what was paid before there were computers.
    await shop.sql`UPDATE shop.purchase SET created_at = '1960-01-01Z' WHERE id = ${stuck.order}`;
    const office = await openBackOffice({
      DATABASE_URL: shop.databaseUrl,
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_API_BASE: shop.sandboxUrl,
    });
    await ResolveInDoubt.resolveAll({ ...office.paymentContext, report: () => {} });
    await office.close();
    expect((await seller.open('')).html).toContain(
      'Purchases that differ from the records of the card processor',
    );
    expect((await seller.open('/console/payments?view=unfinished')).html).toMatch(
      /id="unfinished".*class="words">(?!Waiting|Being)/s,
    );
    await shop.sql`DELETE FROM shop.purchase WHERE id = ${stuck.order}`;
    const [payment] = await network.paymentsOf(paid.order);
    await network.fault('GET /v1/payment_intents/:id', '500_before', 50);
    await network.control('/disputes', { payment_intent: payment?.id });
    const open = () =>
      shop.sql<
        { failure: string }[]
      >`SELECT failure FROM shop.processor_event WHERE done_at IS NULL AND failure IS NOT NULL`;
    await expect.poll(async () => (await open()).length).toBeGreaterThan(0);
    const front = (await seller.open('')).html;
    expect(front).toMatch(/Messages of the card processor that were not handled/);
    expect(front).toMatch(/Declined payments/);
    expect((await seller.open('/console/payments?view=webhook-events')).html).toContain(
      'The processor did not answer',
    );
    const page = (await seller.open('/console/payments?state=declined')).html;
    expect([...rows(page, 'Orders').values()][0]?.join(' ')).toMatch(/declined/);
    await network.clearFaults();
    await expect.poll(async () => (await open()).length).toBe(0);
    expect((await seller.open('')).html).not.toMatch(/Messages of the card processor that were not handled/);
  });
});

describe('health', () => {
  test('every process has its writer, and where the upstream did not answer is counted', async () => {
    const seller = await signedIn();
    const buyer = await bought('1.00');
    expect((await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=1`)).status).toBe(200);
    expect((await Customer.call(buyer, 'GET', `${shop.url}/v1/search?gone=1`)).status).toBe(502);
    const { html } = await seller.open('/console/health');
    const writers = rows(html, 'Writers');
    const open = await shop.sql<{ id: string }[]>`SELECT id FROM ledger.writer WHERE open`;
    expect([...writers.keys()].map((name) => name.replace(' (this one)', ''))).toEqual(
      expect.arrayContaining(open.map((writer) => writer.id)),
    );
    expect([...writers].filter(([name]) => name.endsWith('(this one)')).map(([, [word]]) => word)).toEqual([
      'running',
    ]);
    expect(Number(rows(html, 'Responses of the last 15 minutes').get('200')?.[1])).toBeGreaterThan(0);
    expect(rows(html, 'Responses of the last 15 minutes').get('no answer')).toEqual(['failed', '1']);
    expect(rows(html, 'Failures').get('your API did not answer')?.[0]).toBe('1');
    expect(html).toContain('Every successful response could be counted.');
    expect(html).toContain('npm run ledger -- verify');
  });
});

describe('what the seller does', () => {
  test('a refund is shown before it is made, and a form that is sent twice sends back once', async () => {
    const seller = await signedIn();
    const buyer = await bought('2.00');
    await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=50`);
    await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=50`);
    const page = `/console/payments/${buyer.order}`;
    const too = await seller.open(`${page}/refund?amount_usd=2.01`);
    expect([too.status, too.html.includes('At most 2.00 USD of this purchase can be refunded')]).toEqual([
      422,
      true,
    ]);
    expect((await seller.open(`${page}/refund?amount_usd=0.001`)).status).toBe(422);
    const asked = await seller.open(`${page}/refund?amount_usd=2.00`);
    expect(asked.html).toMatch(
      /1.90 USD of the purchased credit is removed.*0.10 USD is already spent: that part is your loss/s,
    );
    expect(await acts(buyer.order)).toEqual([]);
    const key = await seller.hidden(`${page}/refund?amount_usd=0.75`, 'key');
    const form = { amount_usd: '0.75', key, returned_usd: '0.00' };
    const rival = {
      ...form,
      amount_usd: '0.50',
      key: await seller.hidden(`${page}/refund?amount_usd=0.50`, 'key'),
    };
    const sent = await Promise.all([seller.open(page, form), seller.open(page, form)]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    const [payment] = await network.paymentsOf(buyer.order);
    const refunds = await network.stripe.refunds.list({ payment_intent: payment?.id ?? '' });
    expect(refunds.data.map(({ amount }) => amount)).toEqual([75]);
    expect((await seller.open(page, form)).html).toContain(
      '0.75 USD was already refunded. Nothing more was refunded now. 1.25 USD of this payment remains.',
    );
    expect((await seller.open(page, { ...form, amount_usd: '0.80' })).status).toBe(422);
    // Back, and pressed again: a question that was asked before this refund refunds nothing.
    const back = await seller.open(`${page}/refund?amount_usd=0.75&returned_usd=0.00`);
    expect([back.status, /<button[^>]*>Refund 0\.75/.test(back.html)]).toEqual([409, false]);
    expect(back.html).toContain('0.75 USD of 2.00 USD for Credit was returned to the buyer already.');
    const stale = await seller.open(page, rival);
    expect(stale.html).toContain('Nothing was refunded now: 0.75 USD of this payment was returned');
    const { returned_usd, ...unsaid } = rival;
    expect([stale.status, (await seller.open(page, unsaid)).status, returned_usd]).toEqual([
      422,
      422,
      '0.00',
    ]);
    const anew = await seller.open(page);
    expect(anew.html).toContain('name="returned_usd" value="0.75"');
    const next = (await seller.open(`${page}/refund?amount_usd=0.50&returned_usd=0.75`)).html;
    expect(next).toMatch(
      /<dt>Returned so far<\/dt><dd><b>0\.75 USD<\/b>, <time[^>]*>[^<]*<\/time>; 1\.25 USD remains/,
    );
    const keys = await Promise.all(
      [1, 2, 3].map(() => seller.hidden(`${page}/refund?amount_usd=0.50`, 'key')),
    );
    const questions = keys.map((one) => ({ amount_usd: '0.50', returned_usd: '0.75', key: one }));
    // They were asked at the same time, so at most one of them refunds.
    const atOnce = await Promise.all(questions.map((one) => seller.open(page, one)));
    expect(atOnce.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const now = await network.stripe.refunds.list({ payment_intent: payment?.id ?? '' });
    expect(now.data.length).toBeLessThanOrEqual(2);
    if (now.data.length === 1)
      expect((await seller.open(page, { ...rival, returned_usd: '0.75', key: id('console') })).status).toBe(
        200,
      );
    const steps = [...rows((await seller.open(page)).html, 'Timeline').keys()];
    expect(steps).toEqual(expect.arrayContaining(['Refunded', 'Paid', 'Purchase started']));
    expect(steps.at(-1)).toBe('Purchase started');
    const high = (await seller.open(`${page}/refund?amount_usd=99.00`)).html;
    expect(high).toMatch(/id="amount"[^>]* aria-invalid="true"[^>]* value="99\.00"/);
    expect(high).toContain('id="amount-fault">At most 0.75 USD of this purchase can be refunded.<');
    const log = (await seller.open(`/console/audit?account=${buyer.account}`)).html;
    expect(log).toContain('<li>1.25 USD of the payment remains</li>');
    expect(log).not.toContain('subscription cancelled');
    const exported = (await seller.open(`/console/audit.csv?account=${buyer.account}`)).html;
    expect(exported).toMatch(/,Refunded,pur_\w+,0\.75 USD; 1\.25 USD of the payment remains; re_/);
    const listed = async (state: string) =>
      (await seller.open(`/console/payments.csv?q=${buyer.account}&state=${state}`)).html;
    expect(await listed('granted')).not.toContain(buyer.order);
    expect(await listed('refunded')).toContain(',partly refunded,Card (agent),');
    // A coin goes back by hand.
    await shop.sql`UPDATE shop.purchase SET rail = 'x402' WHERE id = ${buyer.order}`;
    const money = { amount_usd: '0.25', returned_usd: '1.25' };
    const coin = await seller.open(page, { ...money, key: id('console') });
    expect([coin.status, coin.html.includes('from your own wallet')]).toEqual([422, true]);
    const reference = `0x${'ab'.repeat(32)}`;
    const odd = await seller.open(`${page}/refund?amount_usd=0.25&returned_usd=1.25&reference=zzz`);
    expect([odd.status, odd.html.includes('id="reference-fault"')]).toEqual([422, true]);
    const question = `${page}/refund?amount_usd=0.25&returned_usd=1.25&reference=${reference}`;
    const key2 = await seller.hidden(question, 'key');
    expect((await seller.open(question)).html).toMatch(/Record a refund of 0\.25 USD\?.*cannot be undone/s);
    const hand = { act: 'by_hand', ...money, reference, key: key2 };
    expect((await seller.open(page, { ...hand, reference: 'zzz' })).status).toBe(422);
    // Two persons who saw the same sum make one record of it, and a form that is sent twice does, too.
    const forms = [hand, hand, ...Array.from({ length: 6 }, () => ({ ...hand, key: id('console') }))];
    const recorded = await Promise.all(forms.map((form) => seller.open(page, form)));
    const kinds = new Set(forms.flatMap(({ key }, at) => (recorded[at]?.status === 200 ? [key] : [])));
    expect(kinds.size).toBe(1);
    expect(await shop.sql`SELECT amount, reason FROM shop.reversal WHERE status = 'sent_by_hand'`).toEqual([
      { amount: 250_000, reason: reference },
    ]);
    expect((await seller.open(page)).html).toContain(`>${reference}</span></td>`);
    expect((await seller.open(page, { ...hand, key: id('console') })).html).toContain(
      'Nothing was refunded now: 1.50 USD',
    );
    expect((await seller.open(question)).status).toBe(409);
    expect((await seller.open(`/console/audit?account=${buyer.account}`)).html).toContain(
      `<li>transaction ${reference}</li><li>0.50 USD of the payment remains</li>`,
    );
    for (const { act, who } of await acts(buyer.order)) {
      expect(['refund', 'refund_by_hand']).toContain(act);
      expect(who).toMatch(/^admin at 198\.51\.100\.\d+$/);
    }
  });

  test('a refund whose outcome is not known invites no second one', async () => {
    const seller = await signedIn();
    const buyer = await bought('2.00');
    const page = `/console/payments/${buyer.order}`;
    const form = async (amount_usd: string) => ({
      ...{ amount_usd, returned_usd: '0.00' },
      key: await seller.hidden(`${page}/refund?amount_usd=${amount_usd}`, 'key'),
    });
    const [first, second] = [await form('0.75'), await form('0.50')];
    await network.fault('POST /v1/refunds', '500_before', 20);
    const unclear = await seller.open(page, first);
    await network.clearFaults();
    expect(unclear.status).toBe(200);
    expect(unclear.html).toContain('The refund of 0.75 USD may have been made.');
    for (const { html } of [unclear, await seller.open(page)]) {
      expect(html).toContain('refund not confirmed');
      expect(html).not.toContain('Review refund');
    }
    expect((await seller.open(`/console/accounts/${buyer.account}`)).html).toContain(
      'A refund of 0.75 USD is not confirmed',
    );
    const [payment] = await network.paymentsOf(buyer.order);
    const made = async () =>
      (await network.stripe.refunds.list({ payment_intent: payment?.id ?? '' })).data.map(
        ({ amount }) => amount,
      );
    expect((await seller.open(page, second)).status).toBe(422);
    expect((await seller.open(`${page}/refund?amount_usd=0.50`)).html).not.toContain('Refund 0.50 USD?');
    expect(await made()).toEqual([]);
    expect((await seller.open(page, first)).html).toContain('0.75 USD was refunded.');
    expect(await made()).toEqual([75]);
    const after = (await seller.open(page)).html;
    expect(after).not.toContain('was refunded.');
    expect(after).toContain('Review refund');
    expect(after).not.toContain('refund not confirmed');
    expect((await seller.open(`/console/accounts/${buyer.account}`)).html).not.toContain('is not confirmed');
  });

  test('what a buyer asks back is seen, and answered once: by a refund, or by a no that he reads', async () => {
    const seller = await signedIn();
    const [glad, sorry] = [await bought('2.00'), await bought('1.00')] as const;
    const path = (order: string) => `${shop.url}/purchases/${order}/refund-request`;
    await Customer.call(glad, 'POST', path(glad.order), { reason: 'Bought <twice>', amount_usd: '1.50' });
    await Customer.call(sorry, 'POST', path(sorry.order), { reason: 'I changed my mind' });
    expect((await seller.open('')).html).toMatch(/<b class="count">2<\/b> <a href="[^"]+view=requests">/);
    const listed = (await seller.open('/console/payments?view=requests')).html;
    const [, headings = ''] = /aria-label="Refund requests".*?<thead>(.*?)<\/thead>/s.exec(listed) ?? [];
    expect([...headings.matchAll(/<th[^>]*>([^<]*)/g)].map(([, text]) => text)).toEqual([
      'Amount asked',
      'Buyer',
      'Paid',
      'Unspent',
      'Reason',
      'Date',
    ]);
    const asked = rows(listed, 'Refund requests').get('1.50 USD');
    expect(asked?.slice(1, 4)).toEqual(['2.00 USD', '2.00 USD', 'Bought &lt;twice&gt;']);
    expect(listed).toContain(`href="/admin/console/payments/${glad.order}"`);
    expect(listed).toContain(`href="/admin/console/accounts/${glad.account}"`);
    const page = `/console/payments/${glad.order}`;
    expect((await seller.open(page)).html).toMatch(/name="amount_usd"[^>]* value="1.50"/);
    expect(await seller.hidden(`${page}/refund?amount_usd=1.50`, 'act')).toBe('answer');
    const yes = { act: 'answer', amount_usd: '1.50', returned_usd: '0.00' };
    const sent = await Promise.all([seller.open(page, yes), seller.open(page, yes)]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    const no = { act: 'decline', reason: 'It was used.' };
    expect((await seller.open(page, no)).status).toBe(422);
    const unsaid = await seller.open(`/console/payments/${sorry.order}`, { act: 'decline', reason: ' ' });
    expect([unsaid.status, unsaid.html.includes('id="reason-fault"')]).toEqual([422, true]);
    expect(unsaid.html).toContain('<a href="#reason">');
    expect((await seller.open(`/console/payments/${sorry.order}`, no)).status).toBe(200);
    const told = async (buyer: typeof glad) =>
      (await Customer.call(buyer, 'GET', path(buyer.order))).body.refund_request;
    expect(await told(glad)).toMatchObject({ state: 'refunded', refunded_usd: '1.50' });
    expect(await told(sorry)).toMatchObject({
      state: 'declined',
      answer: 'It was used.',
      refunded_usd: '0.00',
    });
    expect((await seller.open('')).html).not.toContain('view=requests');
  });

  test('credit is given once for a form, seen by its owner, and in the audit log', async () => {
    const seller = await signedIn();
    const buyer = await Agent.registered(shop.url);
    const page = `/console/accounts/${buyer.account}`;
    const form = {
      act: 'grant',
      usd: '5.00',
      units: '',
      plan: 'credit',
      expires: '2099-01-31',
      reason: 'sorry',
    };
    const review = (fields: Record<string, string>) =>
      seller.open(`${page}/grant?${new URLSearchParams(fields)}`);
    const twice = { ...form, key: await seller.hidden(page, 'key') };
    const question = await review(twice);
    expect(question.html).toContain('Grant 5.00 USD?</h1>');
    expect(question.html).toContain('Balance after it: 5.00 USD.');
    expect(question.html).toContain(`name="key" value="${twice.key}"`);
    expect(question.html).toContain('The buyer may call what the plan Credit allows, at its prices.');
    const change = /href="\/admin([^"#]*)#grant">Change</.exec(question.html)?.[1]?.replaceAll('&amp;', '&');
    const back = (await seller.open(change ?? 'no link')).html;
    expect(back).toMatch(/<details open>.*id="usd"[^>]* value="5\.00".*value="2099-01-31".*value="sorry"/s);
    expect(back).toContain(`name="key" value="${twice.key}"`);
    expect(back).not.toContain('class="fault"');
    expect(await acts(buyer.account)).toEqual([]);
    const sent = await Promise.all([seller.open(page, twice), seller.open(page, twice)]);
    for (const { status, html } of sent)
      expect([status, html.includes('Granted 5.00 USD.')]).toEqual([200, true]);
    expect((await seller.open(page, { ...twice, usd: '6.00' })).status).toBe(422);
    for (const unsaid of [
      await review({ ...twice, reason: ' ' }),
      await seller.open(page, { ...twice, reason: '' }),
    ])
      expect([unsaid.status, unsaid.html.includes('id="grant-reason-fault"')]).toEqual([422, true]);
    const both = await review({ ...form, key: id('console'), units: '5' });
    expect(both.status).toBe(422);
    expect(both.html).toContain('id="usd-fault">Enter either dollars or results, not both.<');
    expect(both.html).toMatch(/<details open>.*id="usd"[^>]* aria-invalid="true"[^>]* value="5\.00"/s);
    expect(both.html).toMatch(/id="grant-reason"[^>]* value="sorry"/);
    const neither = await seller.open(page, { act: 'grant', plan: 'credit', key: id('console') });
    expect(neither.html).toContain('id="usd-fault">Enter either dollars or results.<');
    const { body } = await Customer.call(buyer, 'GET', `${shop.url}/account`);
    expect(body.grants).toEqual([
      { source: 'seller', given_usd: '5.00', remaining_usd: '5.00', expires_at: '2099-02-01T00:00:00.000Z' },
    ]);
    expect((await acts(buyer.account)).map(({ act }) => act)).toEqual(['grant']);
    const { html } = await seller.open(`/console/audit?account=${buyer.account}`);
    const entries = rows(html, 'Actions');
    const [[done = '', [details, person] = []] = []] = entries;
    expect([entries.size, done]).toEqual([1, expect.stringMatching(/^Granted 5\.00 USD to acc_/)]);
    expect(person).toMatch(/^Admin token 198\.51\.100\.\d+$/);
    expect(details).toMatch(/^“sorry”More.*for the plan Credit/);
    // Sign-ins have a list of their own, with the same filter.
    const actsOf = async (query: string) => [
      ...new Set(
        [...(await seller.open(`/console/audit${query}`)).html.matchAll(/scope="row"[^>]*>([^<]+)</g)].map(
          ([, act]) => act,
        ),
      ),
    ];
    expect(await actsOf('')).not.toContain('Signed in');
    expect(await actsOf('?show=sign-ins')).toEqual(['Signed in']);
    expect(await actsOf('?show=all')).toEqual(expect.arrayContaining(['Signed in', 'Granted 5.00 USD to ']));
    expect(await actsOf('?act=signed_in')).toEqual(['Signed in']);
    expect(await actsOf(`?show=sign-ins&account=${buyer.account}`)).toEqual([]);
    expect(await actsOf(`?account=${buyer.account}&text=admin+token`)).toEqual(['Granted 5.00 USD to ']);
    expect(await actsOf(`?account=${buyer.account}&text=Admin+tokens`)).toEqual([]);
    const unmet = (await seller.open('/console/audit?account=nowhere%40example.com')).html;
    expect(unmet).toContain('No account has this id or address.');
    expect(rows(unmet, 'Actions').size).toBe(0);
    expect((await seller.open('/console/audit.csv')).html).not.toContain(',Signed in,');
    const csv = await seller.open(`/console/audit.csv?account=${buyer.account}`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.html).toMatch(
      /^when,person,ip,action,subject,details\r\n[^,]+,Admin token,198[^,]+,Granted credit,acc_/,
    );
  });

  test('an account is frozen and let go on, with the reason on record', async () => {
    const seller = await signedIn();
    const buyer = await bought('1.00');
    const page = `/console/accounts/${buyer.account}`;
    const call = () => Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=1`);
    const long = await seller.open(page, { act: 'freeze', reason: 'x'.repeat(501) });
    expect([long.status, long.html.includes('id="reason-fault"')]).toEqual([422, true]);
    expect((await call()).status).toBe(200);
    const plain = await seller.open(`${page}/freeze`);
    expect(plain.html).not.toContain('plan');
    seller.address = '203.0.113.77';
    const froze = { act: 'freeze', reason: 'abuse <b>' };
    const frozen = await seller.open(page, froze);
    expect(frozen.html).toContain('The account is frozen.');
    // A double click: the browser shows the second response.
    expect((await seller.open(page, froze)).html).toContain('The account is frozen.');
    expect((await seller.open(page, { act: 'freeze', reason: 'another' })).html).toContain('already frozen');
    seller.address = null;
    expect(frozen.html).toContain('Frozen because: “abuse &lt;b&gt;”.');
    expect(frozen.html).toContain('abuse &lt;b&gt;');
    expect([(await call()).status, (await call()).body.code]).toEqual([403, 'account_frozen']);
    expect((await seller.open(page, { act: 'unfreeze', reason: 'talked' })).html).toContain(
      'The account can call and buy again.',
    );
    expect((await call()).status).toBe(200);
    expect((await seller.open(page, { act: 'delete', reason: 'x' })).status).toBe(422);
    expect((await seller.open('/console/accounts/acc_none', { act: 'freeze', reason: 'x' })).status).toBe(
      404,
    );
    expect((await acts(buyer.account)).map(({ act }) => act)).toEqual(['frozen', 'unfrozen']);
  });

  test('a plan is cancelled on its own page, or with the account that is frozen, and is in the audit log', async () => {
    const seller = await signedIn();
    const [one, other] = [await subscribed(), await subscribed()];
    const page = `/console/accounts/${one.account}`;
    const shown = (await seller.open(page)).html;
    expect(shown).toMatch(/10\.00 USD, renews on \d+ \w+ \d{4}/);
    const path = /href="\/admin([^"]*\/cancel\?subscription=[^"]*)"/.exec(shown)?.[1] ?? '';
    expect((await seller.open(path)).html).toContain('It is not charged again.');
    const form = { act: 'cancel', subscription: one.subscription };
    expect((await seller.open(`/console/accounts/${other.account}`, form)).status).toBe(422);
    expect(await renewing(one.subscription)).toBe(true);
    for (const { html } of await Promise.all([seller.open(page, form), seller.open(page, form)]))
      expect(html).toMatch(/The Small plan ends on \d+ \w+ \d{4}\. It is not charged again\./);
    expect(await renewing(one.subscription)).toBe(false);
    expect(new Set((await acts(one.account)).map(({ act }) => act))).toEqual(new Set(['plan_cancelled']));
    // Freezing keeps the plan unless the seller cancels it too.
    const frozenPage = `/console/accounts/${other.account}`;
    const question = (await seller.open(`${frozenPage}/freeze`)).html;
    expect(question).toMatch(
      /The Small plan, 10\.00 USD, renews on \d+ \w+ \d{4} although its calls are refused/,
    );
    const freeze = { act: 'freeze', reason: 'abuse' };
    const kept = await seller.open(frozenPage, freeze);
    expect(kept.html).toMatch(/renews on \d+ \w+ \d{4} although its calls are refused/);
    expect(await renewing(other.subscription)).toBe(true);
    await seller.open(frozenPage, { act: 'unfreeze', reason: 'more' });
    await network.fault('POST /v1/subscriptions/:id', '500_before', 20);
    const failed = await seller.open(frozenPage, { ...freeze, cancel: 'yes' });
    await network.clearFaults();
    expect(failed.html).toContain('The account is frozen. The Small plan still renews');
    await seller.open(frozenPage, { act: 'unfreeze', reason: 'more' });
    expect((await seller.open(frozenPage, { ...freeze, cancel: 'yes' })).html).toMatch(
      /The account is frozen\. The Small plan ends on/,
    );
    expect(await renewing(other.subscription)).toBe(false);
  });

  test('lists are filtered, and exported as they are filtered', async () => {
    const seller = await signedIn();
    const buyer = await bought('1.25');
    await shop.sql`UPDATE shop.account SET email = ${`=cmd.${buyer.account}@example.com`} WHERE id = ${buyer.account}`;
    const orders = async (query: string) => [
      ...rows((await seller.open(`/console/payments?${query}`)).html, 'Orders').keys(),
    ];
    const today = new Date().toISOString().slice(0, 10);
    expect(await orders(`q=${buyer.account}`)).toEqual(['1.25 USD']);
    expect(
      await orders(`q=${buyer.account}&state=granted&rail=mpp&plan=credit&from=${today}&to=${today}`),
    ).toEqual(['1.25 USD']);
    for (const none of ['state=declined', 'rail=x402', 'plan=small', 'to=2020-01-01', 'from=2999-01-01'])
      expect([none, await orders(`q=${buyer.account}&${none}`)]).toEqual([none, []]);
    const csv = (await seller.open(`/console/payments.csv?q=${buyer.account}`)).html.split('\r\n');
    expect(csv).toHaveLength(3);
    // A spreadsheet would run a cell that starts with an equals sign.
    expect(csv[1]).toMatch(
      new RegExp(`^${buyer.order},.*,paid,Card \\(agent\\),credit,1.25,0.00,0.00,${buyer.account},'=cmd`),
    );
    const paying = await seller.open('/console/accounts?kind=paying');
    expect(accountsOf(paying.html)).toContain(buyer.account);
    // The balance is what is left of the purchases; the trial is none.
    const found = await seller.open(`/console/accounts?q=${encodeURIComponent(`=cmd.${buyer.account}`)}`);
    expect([...rows(found.html, 'Accounts').values()][0]?.slice(0, 2)).toEqual(['1.25 USD', '1.25 USD']);
    const unpaid = await seller.open('/console/accounts?kind=unpaid');
    expect(accountsOf(unpaid.html)).not.toContain(buyer.account);
    const accounts = (await seller.open('/console/accounts.csv?kind=paying')).html;
    expect(accounts.split('\r\n')[0]).toMatch(/^account,email,balance_usd,paid_usd,/);
    expect(accounts).toMatch(new RegExp(`\\n${buyer.account},'=cmd[^,]+,1.25,1.25,0.00,`));
  });

  test('the ledger is verified from the page', async () => {
    const seller = await signedIn();
    const verified = await seller.open('/console/health', { act: 'verify' });
    expect([verified.status, verified.headers.get('location')]).toEqual([
      303,
      '/admin/console/health#verify',
    ]);
    expect((await seller.open('/console/health')).html).toMatch(/The books agree: [\d,]+ credits/);
    expect((await seller.open('')).html).not.toContain('Differences in the books');
    expect(await acts('console')).toContainEqual({ act: 'ledger_verified', who: expect.anything() });
    await shop.sql`INSERT INTO shop.payment_record (order_id, payment, amount, rail) VALUES ('pur_forged', 'pi_forged', 5000000, 'card')`;
    try {
      await seller.open('/console/health', { act: 'verify' });
      for (const shown of [await seller.open('/console/health'), await seller.open('/console/health')]) {
        expect(shown.html).toContain('The books do not agree: 1 difference.');
        expect(shown.html).toMatch(
          /A payment of 5\.00 USD \(pi_forged\) has no completed purchase\.<\/b>.*href="[^"]*\/payments\/pur_forged"/,
        );
        expect(shown.html).not.toContain('Everything works');
      }
      expect((await seller.open('')).html).toContain(
        'href="/admin/console/health#verify">Differences in the books',
      );
    } finally {
      await shop.sql.begin(async (own) => {
        await own`SET LOCAL session_replication_role = replica`;
        await own`DELETE FROM shop.payment_record WHERE order_id = 'pur_forged'`;
      });
    }
    await seller.open('/console/health', { act: 'verify' });
    expect((await seller.open('')).html).not.toContain('Differences in the books');
  });

  test('an endpoint of events is added, tested, given a new secret and removed, and an event is delivered again', async () => {
    const seller = await signedIn();
    const page = '/console/events';
    const secrets: string[] = [];
    const receiver = await openReceiver(() => secrets.slice(-1));
    try {
      const refused = await seller.open(page, { act: 'add', url: 'https://10.0.0.1/', types: 'order.paid' });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain('Enter a public https:// address.');
      expect(refused.html).toContain('is no type of event');
      const secretOf = (html: string) => /aria-label="Secret">(whsec_[^<]+)</.exec(html)?.[1] ?? '';
      const added = await seller.open(page, { act: 'add', url: receiver.url, types: '' });
      secrets.push(secretOf(added.html));
      const id = /name="id" value="(ep_\w+)"/.exec(added.html)?.[1] ?? '';
      // The secret is shown once: a reload shows the page without it, and adds nothing.
      expect(secrets).toEqual([expect.stringMatching(/^whsec_/)]);
      const reloaded = await seller.open(page);
      expect([reloaded.html.includes('whsec_'), reloaded.html.includes(id)]).toEqual([false, true]);
      const edit = await seller.open(`${page}/endpoints/${id}/edit`);
      expect([edit.html.includes(`value="${receiver.url}"`), edit.html.includes('whsec_')]).toEqual([
        true,
        false,
      ]);
      const inside = await seller.open(page, { act: 'change', id, url: 'https://10.0.0.1/', which: 'all' });
      expect([inside.status, inside.html.includes('Enter a public https:// address.')]).toEqual([422, true]);
      const empty = await seller.open(page, { act: 'change', id, url: receiver.url, which: 'some' });
      expect([empty.status, empty.html.includes('Tick at least one type')]).toEqual([422, true]);
      const moved = { act: 'change', id, url: `${receiver.url}?moved`, which: 'all' };
      const changed = await seller.open(page, moved);
      expect([changed.html.includes('Endpoint changed.'), changed.html.includes('whsec_')]).toEqual([
        true,
        false,
      ]);
      expect((await seller.open(page, moved)).status).toBe(200);
      expect((await acts(id)).map(({ act }) => act)).toEqual([
        'event_endpoint_added',
        'event_endpoint_changed',
      ]);
      expect((await seller.open('/console/audit?act=event_endpoint_changed')).html).toContain(
        `${receiver.url} → ${receiver.url}?moved`,
      );
      expect((await seller.open(`${page}/endpoints/ep_none/edit`)).status).toBe(422);
      await seller.open(page, { act: 'test', id });
      await expect.poll(() => receiver.received.map(({ type }) => type)).toEqual(['event.test']);
      const event = receiver.received[0]?.id ?? '';
      await expect.poll(async () => (await seller.open(`${page}/${event}`)).html).toContain('Accepted');
      expect((await seller.open(`${page}?type=event.test&state=delivered`)).html).toContain(event);
      expect((await seller.open(`${page}?state=failed`)).html).not.toContain(event);
      secrets.push(secretOf((await seller.open(page, { act: 'rotate', id })).html));
      await seller.open(`${page}/${event}`, { act: 'again', id });
      await expect.poll(() => receiver.received.length).toBe(2);
      expect(receiver.received[1]?.id).toBe(event);
      const since = new Date().toISOString().slice(0, 10);
      const question = await seller.open(page, { act: 'review', id, since, types: 'event.test' });
      expect(question.html).toContain('Deliver 1 event again?');
      expect(receiver.received.length).toBe(2);
      const none = await seller.open(page, { act: 'review', id, since, types: 'order.refund_failed' });
      expect([none.status, none.html.includes('takes no such event')]).toEqual([422, true]);
      const replayed = await seller.open(page, { act: 'replay', id, since, types: 'event.test' });
      expect(replayed.html).toContain('1 event will be delivered again.');
      await expect.poll(() => receiver.received.map((one) => one.id)).toEqual([event, event, event]);
      const unclear = await seller.open(page, { act: 'replay', id, since: 'yesterday' });
      expect([unclear.status, unclear.html.includes('Choose the first day')]).toEqual([422, true]);
      const startless = await seller.open(page, { act: 'replay', id, since: '', types: 'event.test' });
      expect(startless.html).toMatch(/<details open><summary><h2 id="replay">/);
      expect(startless.html).toMatch(/id="since"[^>]* aria-invalid="true"/);
      expect(startless.html).toMatch(/<option value="event.test" selected/);
      expect(startless.html).toMatch(
        /Nothing is delivered again\. Choose the first day[^<]* <a href="#since">Go to the form/,
      );
      expect((await seller.open(page)).html).not.toContain('name="act" value="replace"');
      const asked = await seller.open(`${page}/endpoints/${id}/secret`);
      expect(asked.html).toContain('Replace the secret now?');
      const replaced = await seller.open(page, { act: 'replace', id });
      secrets.push(secretOf(replaced.html));
      expect(replaced.html).toContain('signs no more events');
      await seller.open(page, { act: 'test', id });
      await expect.poll(() => receiver.received.length).toBe(4);
      expect(receiver.signatures.at(-1)?.split(' ')).toHaveLength(1);
      expect(receiver.faults).toEqual([]);
      expect((await seller.open(`${page}/types`)).html).toContain('period_start');
      expect(JSON.parse((await seller.open(`${page}/openapi.json`)).html)).toEqual(eventDocument());
      // An endpoint that was added later gets an event by its page.
      await bought('1.00');
      const later = await seller.open(page, { act: 'add', url: `${receiver.url}?later`, types: '' });
      const other = [...later.html.matchAll(/name="id" value="(ep_\w+)"/g)]
        .map(([, it]) => it)
        .find((it) => it !== id);
      const [order] = await shop.sql<
        { id: string }[]
      >`SELECT id FROM shop.event WHERE type = 'account.registered' AND position IS NOT NULL LIMIT 1`;
      expect((await seller.open(`${page}/${order?.id}`)).html).toContain(`<option value="${other}"`);
      expect((await seller.open(`${page}/${event}`)).html).not.toContain('Deliver to another endpoint');
      await seller.open(page, { act: 'remove', id: other ?? '' });
      expect((await seller.open(page, { act: 'disable', id })).html).toContain('by your team');
      expect((await seller.open('/console/audit?act=event_endpoint_added')).html).toContain(receiver.url);
      // Each action names the address that the endpoint had then.
      const done = [
        ...rows((await seller.open('/console/audit?act=event_test_sent')).html, 'Actions').keys(),
      ];
      expect(done).toContain(`Sent a test event to ${receiver.url}?moved`);
      expect((await seller.open(page)).html).toContain(`href="/admin${page}/endpoints/${id}/remove"`);
      const removal = await seller.open(`${page}/endpoints/${id}/remove`);
      expect(removal.html).toContain('Remove this endpoint?');
      expect((await seller.open(page)).html).toContain(receiver.url);
      expect((await seller.open(page, { act: 'remove', id })).html).toContain('No endpoints.');
      expect((await seller.open(page, { act: 'remove', id })).status).toBe(422);
    } finally {
      await receiver.close();
    }
  });

  test('codes are created and ended', async () => {
    const seller = await signedIn();
    const form = {
      act: 'create',
      code: 'spring-26',
      usd: '5.00',
      units: '',
      plan: 'credit',
      max: '',
      expires: '',
      days: '',
    };
    const bad = await seller.open('/console/codes', { ...form, code: 'a', usd: 'x' });
    expect([bad.status, bad.html.includes('id="code-fault"'), bad.html.includes('id="usd-fault"')]).toEqual([
      422,
      true,
      true,
    ]);
    expect((await seller.open('/console/codes', form)).html).toContain('SPRING-26 is accepted from now on.');
    expect((await seller.open('/console/codes')).html).not.toContain('accepted from now on');
    // A form that is sent twice reports the code that it created; another one of the same name is refused.
    expect((await seller.open('/console/codes', form)).html).toContain('created before, with the same terms');
    const used = await seller.open('/console/codes', { ...form, usd: '6.00' });
    expect([used.status, used.html.includes('This code is or was in use')]).toEqual([422, true]);
    const empty = await seller.open('/console/codes', { ...form, code: 'SUMMER-26', usd: '' });
    expect(empty.html).toContain('id="usd-fault">Enter either dollars or results.<');
    expect((await seller.open('/console/codes/SPRING-26/end')).html).toContain('End this code?');
    expect((await seller.open('/console/codes')).html).toContain('href="/admin/console/codes/SPRING-26/end"');
    expect((await seller.open('/console/codes', { act: 'end', code: 'SPRING-26' })).html).toContain(
      'SPRING-26 has ended.',
    );
    const again = await seller.open('/console/codes/SPRING-26/end');
    expect([again.status, again.html.includes('Code already ended')]).toEqual([410, true]);
    expect((await acts('SPRING-26')).map(({ act }) => act)).toHaveLength(2);
  });

  test('a page that does not exist keeps the navigation and leads to the list that could have it', async () => {
    const seller = await signedIn();
    const lists = {
      '/console/nothing/here': '/admin/console/accounts',
      '/console/accounts/acc_none': '/admin/console/accounts',
      '/console/payments/pur_none': '/admin/console/payments',
      '/console/codes/NONE-1/end': '/admin/console/codes',
      '/console/catalogue/history/99': '/admin/console/catalogue#history',
      '/console/events/evt_none': '/admin/console/events',
    };
    for (const [path, list] of Object.entries(lists)) {
      const { status, html } = await seller.open(path);
      expect([path, status]).toEqual([path, 404]);
      expect([path, html]).toEqual([path, expect.stringContaining('<nav aria-label="Console">')]);
      expect([path, html]).toEqual([path, expect.stringContaining(`<a class="button" href="${list}"`)]);
    }
  });

  test('an account is found by all that is known of it', async () => {
    const seller = await signedIn();
    const buyer = await bought('1.00');
    const email = `ada.${id('x')}@example.com`;
    await shop.sql`UPDATE shop.account SET email = ${email}, claimed_at = now() WHERE id = ${buyer.account}`;
    await seller.open(`/console/accounts/${buyer.account}`, { act: 'freeze', reason: 'a check' });
    await seller.open(`/console/accounts/${buyer.account}`, { act: 'unfreeze', reason: 'checked' });
    const ofAddress = await seller.open(`/console/audit?account=${encodeURIComponent(email.toUpperCase())}`);
    expect(rows(ofAddress.html, 'Actions').size).toBe(2);
    const call = (await Customer.call(buyer, 'GET', `${shop.url}/v1/search?max=1`)).headers.get(
      'storefront-call',
    );
    const [payment] = await network.paymentsOf(buyer.order);
    for (const typed of [buyer.account, buyer.order, payment?.id ?? '', call ?? '']) {
      const { headers } = await seller.open(`/console/accounts?q=${encodeURIComponent(` ${typed} `)}`);
      expect([typed, headers.get('location')]).toEqual([typed, `/admin/console/accounts/${buyer.account}`]);
    }
    const short = buyer.account.slice(0, 16);
    for (const typed of [short, `${short}…`]) {
      const { headers } = await seller.open(`/console/accounts?q=${encodeURIComponent(typed)}`);
      expect([typed, headers.get('location')]).toEqual([typed, `/admin/console/accounts/${buyer.account}`]);
    }
    const bare = await seller.open(`/console/accounts?q=${buyer.account.slice(4, 16)}`);
    expect(accountsOf(bare.html)).toEqual([buyer.account]);
    const payer = await subscribed();
    const byPayer = await seller.open(`/console/accounts?q=${encodeURIComponent(payer.email.toUpperCase())}`);
    expect(accountsOf(byPayer.html)).toContain(payer.account);
    expect((await seller.open(`/console/accounts/${payer.account}`)).html).toContain('not confirmed');
    expect((await seller.open('/console/accounts?q=acc_zzz')).html).toContain(
      'the start of an email address',
    );
    const found = await seller.open(
      `/console/accounts?q=${encodeURIComponent(email.slice(0, 20).toUpperCase())}`,
    );
    expect(accountsOf(found.html)).toEqual([buyer.account]);
    expect(rows((await seller.open('/console/accounts?q=%25')).html, 'Accounts').size).toBe(0);
    expect((await seller.open('/console/accounts/acc_none')).status).toBe(404);
    // Page by page, each once.
    await shop.sql`INSERT INTO shop.account (id, origin, created_at) SELECT 'acc_old_' || n, 'anonymous', now() - make_interval(days => 40 + n) FROM generate_series(1, 30) n`;
    const seen: string[] = [];
    for (let next: string | undefined = '/console/accounts'; next !== undefined; ) {
      const { html }: Seen = await seller.open(next);
      seen.push(...accountsOf(html));
      next = /<a href="\/admin(\/console\/accounts\?after=[^"]+)"/.exec(html)?.[1];
    }
    const [{ accounts }] = await shop.sql<
      [{ accounts: number }]
    >`SELECT count(*) AS accounts FROM shop.account`;
    expect([seen.length, new Set(seen).size]).toEqual([accounts, accounts]);
  });
});
