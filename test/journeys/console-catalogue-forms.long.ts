import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Shown } from '../support/browser.ts';
import { chatService } from '../support/catalog-services.ts';
import { backOf, base, edit, hidden, publish, type Roaming, signedIn } from '../support/catalogue-console.ts';
import { catalogue, openEdited } from '../support/edited-shop.ts';
import * as Program from '../support/program.ts';
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

test('a file that may not be written is offered for download', async () => {
  await chmod(dirname(dirname(here)), 0o755);
  await chmod(dirname(here), 0o555);
  try {
    const owner = await signedIn(await shop.addStorefront({ CATALOG: here }, Program.unprivileged));
    const review = await edit(owner, 'prices', { 'services[0].price_usd': '0.005' });
    expect(review.html).toContain('Download the edited file');
    expect((await publish(owner, review)).status).toBe(422);
    expect(await readFile(here, 'utf8')).toBe(catalogue);
    const form = { act: 'download', base: '', text: hidden(review.html, 'text') };
    const file = await owner.open(`${base}/publish`, form);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="catalog.yaml"');
    expect(file.html).toBe(catalogue.replace('"0.001"', '"0.005"'));
  } finally {
    await chmod(dirname(here), 0o755);
  }
});

/** Replaces the file on the server, and publishes it: the console adds no operations. */
async function publishFile(owner: Roaming, text: string): Promise<void> {
  await writeFile(here, text);
  const { html } = await owner.open(base);
  expect((await owner.open(base, { digest: hidden(html, 'digest') })).html).toContain('Published.');
}

const metered = catalogue
  .replace('plans:', `${chatService}plans:`)
  .replace('subscription, covers: "*"', 'subscription, covers: [lists]');

test('the prices of meters are edited, added and removed, with their effects on buyers', async () => {
  const owner = await signedIn(shop.url);
  await publishFile(owner, metered);
  const dearer = await edit(owner, 'prices', {
    'services[1].prices.small-1.input': '0.20',
    'new[1].key': 'gpt-4.1: mini',
    'new[1].per': '1000',
    'new[1].input': '0.001',
    'new[1].output': '0.002',
  });
  expect([dearer.status, dearer.html.includes('raises a price')]).toEqual([200, true]);
  await publish(owner, dearer);
  expect(await readFile(here, 'utf8')).toBe(
    metered
      .replace('input: "0.15"', 'input: "0.20"')
      .replace(
        'output: "10.00" }\n',
        'output: "10.00" }\n      "gpt-4.1: mini": { per: 1000, input: "0.001", output: "0.002" }\n',
      ),
  );
  const bad = await edit(owner, 'prices', { 'services[1].prices.large-1.output': 'much' });
  expect(bad.html).toMatch(/<details open><summary>Prices of large-1/);
  expect(bad.html).toMatch(/id="services\[1\]\.prices\.large-1\.output-fault">/);
  const fewer = await edit(owner, 'prices', {
    'services[1].prices.large-1': 'true',
    'services[1].prices.large-1.input': '3',
  });
  expect(fewer.html).toContain('removes something');
  await publish(owner, fewer);
  expect(await readFile(here, 'utf8')).not.toContain('large-1');
  // A plan of every service includes usage in dollars, for which the form has a field.
  const plan = { 'new.name': 'Grand', 'new.price_usd': '20.00', 'new.every': 'month', 'new.covers': '*' };
  const counted = await edit(owner, 'plans', { ...plan, 'new.included': '5,000' });
  expect(counted.html).toContain('Chat is paid by meter, not in results.');
  expect(counted.html).toContain('id="new.included_usd"');
  const usage = await edit(owner, 'plans', { ...plan, 'new.included_usd': '5.00' });
  expect([usage.status, hidden(usage.html, 'text').includes('included_usd: "5.00"')]).toEqual([200, true]);
  const some = { ...plan, 'new.covers': 'lists', 'new.included': '5,000' };
  expect(hidden((await edit(owner, 'plans', some)).html, 'text')).toContain('included: 5000');
  await publishFile(owner, catalogue);
});

const several = catalogue.replace(
  'plans:',
  `  - slug: people
    name: People
    price_usd: "0.002"
    operations:
      - { call: GET /v1/people, units: /count, units_max: 10 }
  - slug: clock
    name: Clock
    price_usd: "0.00"
    operations:
      - { call: GET /v1/clock, units: 1 }
plans:`,
);

test('one price is set for all services that cost something, except those that are changed themselves', async () => {
  const owner = await signedIn(shop.url);
  await publishFile(owner, several);
  const all = await edit(owner, 'prices', { 'all[result]': '0.004', 'services[1].price_usd': '0.003' });
  expect(all.status).toBe(200);
  await publish(owner, all);
  expect(await readFile(here, 'utf8')).toBe(
    several.replace('"0.001"', '"0.004"').replace('"0.002"', '"0.003"'),
  );
  const bad = await edit(owner, 'prices', { 'all[result]': 'cheap' });
  expect([bad.status, bad.html.includes('id="all[result]-fault"')]).toEqual([422, true]);
  await publishFile(owner, catalogue);
});

test('a preview of the branding shows what was typed, and changes nothing', async () => {
  const owner = await signedIn(shop.url);
  const shown = await edit(owner, 'brand', {
    act: 'preview',
    'storefront.name': 'Previewed',
    'storefront.brand.colour': '#7a1fa2',
    'storefront.brand.font': 'serif}body{display:none',
  });
  expect([shown.status, shown.html.includes('<b>Previewed</b>')]).toEqual([200, true]);
  expect(shown.html).toMatch(/\.shop-preview\{--accent:#[0-9a-f]{6}/);
  expect(/<style>[^<]*display:none[^<]*<\/style>\s*<div class="shop-preview"/.test(shown.html)).toBe(false);
  const odd = await edit(owner, 'brand', { act: 'preview', 'storefront.brand.colour': 'red}body{color:red' });
  expect(odd.html).not.toMatch(/<style>[^<]*color:red/);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('a plan without a description has none in its field, and one that names another price is marked', async () => {
  const owner = await signedIn(shop.url);
  const page = (await owner.open(`${base}/plans`)).html;
  expect(page).toMatch(/name="plans\[1\]\.description"[^>]* placeholder="[^"]+"><\/textarea>/);
  const dearer = await edit(owner, 'plans', { 'plans[1].price_usd': '12.00' });
  expect([dearer.status, dearer.html.includes('but its price is')]).toEqual([200, false]);
  const told = { 'plans[1].price_usd': '12.00', 'plans[1].description': 'Ten calls for 10 USD.' };
  const wrong = await edit(owner, 'plans', told);
  expect(wrong.html).toMatch(/The description of \w+ names 10 USD, but its price is 12\.00 USD/);
  const right = await edit(owner, 'plans', { ...told, 'plans[1].description': 'Ten calls for $12.' });
  expect([right.status, right.html.includes('but its price is')]).toEqual([200, false]);
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('the services of a plan are chosen by boxes', async () => {
  const owner = await signedIn(shop.url);
  await publishFile(owner, metered);
  const page = (await owner.open(`${base}/plans`)).html;
  expect(page).toMatch(/name="plans\[0\]\.covers" value="\*" checked/);
  expect(page).toMatch(/name="plans\[1\]\.covers" value="lists" checked/);
  const only = await edit(owner, 'plans', { 'plans[0].covers': 'chat' });
  expect([only.status, only.html.includes('covers: &quot;*&quot;')]).toEqual([200, true]);
  await publish(owner, only);
  expect(await readFile(here, 'utf8')).toContain('id: credit, kind: credit, covers: ["chat"] }');
  const none = await edit(owner, 'plans', { 'plans[0].covers': '' });
  expect([none.status, none.html.includes('id="plans[0].covers-fault"')]).toEqual([422, true]);
  const all = await edit(owner, 'plans', { 'plans[0].covers': '*' });
  await publish(owner, all);
  expect(await readFile(here, 'utf8')).toBe(metered);
  await publishFile(owner, catalogue);
});

test('a form shows the names of the services, and its faults name the field in words', async () => {
  const owner = await signedIn(shop.url);
  const page = (await owner.open(`${base}/plans`)).html;
  expect(page).toMatch(/name="plans\[1\]\.covers" value="lists"[^>]*> Lists</);
  expect(page).toContain('of 1 services are chosen');
  const bad = await edit(owner, 'plans', { 'plans[1].price_usd': '0.10' });
  expect(bad.html).toContain('<a href="#plans[1].price_usd">Small: Price</a>');
  expect(/id="plans\[1\]\.price_usd-fault">([^<]*)/.exec(bad.html)?.[1]).toMatch(
    /^Price 0\.10 is below .* enter at least 0\.50\.$/,
  );
  // Quotes belong to the file, not to the form.
  const comma = await edit(owner, 'prices', { 'services[0].price_usd': '0,002' });
  expect(/id="services\[0\]\.price_usd-fault">([^<]*)/.exec(comma.html)?.[1]).toMatch(
    /: enter a decimal amount with at most six decimals, such as 0\.001\.$/,
  );
});

test('a form of an old page keeps what was changed in it, and does not undo the edit of somebody else', async () => {
  const owner = await signedIn(shop.url);
  const { html } = await owner.open(`${base}/plans`);
  const stale = { base: hidden(html, 'base'), was: hidden(html, 'was') };
  await publish(owner, await edit(owner, 'plans', { 'plans[1].price_usd': '12.00' }));
  const sent = { ...stale, 'plans[1].price_usd': '10.00', 'plans[1].included': '150' };
  const again = await owner.open(`${base}/plans`, sent);
  const value = (name: string) =>
    new RegExp(`name="plans\\[1\\]\\.${name}"[^>]*value="([^"]*)"`).exec(again.html)?.[1];
  expect([again.status, value('price_usd'), value('included')]).toEqual([422, '12.00', '150']);
  expect(again.html).toContain('id="plans[1].price_usd-hint">Another person changed this. Now 12.00.<');
  expect(again.html).toContain('<a href="#plans[1].price_usd">Small: Price</a>: now 12.00<');
  expect(again.html).not.toContain('id="plans[1].included-hint"');
  await publish(owner, await edit(owner, 'plans', { 'plans[1].price_usd': '10.00' }));
  expect(await readFile(here, 'utf8')).toBe(catalogue);
  await expect.poll(() => readFile(there, 'utf8')).toBe(catalogue);
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Sends the form of the logo as a browser does. */
async function upload(
  owner: Roaming,
  bytes: Uint8Array,
  others: Record<string, string> = {},
): Promise<Shown> {
  const { html } = await owner.open(`${base}/brand`);
  const form = new FormData();
  form.set('base', hidden(html, 'base'));
  form.set('upload', new File([new Uint8Array(bytes)], 'logo.png'));
  for (const [field, value] of Object.entries(others)) form.set(field, value);
  const cookie = [...owner.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const response = await fetch(`${shop.url}${base}/brand`, {
    method: 'POST',
    headers: { accept: 'text/html', cookie, 'sec-fetch-site': 'same-origin' },
    body: form,
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

test('a wrong colour and a wrong logo are named together', async () => {
  const owner = await signedIn(shop.url);
  const { html } = await upload(owner, Buffer.from('no image'), { 'storefront.brand.colour': 'red' });
  expect(html).toMatch(/id="storefront\.brand\.colour-fault"/);
  expect(html).toMatch(/id="upload-fault"/);
  expect(html).toMatch(
    /<a href="#upload">.*<a href="#storefront\.brand\.colour">|<a href="#storefront\.brand\.colour">.*<a href="#upload">/s,
  );
});

test('a logo is uploaded, reviewed, served strictly in every process, and removed by a revert', async () => {
  const owner = await signedIn(shop.url);
  const review = await upload(owner, png);
  expect(review.status).toBe(200);
  expect((await publish(owner, review)).status).toBe(200);
  await expect
    .poll(() => readFile(there, 'utf8'))
    .toContain(`"data:image/png;base64,${png.toString('base64')}"`);
  for (const url of [shop.url, elsewhere]) {
    await expect.poll(async () => (await fetch(`${url}/shop/logo`)).status).toBe(200);
    const logo = await fetch(`${url}/shop/logo`);
    expect(Buffer.from(await logo.arrayBuffer()).equals(png)).toBe(true);
    expect(logo.headers.get('content-type')).toBe('image/png');
    expect(logo.headers.get('x-content-type-options')).toBe('nosniff');
    expect(logo.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox/);
  }
  const { html } = await owner.open(`${base}/brand`);
  expect(html).toMatch(/<img src="\/shop\/logo" alt="Present logo">.*Uploaded here/);
  await publishFile(owner, catalogue);
  expect((await fetch(`${shop.url}/shop/logo`)).status).toBe(404);
});

test('a logo of 64 KiB can be reviewed', async () => {
  const headerBytes = 33;
  const rest = Buffer.alloc(65_536 - png.length);
  rest.writeUInt32BE(rest.length - 12);
  rest.write('tEXt', 4);
  const large = Buffer.concat([png.subarray(0, headerBytes), rest, png.subarray(headerBytes)]);
  const review = await upload(await signedIn(shop.url), large);
  expect([review.status, review.html.includes('Review changes')]).toEqual([200, true]);
});

test('a chosen logo is in the preview, and stays chosen until it is published or dropped', async () => {
  const owner = await signedIn(shop.url);
  const image = png.toString('base64');
  const shown = await upload(owner, png, { act: 'preview' });
  expect(shown.status).toBe(200);
  expect(shown.html).toMatch(/class="shop-preview"[^>]*><p><img src="data:image\/png;base64,/);
  expect(hidden(shown.html, 'kept')).toBe(image);
  const none = Buffer.alloc(0);
  const review = await upload(owner, none, { kept: image });
  expect(review.html).toContain('Review changes');
  const back = backOf(review);
  expect(hidden((await owner.open(back.path, back.fields)).html, 'kept')).toBe(image);
  const dropped = await upload(owner, none, { kept: image, drop: 'true' });
  expect([dropped.status, dropped.html.includes('Nothing was changed in the form.')]).toEqual([422, true]);
  const odd = await upload(owner, none, { act: 'preview', kept: Buffer.from('GIF89a').toString('base64') });
  expect(odd.html).toContain('id="upload-fault">The image is not a complete PNG');
  expect(odd.html).not.toContain('src="data:');
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});

test('a file that is not a small PNG image is refused beside its field', async () => {
  const owner = await signedIn(shop.url);
  const padded = Buffer.alloc(70_000);
  png.copy(padded);
  const script = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
  const huge = Buffer.from(png);
  huge.writeUInt32BE(100_000, 16);
  const cases: [Buffer, RegExp][] = [
    [padded, /70000 bytes/],
    [Buffer.from(script), /is an SVG, which can contain scripts/],
    [Buffer.from('GIF89a'), /not a complete PNG/],
    [Buffer.concat([png, Buffer.from(script)]), /not a complete PNG/],
    [huge, /100000 by 1 pixels/],
  ];
  for (const [bytes, reason] of cases) {
    const refused = await upload(owner, bytes);
    expect([refused.status, /id="upload-fault">([^<]*)/.exec(refused.html)?.[1]]).toEqual([
      422,
      expect.stringMatching(reason),
    ]);
  }
  expect(await readFile(here, 'utf8')).toBe(catalogue);
});
