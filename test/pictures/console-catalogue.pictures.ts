import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { openReceiver, type Receiver } from '../events/receiver.ts';
import { keys } from '../events/secrets.ts';
import * as Agent from '../purchase/agent.ts';
import * as Program from '../support/program.ts';
import { at, front, openSite, type Site, Visitor } from './history.ts';

const catalogue = `# The shop of the pictures.
storefront: { name: Lovelace Data, contact: sales@example.com, description: Lists of people and answers }
upstream: { key: { header: x-api-key } }
services:
  - slug: lists
    name: Lists
    price_usd: "0.001"
    operations:
      - { call: POST /v2/search/people, units: /results_length, units_max: 100 }
  - slug: people
    name: People
    price_usd: "0.002"
    operations:
      - { call: GET /v1/people, units: /count, units_max: 10 }
  - slug: chat
    name: Chat
    meters:
      input: { unit: input token, count: /usage/prompt_tokens }
      output: { unit: output token, count: /usage/completion_tokens }
    price_by: /model
    prices:
      small-1: { per: 1000000, input: "0.15", output: "0.60" }
      large-1: { per: 1000000, input: "2.50", output: "10.00" }
    operations:
      - call: POST /v1/chat
        max: { input: { bytes: 1 }, output: { pointer: /max_tokens, default: 100, ceiling: 1000 } }
plans:
  - { id: credit, kind: credit, covers: "*" }
  - { id: small, kind: subscription, covers: [lists, people], price_usd: "10.00", every: month, included: 100 }
`;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let folder: string;
let file: string;
let site: Site;
let seller: Visitor;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
  file = join(folder, 'catalog.yaml');
  await writeFile(file, catalogue);
  site = await openSite({ env: { CATALOG: file, ENCRYPTION_KEYS: keys } });
  const buyer = await Agent.registered(site.shop.url);
  await Agent.pay(buyer, await Agent.offer(buyer, {}, 'small'), await site.network.mint(), 'small');
  seller = await Visitor.at(site);
  await seller.signIn();
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

const form = (name: string) => at(`catalogue/${name}`);
/** Sets a field by its name in the file. */
const set = (name: string, value: string) =>
  seller.page.locator(`[name="${name}"]:not([type=hidden])`).first().fill(value);

test('plans and prices are edited, reviewed and published', async () => {
  seller.group = 'console-catalogue';
  await seller.see(at('catalogue'), 'plans and services');
  seller.group = 'console-plans';
  await seller.see(form('plans'), 'form');
  await seller.unfold('Small', 'Add a plan');
  await seller.shot('one plan and the new plan open');
  await set('plans[1].price_usd', '0.10');
  await set('plans[1].included', 'many');
  await seller.press('Review changes');
  await seller.shot('refused with two faults');
  await set('plans[1].price_usd', '12.00');
  await set('plans[1].included', '80');
  await seller.press('Review changes');
  seller.group = 'console-review';
  await seller.shot('a price rises and less is included');
  await seller.press('Back to the form');
  seller.group = 'console-plans';
  await seller.shot('back from the review');
  await seller.press('Review changes');
  await seller.fill({ 'Note for the history (optional)': 'New year' });
  await seller.press('Publish changes');
  seller.group = 'console-catalogue';
  await seller.shot('published');
  await seller.follow('Changes and revert');
  seller.group = 'console-publication';
  await seller.shot('changes and revert');
  await seller.press('Review the revert');
  seller.group = 'console-review';
  await seller.shot('takes back the last publication');
  seller.group = 'console-plans';
  await seller.open(form('plans'));
  await seller.unfold('Add a plan');
  await set('new.name', 'Grand');
  await set('new.price_usd', '99.00');
  await set('new.included', '5000');
  await seller.press('Review changes');
  seller.group = 'console-review';
  await seller.shot('a new plan');
  seller.group = 'console-prices';
  await seller.see(form('prices'), 'form');
  await seller.unfold(/^All prices/);
  await seller.unfold('Prices of small-1', 'Add prices');
  await seller.shot('prices of the models open');
  await set('all[result]', 'cheap');
  await seller.press('Review changes');
  await seller.shot('refused');
  await set('all[result]', '0.004');
  await seller.press('Review changes');
  seller.group = 'console-review';
  await seller.shot('one price for all services');
});

test('another person, another process and the file on the server', async () => {
  seller.group = 'console-plans';
  await seller.open(form('plans'));
  await seller.unfold('Small');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"12.00"', '"15.00"'));
  await set('plans[1].price_usd', '11.00');
  await set('plans[1].included', '120');
  await seller.press('Review changes');
  await seller.shot('another person changed a field meanwhile');
  seller.group = 'console-catalogue';
  await seller.see(at('catalogue'), 'changes of the files that are not in force');
  await writeFile(file, 'plans: [');
  await seller.see(at('catalogue'), 'files with errors');
  await writeFile(file, text.replace(/ {2}- \{ id: small.*\n/, ''));
  await seller.see(at('catalogue'), 'changes that cannot be published');
  await writeFile(file, text);
  seller.group = 'console-file';
  await seller.see(form('file'), 'the whole file');
  await seller.fill({ 'Find in the file': 'price_usd' });
  await seller.press('Find');
  await seller.shot('lines found');
  await seller.fill({ 'Find in the file': 'nothing like this' });
  await seller.press('Find');
  await seller.shot('no line found');
  await set('text', 'plans: [');
  await seller.press('Review changes');
  await seller.shot('not readable');
  await set('text', text.replace('x-api-key', 'x-copy'));
  await seller.press('Review changes');
  await seller.shot('refused, decides where the key is sent');
  await seller.open(form('file'));
  await writeFile(file, text.replace('"12.00"', '"13.00"'));
  await set('text', text.replace('"12.00"', '"14.00"'));
  await seller.press('Review changes');
  await seller.shot('would undo the edit of another person');
  await writeFile(file, text);
  await seller.open(form('file'));
  await set('text', text.replace(/ {2}- \{ id: small.*\n/, ''));
  await seller.press('Review changes');
  seller.group = 'console-review';
  await seller.shot('cannot be published, buyers hold the plan');
  await seller.open(form('prices'));
  await set('services[0].price_usd', '0.005');
  await seller.press('Review changes');
  await appendFile(file, '# by hand\n');
  await seller.press('Publish changes');
  await seller.shot('refused, the file has changed');
  await chmod(folder, 0o555);
  const url = await site.shop.addStorefront({}, Program.unprivileged);
  const other = await Visitor.at({ browser: site.browser, shop: { ...site.shop, url } });
  await other.signIn();
  other.group = 'console-review';
  await other.open(form('prices'));
  await other.page.locator('[name="services[0].price_usd"]').fill('0.005');
  await other.press('Review changes');
  await other.shot('file that may not be written');
  await chmod(folder, 0o755);
  await other.leave();
});

test('the branding is previewed, with a logo', async () => {
  seller.group = 'console-brand';
  await seller.see(form('brand'), 'form');
  await set('storefront.brand.colour', '#7a1fa2');
  await set('storefront.name', 'Previewed name');
  await seller.page
    .locator('#upload')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
  await seller.press('Update the preview');
  await seller.shot('preview with a chosen logo');
  const buffer = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  await seller.page.locator('#upload').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer });
  await set('storefront.brand.colour', 'red');
  await seller.press('Review changes');
  await seller.shot('refused, colour and logo');
  await set('storefront.brand.colour', '#7a1fa2');
  await seller.page
    .locator('#upload')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
  await seller.press('Review changes');
  seller.group = 'console-review';
  await seller.shot('new name, colour and logo');
  await seller.press('Publish changes');
  seller.group = 'console-brand';
  await seller.see(form('brand'), 'with the present logo');
  seller.group = 'console-overview';
  await seller.see(front, 'after publishing a brand');
});

test('events and their endpoints', async () => {
  const refuses = new Set(['event.test']);
  const receiver: Receiver = await openReceiver(
    () => [],
    ({ type }) => (refuses.has(type) ? 500 : 204),
  );
  try {
    seller.group = 'console-events';
    await seller.see(at('events'), 'no endpoints yet');
    await seller.unchecked();
    await seller.fill({ Address: 'https://10.0.0.1/' });
    await seller.press('Add endpoint');
    await seller.shot('address refused');
    await seller.fill({ Address: receiver.url });
    await seller.press('Add endpoint');
    await seller.shot('endpoint added, secret shown once');
    await seller.press('Send a test event');
    await seller.shot('test event sent');
    await Agent.registered(site.shop.url);
    const attempted = () => site.shop.sql`SELECT 1 FROM shop.event_endpoint WHERE failing_since IS NOT NULL`;
    for (let tries = 0; tries < 50 && (await attempted()).length === 0; tries += 1)
      await seller.open(at('events'));
    await seller.unfold('Change');
    await seller.shot('an endpoint that fails, and its changes');
    await seller.follow('event.test');
    await seller.shot('one event with a failed attempt');
    await seller.see(at('events?type=account.registered'), 'filtered by type');
    await seller.see(at('events?state=failed'), 'filter without a match');
    await seller.open(at('events'));
    await seller.unfold('Deliver again');
    await seller.shot('deliver again, form');
    await seller.page.getByRole('button', { name: 'Deliver again' }).click();
    await seller.shot('deliver again, refused');
    await seller.see(at('events/types'), 'types of events');
    await seller.open(at('events'));
    await seller.unfold('Change');
    await seller.press('New secret');
    await seller.shot('new secret shown once');
    await seller.unfold('Change');
    await seller.follow('New secret, end the former one now');
    await seller.shot('question before the former secret ends');
    await seller.open(at('events'));
    await seller.unfold('Change');
    await seller.press('Disable');
    await seller.shot('endpoint disabled');
    await seller.unfold('Change');
    await seller.follow('Remove endpoint');
    await seller.shot('question before removing');
    await seller.press('Remove endpoint');
    await seller.shot('removed');
    await site.shop.sql`UPDATE shop.event_endpoint SET state = 'disabled'`;
  } finally {
    await receiver.close();
  }
});
