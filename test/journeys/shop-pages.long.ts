import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Person from '../purchase/person.ts';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    let asked: { max?: number; text?: string; status?: number; answer?: unknown };
    try {
      asked = JSON.parse(body || '{}');
    } catch {
      return socket.write(Upstream.http(400, '{"error":"malformed"}'));
    }
    const { max = 10, text = 'fine', status = 200, answer } = asked;
    if (status !== 200)
      return socket.write(Upstream.http(status, JSON.stringify(answer), ['content-type: application/json']));
    return socket.write(
      Upstream.http(200, JSON.stringify({ count: max, text }), ['content-type: application/json']),
    );
  });
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml' });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const visitor = () => new Browser.Browser(shop.url);

/** Returns the text of the account page's element with this `id`. */
async function shown(browser: Browser.Browser, id: string): Promise<string | undefined> {
  const { html } = await browser.open('/shop/account');
  return new RegExp(`<dd id="${id}">([^<]*)`).exec(html)?.[1];
}

/** Returns the text of a page, without its tags. */
const textOf = (html: string) => html.replace(/<[^>]*>/g, '');

const list = { operation: 'POST /v1/list', path: '/v1/list' };

test('the same address has a page for people and the start document for programs', async () => {
  const person = await visitor().open('/');
  expect(person.headers.get('content-type')).toMatch(/^text\/html/);
  expect(person.html).toContain('POST /v1/list');
  for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
    const answer = await fetch(shop.url, { headers: { accept } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('vary')).toMatch(/accept/i);
  }
});

test('every link of every page leads somewhere', async () => {
  const browser = visitor();
  const seen = new Set<string>();
  await browser.open('/shop/start', {});
  const open = ['/', '/shop/account', '/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { status, html, headers } = await browser.open(path);
    expect([path, status]).toEqual([path, 200]);
    if (headers.get('content-type')?.startsWith('text/html'))
      open.push(
        ...[...html.matchAll(/href="(\/[^"#]*)/g)].map(([, href = '']) => href.replaceAll('&amp;', '&')),
      );
  }
  expect(seen.size).toBeGreaterThan(8);
});

test('the seller’s texts replace those of the pages and of API errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-texts-'));
  const texts = join(folder, 'texts.yaml');
  await writeFile(
    texts,
    'language: de\nshop.services: Leistungen\nsign_in.submit: Anmelden\napi.bearer_required: Senden Sie ein Token.\n',
  );
  const german = await shop.addStorefront({ TEXTS: texts });
  const browser = new Browser.Browser(german);
  const { html } = await browser.open('/');
  expect(html).toContain('<html lang="de">');
  expect(html).toContain('<h2>Leistungen</h2>');
  expect((await browser.open('/shop/account')).html).toContain('<h1>Anmelden</h1>');
  const refused = await fetch(`${german}/v1/list`, { method: 'POST' });
  expect(await refused.json()).toMatchObject({ code: 'bearer_required', message: 'Senden Sie ein Token.' });
  await writeFile(texts, 'language: de\nshop.service: Leistung\nshop.servces: Leistungen\n');
  const message = /texts\.yaml:3:1 unknown key shop\.servces\. Did you mean shop\.services\?/;
  await expect(shop.addStorefront({ TEXTS: texts })).rejects.toThrow(message);
  await rm(folder, { recursive: true });
});

test('the seller’s brand is on every page, and the logo cannot run scripts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-brand-'));
  const catalog = await readFile(new URL('../fixtures/scripted.yaml', import.meta.url), 'utf8');
  const brand = 'brand: { colour: "#aa3300", font: serif, logo: logo.svg }';
  await writeFile(join(folder, 'catalog.yaml'), catalog.replace('  name: Scripted\n', `$&  ${brand}\n`));
  const logo = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  await writeFile(join(folder, 'logo.svg'), logo);
  const branded = new Browser.Browser(
    await shop.addStorefront({ CATALOG: join(folder, 'catalog.yaml'), WRITER: 'branded' }),
  );
  for (const path of ['/', '/docs', '/shop/account', '/checkout/none', '/nowhere'])
    expect((await branded.open(path)).html).toContain('--accent:#aa3300');
  expect((await branded.open('/')).html).toContain('<img src="/shop/logo" alt="">Scripted');
  const image = await branded.open('/shop/logo');
  expect(image.html).toBe(logo);
  expect(image.headers.get('content-type')).toBe('image/svg+xml');
  expect(image.headers.get('content-security-policy')).toMatch(/default-src 'none';.* sandbox/);
  expect((await branded.open('/favicon.svg')).html).toContain('#aa3300');
  expect((await visitor().open('/shop/logo')).status).toBe(404);
  await rm(folder, { recursive: true });
});

describe('a visitor', () => {
  test('tries an operation on a new account, and is charged what a program is', async () => {
    const browser = visitor();
    const { status, html } = await browser.open('/shop/try', { ...list, body: '{"max":4}' });
    expect(status).toBe(200);
    expect(html).toContain('<dd>4 results, included in Trial</dd>');
    expect(await shown(browser, 'included')).toBe('21');
    const key = /name="key" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const again = { ...list, body: '{"max":6}', key };
    expect((await browser.open('/shop/try', again)).html).toContain('<dd>6 results, included in Trial</dd>');
    expect(await shown(browser, 'included')).toBe('15');
    // A reload shows the response again, for nothing.
    const before = upstream.received.length;
    const reloaded = (await browser.open('/shop/try', again)).html;
    expect(reloaded).toMatch(/200 OK<.*>not charged again</);
    expect(textOf(reloaded)).toContain('"count": 6');
    expect(reloaded).not.toContain(key);
    expect(upstream.received.length).toBe(before);
    expect(await shown(browser, 'included')).toBe('15');
    // The chart has a bar for the service on that day, and the table a row.
    const { html: page } = await browser.open('/shop/account/usage');
    expect(page).toMatch(/<title>\d\d? \w+ \d{4}, [^:<]+: 10 results<\/title>/);
    expect(page).toMatch(
      /<th scope="row">\d\d? \w+ \d{4}<\/th><td[^>]*>[^<]+<\/td><td[^>]*><span>2<\/span><\/td><td[^>]*><span>10<\/span>/,
    );
    const csv = (await browser.open('/shop/account/calls.csv')).html.trim().split('\r\n');
    expect(csv.map((line) => line.split(',').slice(3, 6).join())).toEqual([
      'operation,status,units',
      'POST /v1/list,200,6',
      'POST /v1/list,200,4',
    ]);
  });

  test('reads which plan paid for a call, and that a free service and a failed call are free', async () => {
    const browser = visitor();
    const cost = async (form: Record<string, string>) =>
      /<dt>Cost<\/dt><dd>([^<]*)/.exec((await browser.open('/shop/try', form)).html)?.[1];
    expect(await cost({ ...list, body: '{"max":4}' })).toBe('4 results, included in Trial');
    expect(await cost({ ...list, body: '{"max":4,"status":400,"answer":{}}' })).toBe('0 results: free');
    expect(await cost({ operation: 'GET /v1/export', path: '/v1/export' })).toBe('0 results: free');
    const { html: page } = await browser.open('/shop/account/settings');
    const account = /class="id">(acc_[^<]+)</.exec(page)?.[1] ?? '';
    await Customer.credit(shop.sql, { account, token: '', assertion: '' }, 1_000_000);
    // 21 results of the trial are left; credit pays for 9.
    expect(await cost({ ...list, body: '{"max":30}' })).toBe('30 results: 0.009 USD');
    expect(await cost({ ...list, body: '{"max":1}' })).toBe('1 result: 0.001 USD');
  });

  test('gets the whole of a long response', async () => {
    const text = `${'x'.repeat(60_000)}, the end`;
    for (const path of ['/shop/try', '/shop/request/lists/post-v1-list']) {
      const { html } = await visitor().open(path, { ...list, body: JSON.stringify({ max: 1, text }) });
      const shown = /aria-label="Response body"><code>([^<]*)</.exec(html)?.[1] ?? '';
      expect(JSON.parse(shown.replaceAll('&quot;', '"'))).toEqual({ count: 1, text });
    }
  });

  test('finds a response again on the way back, which holds no token or key, until the browser is signed out', async () => {
    const browser = visitor();
    const kept = ['private, no-cache', false, false];
    const facts = async (path: string, form?: Record<string, string>) => {
      const { headers, html } = await browser.open(path, form);
      const vary = headers.get('vary') ?? '';
      return [headers.get('cache-control'), vary.includes('cookie'), /eyJ[\w-]+\.|slk_\w/.test(html)];
    };
    const request = '/shop/request/lists/post-v1-list';
    const sent = { ...list, body: '{"max":1}' };
    expect(await facts('/shop/try', sent)).toEqual(kept);
    expect(await facts('/shop/try', { ...sent, check: 'raw' })).toEqual(kept);
    expect(await facts('/shop/buy', { plan: 'credit', amount_usd: '0.10' })).toEqual(kept);
    expect(await facts(request, sent)).toEqual(kept);
    expect(await facts(request, { ...sent, api_key: 'slk_wrong' })).toEqual(['no-store', true, true]);
    expect(await facts('/')).toEqual(['no-store', true, true]);
    const left = await browser.open('/shop/leave', { confirm: 'yes' });
    expect(left.headers.get('clear-site-data')).toBe('"cache"');
  });

  test('asks for the price of a request in the reference, and sends nothing', async () => {
    const before = upstream.received.length;
    const form = { path: '/v1/list', body: '{"max":3}', fill: '1' };
    const { html } = await visitor().open('/shop/request/lists/post-v1-list', form);
    const line = /<p class="ok most" id="checked" role="status".*?<\/p>/.exec(html)?.[0] ?? '';
    expect(textOf(line)).toBe(
      'This request uses at most 3 of your 25 free results. Nothing was sent or charged.',
    );
    expect(upstream.received.length).toBe(before);
  });

  test.each([
    ['/shop/try', `/?operation=${encodeURIComponent('POST /v1/list')}#try`],
    ['/shop/buy', '/#plans'],
    ['/shop/start', '/'],
  ])('who opens the address of the form %s gets to its page', async (path, location) => {
    const { status, headers } = await visitor().open(path);
    expect([status, headers.get('location')]).toEqual([303, location]);
  });

  test('pays nothing for an answer whose page could not be made, unless a reload shows it', async () => {
    const browser = visitor();
    await browser.open('/shop/start', {});
    const kept = { ...list, body: '{"max":2}', key: `try_${'0'.repeat(32)}` };
    // The upstream responds, the charge is committed, and then the page cannot read the account.
    await shop.sql`ALTER TABLE shop.subscription RENAME TO subscription_away`;
    try {
      expect((await browser.open('/shop/try', { ...list, body: '{"max":4}' })).status).toBe(500);
      expect((await browser.open('/shop/try', kept)).status).toBe(500);
    } finally {
      await shop.sql`ALTER TABLE shop.subscription_away RENAME TO subscription`;
    }
    await expect.poll(() => shown(browser, 'included')).toBe('23');
    expect(textOf((await browser.open('/shop/try', kept)).html)).toContain('"count": 2');
    expect(await shown(browser, 'included')).toBe('23');
  });

  test('is told why a call is refused, and calls nothing that the form does not name', async () => {
    const browser = visitor();
    const before = upstream.received.length;
    const elsewhere = await browser.open('/shop/try', { ...list, path: '/v1/items/7' });
    expect(elsewhere.html).toContain('The path does not match POST /v1/list.');
    expect((await browser.open('/shop/try', { ...list, path: '//evil.example/v1/list' })).html).toContain(
      'does not match',
    );
    expect((await browser.open('/shop/try', { ...list, body: '{"max":50}' })).html).toMatch(
      /role="alert">This request asks for up to 50 results, and you have 25 results left.*Change to 25 results<.*Add credit</s,
    );
    const fewer = await browser.open('/shop/try', { ...list, body: '{"max":25}', fill: '1' });
    expect(fewer.status).toBe(200);
    expect(fewer.html).toContain('{&quot;max&quot;:25}</textarea>');
    expect(fewer.html).not.toContain('role="alert"');
    expect(fewer.html).toContain('role="status">The request now asks for 25 results. Nothing was sent yet.');
    expect((await browser.open('/shop/try', { operation: 'POST /v1/none' })).status).toBe(404);
    expect(upstream.received.length).toBe(before);
  });

  test('sends nothing but the request on the screen: another operation is shown before it can be sent', async () => {
    const browser = visitor();
    const form = `/?operation=${encodeURIComponent(list.operation)}`;
    const [, other = '', name = ''] =
      /option value="([^"]+)" >([^<]+) \(/.exec((await browser.open(form)).html) ?? [];
    const [, path = ''] = other.split(' ');
    const typed = { path: '/v1/list', body: '{"max":50}', shown: list.operation };
    const loaded = await browser.open('/shop/try', { ...typed, operation: other, load: '1' });
    expect(loaded.headers.get('location')).toBe(`/?operation=${encodeURIComponent(other)}#try`);
    const before = upstream.received.length;
    for (const as of ['fields', 'raw']) {
      const { status, html } = await browser.open('/shop/try', { ...typed, operation: other, as });
      expect(status).toBe(422);
      expect(html).toContain(`role="alert">Nothing was sent. This is the example of ${name}. Check it`);
      expect(html).toContain(`name="shown" value="${other}"`);
      expect(html).toContain(`name="path" value="${path.split('{')[0]}`);
    }
    expect(upstream.received.length).toBe(before);
    expect(browser.cookies.size).toBe(0);
    const unknown = await browser.open('/?operation=POST+%2Fv1%2Fnone');
    expect([unknown.status, unknown.html.includes('This shop does not sell this operation.')]).toEqual([
      404,
      true,
    ]);
  });

  test('reads in a sentence why the API refused the input, in the form that can be corrected', async () => {
    const browser = visitor();
    const refused = {
      message: '<b>Max</b> is too large',
      errors: [{ field: 'max', message: 'Did you mean 9?' }],
    };
    const body = JSON.stringify({ max: 4, status: 422, answer: refused });
    const { html } = await browser.open('/shop/try', { ...list, body, as: 'raw' });
    expect(html).not.toContain('class="ok"');
    expect(html).toMatch(/<div class="note" role="alert"><p>Max: Did you mean 9\?<\/p><dl class="outcome">/);
    expect(html).toMatch(
      /<form class="request" method="post" action="\/shop\/try#try">(?!.*<details class="again">)/s,
    );
    expect(html).not.toContain('<b>Max');
    const plain = JSON.stringify({ max: 4, status: 400, answer: { message: '<b>No</b>' } });
    expect((await browser.open('/shop/try', { ...list, body: plain })).html).toContain(
      '<p>&lt;b&gt;No&lt;/b&gt;</p>',
    );
    const mute = JSON.stringify({ max: 4, status: 400, answer: [] });
    expect((await browser.open('/shop/try', { ...list, body: mute })).html).toContain(
      '<p>The API refused this request.</p>',
    );
  });

  test('buys on the card page, and comes back to the shop with the credit', async () => {
    const browser = visitor();
    await browser.open('/shop/start', {});
    const onward = await browser.send('/shop/buy', { plan: 'credit', amount_usd: '2.00' });
    const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
    expect(onward.headers.get('refresh')).toBe(`0; url=${link}`);
    const back = await fetch(await Person.pay(await Person.open(link)), { redirect: 'manual' });
    const { pathname, search } = new URL(back.headers.get('location') ?? '');
    expect(pathname).toBe('/shop/account');
    expect((await browser.open(pathname + search)).html).toMatch(
      /role="status">2.00 USD is paid. <a href="[^"]+\/receipts\//,
    );
    const stranger = visitor();
    await stranger.open('/shop/start', {});
    expect((await stranger.open(pathname + search)).html).not.toContain('is paid');
    expect(await shown(browser, 'balance')).toBe('2.00 USD');
    expect((await browser.open('/shop/account/billing')).html).toContain(`${shop.url}/receipts/`);
    const refused = await browser.open('/shop/buy', { plan: 'credit', amount_usd: '0.10' });
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/value="0\.10"[^>]*aria-invalid="true"/);
    expect(refused.html).toMatch(/id="amount-fault" role="alert">[^<]*0\.50/);
  });

  test('an unknown address is a page for people and JSON for programs', async () => {
    for (const path of ['/nope', '/shop/nope', '/docs/a/b']) {
      const { status, html } = await visitor().open(path);
      expect([status, html.includes('<h1>Page not found</h1>')]).toEqual([404, true]);
      const program = await Customer.send({ method: 'GET', url: `${shop.url}${path}`, headers: {} });
      expect([program.status, program.body.code]).toEqual([404, 'not_found']);
    }
  });

  test('keeps the input of a form that met a temporary error', async () => {
    const browser = visitor();
    await browser.open('/shop/start', {});
    await shop.sql`ALTER TABLE shop.subscription RENAME TO subscription_away`;
    try {
      const { status, html } = await browser.open('/shop/try', { ...list, body: '{"max":2}' });
      expect(status).toBe(500);
      expect(html).toContain('<form method="post" action="/shop/try">');
      expect(html).toContain('name="body" value="{&quot;max&quot;:2}"');
    } finally {
      await shop.sql`ALTER TABLE shop.subscription_away RENAME TO subscription`;
    }
    const large = await browser.open('/shop/try', { body: 'x'.repeat(2_000_000) });
    expect([large.status, large.html.includes('<h1>Your input is too long</h1>')]).toEqual([413, true]);
  });

  test('makes a key with a budget, which calls, and ends it', async () => {
    const browser = visitor();
    await browser.open('/shop/start', {});
    const made = await browser.send('/shop/account/keys', { name: 'job', budget_usd: '1.00', days: '' });
    expect((await browser.open('/shop/account/keys')).html).not.toMatch(/slk_[\w-]{43}/);
    const token = /slk_[\w-]{43}/.exec(made.html)?.[0] ?? '';
    const call = () => Customer.call({ token }, 'POST', `${shop.url}/v1/list`, { max: 1 });
    expect((await call()).status).toBe(200);
    const [, id = ''] =
      /name="key" value="([^"]+)"/.exec((await browser.open('/shop/account/keys')).html) ?? [];
    const asked = await browser.send('/shop/account/keys/end', { key: id });
    expect(asked.html).toContain('Revoke the key job?');
    expect((await call()).status).toBe(200);
    await browser.open('/shop/account/keys/end', { key: id, confirm: 'yes' });
    expect((await call()).status).toBe(401);
    expect((await browser.open('/shop/account/keys', { name: '', days: 'x' })).status).toBe(422);
    const { html } = await browser.open('/shop/account/keys', {
      name: 'night',
      budget_usd: '1,00',
      days: '',
    });
    expect(html).toContain('value="night"');
    expect(html).toMatch(/value="1,00" aria-invalid="true" aria-describedby="keys-budget_usd-fault"/);
    expect(html).toContain('id="keys-budget_usd-fault">Enter an amount such as 5.00<');
  });

  test('signs in elsewhere by the assertion, and leaves for good', async () => {
    const [one, two] = [visitor(), visitor()];
    await one.open('/shop/start', {});
    const assertion = one.cookies.get('sluice_visitor') ?? '';
    expect((await two.open('/shop/account/sign-in', { assertion })).status).toBe(303);
    expect(await shown(two, 'included')).toBe('25');
    expect((await two.open('/shop/account/sign-in', { assertion: `${assertion}x` })).status).toBe(401);
    const kept = two.cookies.get('sluice_visitor') ?? '';
    await two.open('/shop/leave', { confirm: 'yes' });
    two.cookies.set('sluice_visitor', kept);
    expect(await shown(two, 'included')).toBeUndefined();
    expect(await shown(one, 'included')).toBeUndefined();
  });
});

describe('a page of another site', () => {
  test('cannot send a form with the visitor’s cookie, nor show ours in a frame', async () => {
    const browser = visitor();
    const { headers } = await browser.open('/shop/start', {});
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax/);
    browser.site = 'cross-site';
    for (const path of [
      '/shop/buy',
      '/shop/try',
      '/shop/leave',
      '/shop/account/keys',
      '/shop/account/top-up',
    ])
      expect((await browser.open(path, { plan: 'credit' })).status).toBe(403);
    const bare = await fetch(`${shop.url}/shop/leave`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(bare.status).toBe(403);
    expect((await browser.open('/')).headers.get('content-security-policy')).toContain(
      "frame-ancestors 'none'",
    );
  });

  test('and nothing that is sent or answered becomes a part of the page', async () => {
    const browser = visitor();
    const script = '"><script>alert(1)</script>';
    const body = JSON.stringify({ max: 1, text: '</pre><script>alert(2)</script>' });
    for (const form of [
      { ...list, path: `/v1/list${script}`, body },
      { ...list, body },
      { ...list, body: `${script}</textarea>` },
    ])
      expect((await browser.open('/shop/try', form)).html).not.toContain('<script>alert');
    expect((await browser.open('/shop/account/keys', { name: script })).html).not.toContain('<script>alert');
    expect((await browser.open(`/?operation=${encodeURIComponent(script)}`)).html).not.toContain(
      '<script>alert',
    );
  });
});
