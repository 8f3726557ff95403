import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256Hex } from '@sluice/kernel/digest';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import * as Agent from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import { backOf, base, edit, hidden, publish, signedIn, unescaped } from '../support/catalogue-console.ts';
import { catalogue, openEdited } from '../support/edited-shop.ts';
import type * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
let elsewhere: string;
let here: string;
let there: string;
beforeAll(async () => {
  const opened = await openEdited();
  ({ shop, here, elsewhere, there } = opened);
  return opened.stop;
});
beforeEach(async () => {
  const owner = await signedIn(shop.url);
  const { html } = await owner.open(`${base}/file`);
  if (unescaped(/<textarea class="code"[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1] ?? '') === catalogue)
    return;
  await publish(owner, await owner.open(`${base}/file`, { base: hidden(html, 'base'), text: catalogue }));
});

/** The price of a plan on the public pages; undefined when it is not sold. */
async function priceOf(name: string, url = shop.url): Promise<string | undefined> {
  const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  return new RegExp(`>${name}\\s*<.*?(\\d+\\.\\d\\d)`, 's').exec(page)?.[1];
}

test('an edit is reviewed with its effects, published in every process, and keeps the comments', async () => {
  const owner = await signedIn(shop.url);
  const buyer = await Agent.registered(shop.url);
  const network = Network.of(shop.sandboxUrl);
  await Agent.pay(buyer, await Agent.offer(buyer, {}, 'small'), await network.mint());
  const review = await edit(owner, 'plans', { 'plans[1].price_usd': '12.00', 'plans[0].name': 'Prepaid' });
  expect(review.status).toBe(200);
  expect(review.html).toContain('raises a price');
  expect(review.html).toMatch(/<del>- {3}- \{ id: small.*<ins>\+ {3}- \{ id: small.*12\.00/s);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
  const done = await publish(owner, review, 'New year');
  expect(done.html).toMatch(/Published on [^.]*\. Buyers see it now\./);
  expect(done.html).toContain('12.00 USD per month');
  expect(done.html).not.toContain('10.00 USD per month');
  const text = catalogue
    .replace('"10.00"', '"12.00"')
    .replace('covers: "*" }\n  - { id: small', 'covers: "*", name: "Prepaid" }\n  - { id: small');
  expect(await readFile(here, 'utf8')).toBe(text);
  await expect.poll(() => readFile(there, 'utf8')).toBe(text);
  await expect.poll(() => priceOf('Small', elsewhere)).toBe('12.00');
  expect(done.html).toMatch(/<small>New year<\/small><\/th><td[^>]*>Admin token<\/td>/);
  expect(await readdir(dirname(here))).toEqual(['catalog.yaml']);
  // The revert is an edit, too.
  const history = /href="([^"]*\/history\/\d+)"/.exec(done.html)?.[1] ?? '';
  const { html } = await owner.open(history);
  expect(html).toMatch(/Plan Small<\/h3>\s*<ul><li>Price: 10\.00 → 12\.00 USD \(\+20%\)/);
  const back = await owner.open(`${base}/file`, { base: hidden(html, 'base'), text: hidden(html, 'text') });
  expect((await publish(owner, back)).html).toContain('Published on ');
  expect(await readFile(here, 'utf8')).toBe(catalogue);
  const reloads = await shop.sql<{ who: string }[]>`SELECT who FROM shop.audit WHERE act = 'reload'`;
  expect(reloads.every(({ who }) => /^(admin at|requested by)/.test(who))).toBe(true);
});

test.each([
  [
    'sends the key in another header',
    'Line 3</a>: upstream.key.header',
    (text: string) => text.replace('x-api-key', 'x-copy'),
  ],
  [
    'sends the key to another address',
    '<li>upstream.key',
    (text: string) =>
      text.replace(
        'upstream: { key: { header: x-api-key } }',
        'upstreams: { main: { url: "https://elsewhere.example", key: { header: x-api-key, from: { env: UPSTREAM_API_KEY } } } }',
      ),
  ],
  [
    'sells a further operation of the API',
    '</a>: services\\[0\\].operations\\[1\\].call',
    (text: string) =>
      text.replace('units_max: 10 }\n', 'units_max: 10 }\n      - { call: GET /v1/keys, units: 1 }\n'),
  ],
  [
    'reads another description',
    'Line 3</a>: upstream.description',
    (text: string) => text.replace('{ key:', '{ description: ../api.yaml, key:'),
  ],
])(
  'an edit that %s is refused, because a session of the console must not reach the key',
  async (_, problem, change) => {
    const owner = await signedIn(shop.url);
    const { html } = await owner.open(`${base}/file`);
    const text = change(catalogue);
    const proposed = await owner.open(`${base}/file`, { base: hidden(html, 'base'), text });
    expect(proposed.status).toBe(422);
    expect(proposed.html).toMatch(
      new RegExp(`${problem} decides .*can only be changed in the file on the server`),
    );
    const sent = await owner.open(`${base}/publish`, {
      act: 'publish',
      base: hidden(html, 'base'),
      text,
      note: '',
    });
    expect(sent.status).toBe(422);
    expect(await readFile(here, 'utf8')).toBe(catalogue);
  },
);

test('a publication that is sent again, or twice at once, is reported as published', async () => {
  const owner = await signedIn(shop.url);
  const review = await edit(owner, 'plans', { 'plans[1].price_usd': '13.00' });
  const both = await Promise.all([publish(owner, review), publish(owner, review)]);
  for (const { status, html } of [...both, await publish(owner, review)]) {
    expect([status, html.includes('Published on ')]).toEqual([200, true]);
    expect(html).not.toContain('Nothing was published');
  }
  expect((await owner.open(`${base}?published=1`)).html).not.toContain('Published on ');
  expect((await owner.open(`${base}/publish`)).headers.get('location')).toBe(base);
  const back = await edit(owner, 'plans', { 'plans[1].price_usd': '10.00' });
  expect((await publish(owner, back)).status).toBe(200);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('a review leads back to its form with what was typed', async () => {
  const owner = await signedIn(shop.url);
  const review = await edit(owner, 'plans', { 'plans[1].price_usd': '14.00', 'new.name': 'Grand "one"' });
  expect(review.status).toBe(422);
  const sound = await edit(owner, 'plans', {
    'plans[1].price_usd': '14.00',
    'plans[1].description': 'Two\nlines "quoted"',
  });
  const { path, fields } = backOf(sound);
  expect([path, fields.act]).toEqual([`${base}/plans`, 'back']);
  const again = await owner.open(path, fields);
  expect(again.status).toBe(200);
  expect(again.html).toMatch(/name="plans\[1\]\.price_usd"[^>]* value="14\.00"/);
  expect(again.html).toContain('>Two\nlines &quot;quoted&quot;</textarea>');
  const text = `${catalogue}# a comment\n`;
  const file = await edit(owner, 'file', { text });
  const whole = await owner.open(backOf(file).path, backOf(file).fields);
  expect([whole.status, whole.html.includes('# a comment\n</textarea>')]).toEqual([200, true]);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('limits of an upstream can be edited', async () => {
  const owner = await signedIn(shop.url);
  const { html } = await owner.open(`${base}/file`);
  const text = catalogue.replace('{ key:', '{ timeout_ms: 20000, limits: { queue: 8 }, key:');
  const review = await owner.open(`${base}/file`, { base: hidden(html, 'base'), text });
  expect((await publish(owner, review)).html).toContain('Published on ');
});

test('a bad value is refused beside its field, and a shared one with a way out', async () => {
  const owner = await signedIn(shop.url);
  const bad = await edit(owner, 'plans', { 'plans[1].price_usd': '0.10', 'plans[1].included': 'many' });
  expect(bad.status).toBe(422);
  expect(bad.html).toMatch(/id="plans\[1\]\.included-fault">Included results is not a whole number/);
  expect(bad.html).toMatch(/id="plans\[1\]\.included" name="plans\[1\]\.included"[^>]*value="many"/);
  const missing = await edit(owner, 'brand', { 'storefront.name': '' });
  expect(missing.html).toMatch(/id="storefront\.name-fault">/);
  const plan = await edit(owner, 'plans', {
    'new.price_usd': '1',
    'new.every': 'year',
    'new.included': '5',
  });
  expect([plan.status, plan.html.includes('id="new.name-fault"')]).toEqual([422, true]);
  const none = await edit(owner, 'plans', { 'new.name': 'Big One', 'new.price_usd': '9', 'new.covers': '' });
  expect([none.status, none.html.includes('id="new.covers-fault"')]).toEqual([422, true]);
  const broken = await edit(owner, 'file', { text: 'plans: [' });
  expect([broken.status, broken.html.includes('<a href="#line-1">Line 1</a>: ')]).toEqual([422, true]);
  expect(broken.html).toContain('<span id="line-1" class="bad">1</span>');
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('an edit of a file that has changed meanwhile is refused, and of two at once one is published', async () => {
  const owner = await signedIn(shop.url);
  const review = await edit(owner, 'prices', { 'services[0].price_usd': '0.002' });
  const other = await edit(owner, 'prices', { 'services[0].price_usd': '0.003' });
  const both = await Promise.all([publish(owner, review), publish(owner, other)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
  const [first] = both;
  const stale = await publish(owner, first?.status === 422 ? review : other);
  expect([stale.status, stale.html.includes('The file has changed since this page was loaded')]).toEqual([
    422,
    true,
  ]);
  const { html } = await owner.open(`${base}/prices`);
  await writeFile(here, `${await readFile(here, 'utf8')}# by hand\n`);
  const late = await owner.open(`${base}/prices`, {
    base: hidden(html, 'base'),
    'services[0].price_usd': '0.004',
  });
  expect([late.status, late.html.includes('value="0.004"')]).toEqual([422, true]);
  expect(await readFile(here, 'utf8')).toContain('# by hand');
});

test('a whole file that is edited in two browsers keeps both edits, or names what one of them would undo', async () => {
  const owner = await signedIn(shop.url);
  const stale = hidden((await owner.open(`${base}/file`)).html, 'base');
  const shown = (html: string) =>
    unescaped(/<textarea class="code"[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1] ?? '');
  await publish(owner, await edit(owner, 'plans', { 'plans[1].price_usd': '12.00' }));
  const apart = catalogue.replace('name: Lists ', 'name: Rows ');
  const merged = await owner.open(`${base}/file`, { base: stale, text: apart });
  expect([merged.status, merged.html.includes('were merged with the new file')]).toEqual([422, true]);
  expect(shown(merged.html)).toBe(apart.replace('"10.00"', '"12.00"'));
  const same = catalogue.replace('included: 100', 'included: 150');
  const conflict = await owner.open(`${base}/file`, { base: stale, text: same });
  expect(conflict.html).toMatch(/What your text would undo.*<del>- .*12\.00.*<ins>\+ .*10\.00/s);
  const back = await owner.open(`${base}/file`, { base: hidden(conflict.html, 'base'), text: catalogue });
  expect(back.html).toMatch(/This takes back what Admin token published on/);
  expect(back.html).not.toContain('harmless');
  await writeFile(here, `${await readFile(here, 'utf8')}# by hand\n`);
  const unknown = await owner.open(`${base}/file`, { base: sha256Hex('another'), text: apart });
  expect(unknown.html).toContain('it replaces the whole new file');
  expect(unknown.html).toMatch(/<del>- # by hand<\/del>/);
});

test('lines are found in a text that is not saved yet, which stays as it is', async () => {
  const owner = await signedIn(shop.url);
  const stale = hidden((await owner.open(`${base}/file`)).html, 'base');
  const text = `${catalogue}# PRICE_USD <b>\n`;
  const at = text.split('\n').flatMap((line, nth) => (/price_usd/i.test(line) ? [nth + 1] : []));
  const { status, html } = await owner.open(`${base}/file`, {
    ...{ base: stale, act: 'find', sought: 'price_usd' },
    text: text.replaceAll('\n', '\r\n'),
  });
  expect(status).toBe(200);
  expect([...html.matchAll(/<a href="#line-(\d+)">/g)].map(([, line]) => Number(line))).toEqual(at);
  for (const line of at) expect(html).toContain(`<span id="line-${line}">${line}</span>`);
  expect(unescaped(/<textarea class="code"[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1] ?? '')).toBe(text);
  expect(hidden(html, 'base')).toBe(stale);
  const none = await owner.open(`${base}/file`, { base: stale, act: 'find', sought: '<i>', text });
  expect(none.html).toContain('No line with “&lt;i&gt;”.');
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('a plan that buyers hold is not taken away, and the file stays', async () => {
  const owner = await signedIn(shop.url);
  const { html } = await owner.open(`${base}/file`);
  const text = catalogue.replace(/ {2}- \{ id: small.*\n/, '');
  const review = await owner.open(`${base}/file`, { base: hidden(html, 'base'), text });
  expect(review.html).toContain('These changes cannot be published');
  const forced = await owner.open(`${base}/publish`, {
    ...{ act: 'publish', base: hidden(html, 'base') },
    ...{ text, note: '' },
  });
  expect(forced.status).toBe(422);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
  const [banner = ''] = /<section class="banner">.*?<\/section>/s.exec(review.html) ?? [];
  const instead = await owner.open(`${base}/file`, {
    base: hidden(html, 'base'),
    text: hidden(banner, 'text'),
  });
  expect(instead.html).toMatch(/Plan Small: retired.*Publish changes/s);
});

test('a revert stops the sale of a plan that was added, and a second one removes it', async () => {
  const owner = await signedIn(shop.url);
  const plan = { 'new.name': 'Grader', 'new.covers': 'lists', 'new.price_usd': '9.00', 'new.included': '5' };
  const added = await publish(owner, await edit(owner, 'plans', { ...plan, 'new.every': 'month' }));
  const history = /href="([^"]*\/history\/\d+)"/.exec(added.html)?.[1] ?? '';
  const revert = async () => {
    const { html } = await owner.open(history);
    return owner.open(`${base}/file`, { base: hidden(html, 'base'), text: hidden(html, 'text') });
  };
  const retiring = await revert();
  expect(retiring.html).toMatch(/Plan Grader: retired/);
  expect((await publish(owner, retiring)).html).toContain('Published on ');
  expect(await priceOf('Grader')).toBeUndefined();
  expect((await publish(owner, await revert())).html).toContain('Published on ');
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('a new plan and branding are in force at once', async () => {
  const owner = await signedIn(shop.url);
  const plan = {
    'new.name': 'Big',
    'new.description': 'For many lists',
    'new.covers': 'lists',
    'new.price_usd': '99.00',
    'new.every': 'year',
    'new.included': '5000',
  };
  expect((await publish(owner, await edit(owner, 'plans', plan))).status).toBe(200);
  expect(await priceOf('Big')).toBe('99.00');
  expect(await readFile(here, 'utf8')).toMatch(/id: "?big"?.*\n?.*For many lists/s);
  // A second plan of the same name gets an id of its own.
  const again = await edit(owner, 'plans', { ...plan, 'new.included': '6000' });
  expect([
    again.status,
    again.html.includes('id: &quot;big-2&quot;') || again.html.includes('id: big-2'),
  ]).toEqual([200, true]);
  const brand = {
    'storefront.name': 'New & name',
    'storefront.brand.colour': '#aa0000',
    'storefront.links.terms': 'https://example.com/terms',
  };
  expect((await publish(owner, await edit(owner, 'brand', brand))).status).toBe(200);
  const front = await (await fetch(`${shop.url}/`, { headers: { accept: 'text/html' } })).text();
  expect([front.includes('New &amp; name'), front.includes('https://example.com/terms')]).toEqual([
    true,
    true,
  ]);
  expect(await readFile(here, 'utf8')).toContain('# by the piece');
});
