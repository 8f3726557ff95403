import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../events/receiver.ts';
import { keys } from '../events/secrets.ts';
import * as Agent from '../purchase/agent.ts';
import { chatService, listsService } from '../support/catalog-services.ts';
import * as Program from '../support/program.ts';
import { at, front, openSite } from './history.ts';
import type { Studio } from './studio.ts';
import type { Visitor } from './visitor.ts';

const catalogue = `# The shop of the pictures.
storefront: { name: Lovelace Data, contact: sales@example.com, description: Lists of people and answers }
upstream: { key: { header: x-api-key } }
services:
${listsService}  - slug: people
    name: People
    price_usd: "0.002"
    operations:
      - { call: GET /v1/people, units: /count, units_max: 10 }
${chatService}plans:
  - { id: credit, kind: credit, covers: "*" }
  - { id: small, kind: subscription, covers: [lists, people], price_usd: "10.00", every: month, included: 100 }
`;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let folder: string;
let file: string;
let site: Studio;
let seller: Visitor;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
  file = join(folder, 'catalog.yaml');
  await writeFile(file, catalogue);
  site = await openSite({ env: { CATALOG: file, ENCRYPTION_KEYS: keys } });
  const buyer = await Agent.registered(site.shop.url);
  await Agent.pay(buyer, await Agent.offer(buyer, {}, 'small'), await site.network.mint(), 'small');
  seller = await site.seller('console-catalogue');
  return async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  };
});

const form = (name: string) => at(`catalogue/${name}`);
/** The field of a name in the file. */
const named = (name: string) => `[name="${name}"]:not([type=hidden])`;
const review = 'Review changes';

test('plans and prices are edited, reviewed and published', async () => {
  const [catalog, plans] = [seller.in('console-catalogue'), seller.in('console-plans')];
  const [reviews, prices] = [seller.in('console-review'), seller.in('console-prices')];
  await catalog.see(at('catalogue'), 'plans and services');
  await plans.see(form('plans'), 'form');
  await plans.shot('one plan and the new plan open', () => plans.unfold('Small', 'Add a plan'));
  const [price, included] = [named('plans[1].price_usd'), named('plans[1].included')];
  await plans.submit(null, { [price]: '0.10', [included]: 'many' }, review, 'refused with two faults');
  const dearer = { [price]: '12.00', [included]: '80' };
  await reviews.submit(null, dearer, review, 'a price rises and less is included');
  await plans.shot('back from the review', () => plans.press('Back to the form'));
  await plans.press(review);
  await catalog.submit(
    null,
    { 'Note for the history (optional)': 'New year' },
    'Publish changes',
    'published',
  );
  await seller
    .in('console-publication')
    .shot('changes and revert', () => seller.follow('Changes and revert'));
  await reviews.shot('takes back the last publication', () => reviews.press('Review the revert'));
  const terms = { [named('new.price_usd')]: '99.00', [named('new.included_usd')]: '50.00' };
  await reviews.submit(form('plans'), { [named('new.name')]: 'Grand', ...terms }, review, 'a new plan');
  await prices.see(form('prices'), 'form');
  await prices.unfold(/^All prices/);
  await prices.shot('prices of the models open', () =>
    prices.unfold('Prices of small-1', 'Add another model'),
  );
  await prices.submit(null, { [named('all[result]')]: 'cheap' }, review, 'refused');
  await reviews.submit(null, { [named('all[result]')]: '0.004' }, review, 'one price for all services');
});

test('another person, another process and the file on the server', async () => {
  const [catalog, whole] = [seller.in('console-catalogue'), seller.in('console-file')];
  const reviews = seller.in('console-review');
  await seller.open(form('plans'));
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"12.00"', '"15.00"'));
  const edit = { [named('plans[1].price_usd')]: '11.00', [named('plans[1].included')]: '120' };
  const meanwhile = 'another person changed a field meanwhile';
  await seller.in('console-plans').submit(null, edit, review, meanwhile);
  await catalog.see(at('catalogue'), 'changes of the files that are not in force');
  await writeFile(file, 'plans: [');
  await catalog.see(at('catalogue'), 'files with errors');
  const without = text.replace(/ {2}- \{ id: small.*\n/, '');
  await writeFile(file, without);
  await catalog.see(at('catalogue'), 'changes that cannot be published');
  await writeFile(file, text);
  await whole.see(form('file'), 'the whole file');
  await whole.submit(null, { 'Find in the file': 'price_usd' }, 'Find', 'lines found');
  await whole.submit(null, { 'Find in the file': 'nothing like this' }, 'Find', 'no line found');
  const all = named('text');
  await whole.submit(null, { [all]: 'plans: [' }, review, 'not readable');
  const elsewhere = { [all]: text.replace('x-api-key', 'x-copy') };
  await whole.submit(null, elsewhere, review, 'refused, decides where the key is sent');
  await whole.open(form('file'));
  await writeFile(file, text.replace('"12.00"', '"13.00"'));
  const undoing = { [all]: text.replace('"12.00"', '"14.00"') };
  await whole.submit(null, undoing, review, 'would undo the edit of another person');
  await writeFile(file, text);
  await reviews.submit(form('file'), { [all]: without }, review, 'cannot be published, buyers hold the plan');
  const dearer = { [named('services[0].price_usd')]: '0.005' };
  await reviews.open(form('prices'));
  await reviews.fill(dearer);
  await reviews.press(review);
  await appendFile(file, '# by hand\n');
  await reviews.shot('refused, the file has changed', () => reviews.press('Publish changes'));
  await chmod(folder, 0o555);
  const baseURL = await site.shop.addStorefront({}, Program.unprivileged);
  const other = await site.seller('console-review', { baseURL });
  await other.submit(form('prices'), dearer, review, 'file that may not be written');
  await chmod(folder, 0o755);
});

test('the branding is previewed, with a logo', async () => {
  const [brand, reviews] = [seller.in('console-brand'), seller.in('console-review')];
  const upload = (name: string, mimeType: string, buffer: Buffer) =>
    brand.page.locator('#upload').setInputFiles({ name, mimeType, buffer });
  const colour = named('storefront.brand.colour');
  await brand.see(form('brand'), 'form');
  await upload('logo.png', 'image/png', png);
  const fields = { [colour]: '#7a1fa2', [named('storefront.name')]: 'Previewed name' };
  await brand.submit(null, fields, 'Update the preview', 'preview with a chosen logo');
  await upload('logo.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  await brand.submit(null, { [colour]: 'red' }, review, 'refused, colour and logo');
  await upload('logo.png', 'image/png', png);
  await reviews.submit(null, { [colour]: '#7a1fa2' }, review, 'new name, colour and logo');
  await reviews.press('Publish changes');
  await brand.see(form('brand'), 'with the present logo');
  await seller.in('console-overview').see(front, 'after publishing a brand');
});

test('events and their endpoints', async () => {
  const receiver: Receiver = await openReceiver(
    () => [],
    ({ type }) => (type === 'event.test' ? 500 : 204),
  );
  const events = seller.in('console-events');
  const change = async (state: string, steps: () => Promise<unknown>) => {
    await events.unfold('Change');
    await events.shot(state, steps);
  };
  try {
    await events.see(at('events'), 'no endpoints yet');
    await events.submit(null, { Address: 'https://10.0.0.1/' }, 'Add endpoint', 'address refused');
    const added = 'endpoint added, secret shown once';
    await events.submit(null, { Address: receiver.url }, 'Add endpoint', added);
    await events.shot('test event sent', () => events.press('Send a test event'));
    await Agent.registered(site.shop.url);
    const attempted = () => site.shop.sql`SELECT 1 FROM shop.event_endpoint WHERE failing_since IS NOT NULL`;
    await expect.poll(async () => (await attempted()).length, { timeout: 20_000 }).toBe(1);
    await events.open(at('events'));
    await events.shot('an endpoint that fails, and its changes', () => events.unfold('Change'));
    await events.shot('one event with a failed attempt', () => events.follow('event.test'));
    await events.see(at('events?type=account.registered'), 'filtered by type');
    await events.see(at('events?state=failed'), 'filter without a match');
    await events.open(at('events'));
    await events.shot('deliver again, form', () => events.unfold('Deliver again'));
    await events.shot('deliver again, refused', () => events.press('Continue'));
    const today = { 'From the day (UTC)': new Date().toISOString().slice(0, 10) };
    await events.submit(null, today, 'Continue', 'deliver again, question with the number');
    await events.open(at('events'));
    await change('edit endpoint', () => events.follow('Edit address and types'));
    await events.see(at('events/types'), 'types of events');
    await events.open(at('events'));
    await change('new secret shown once', () => events.press('New secret'));
    await change('question before the secret is replaced', () => events.follow('Replace the secret now'));
    await events.open(at('events'));
    await change('endpoint disabled', () => events.press('Disable'));
    await change('question before removing', () => events.follow('Remove endpoint'));
    await events.shot('removed', () => events.press('Remove endpoint'));
  } finally {
    await receiver.close();
  }
});
