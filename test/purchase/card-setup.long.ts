import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Person from './person.ts';

const terms = { below_usd: '0.98', amount_usd: '1.00', monthly_max_usd: '3.00' };
const declinedCard = '4000 0000 0000 0002';
const emptyCard = '4000 0000 0000 9995';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'periods.yaml',
    env: { ...Agent.shopEnv, CARD_DECLINES_MAX: '2' },
  });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

type Buyer = Awaited<ReturnType<typeof Agent.registered>>;

async function consentOf(agent: Buyer): Promise<string> {
  const { body } = await Customer.call(agent, 'PUT', `${shop.url}/account/auto-top-up`, terms);
  return body.consent_url;
}

const openAs = (url: string, forwarded: string) =>
  fetch(url, { redirect: 'manual', headers: { 'x-forwarded-for': forwarded } });

/** Presses the button of an agreement that leads to its card page, which is `page`. */
async function pressAs(consent: string, forwarded: string, shopUrl = shop.url) {
  const headers = { origin: shopUrl, 'x-forwarded-for': forwarded };
  const answer = await fetch(`${consent}/card`, { method: 'POST', redirect: 'manual', headers });
  return { answer, page: /url=(.+)/.exec(answer.headers.get('refresh') ?? '')?.[1] ?? '' };
}

/** Waits until the events of this many failed cards have arrived. Returns what they count against. */
async function counted(attempts: number, account: string): Promise<string[]> {
  const read = () =>
    shop.sql<{ subject: string }[]>`SELECT subject FROM shop.card_attempt WHERE declined
      AND attempt IN (SELECT attempt FROM shop.card_attempt WHERE subject = ${`account:${account}`})`;
  const count = async () => (await read()).filter(({ subject }) => subject === `account:${account}`).length;
  await expect.poll(count).toBe(attempts);
  return (await read()).map(({ subject }) => subject);
}

test('cards that a consent page could not save count like declined payments, and close the page', async () => {
  const agent = await Agent.registered(shop.url);
  const consent = await consentOf(agent);
  const { page } = await pressAs(consent, '198.51.100.1');
  expect((await Person.submit(page, declinedCard)).status).toBe(402);
  const subjects = await counted(1, agent.account);
  expect(subjects.map((subject) => subject.split(':')[0]).sort()).toEqual(['account', 'address', 'card']);
  expect(subjects).toContain('address:198.51.100.1');
  expect((await Person.submit(page, emptyCard)).status).toBe(402);
  await counted(2, agent.account);
  // The page is closed with the second one: not even a good card is tried on it.
  await expect.poll(async () => (await fetch(page)).text()).not.toContain('name="number"');
  expect((await Person.submit(page)).status).not.toBe(303);
  await expect
    .poll(async () => (await fetch(consent)).text())
    .not.toContain(`${new URL(consent).pathname}/card`);
  const { answer: again } = await pressAs(await consentOf(agent), '198.51.100.1');
  expect(again.status).toBe(429);
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await Customer.call(agent, 'GET', `${shop.url}/account`)).body.auto_top_up.state).not.toBe('on');
});

test('programs that open links, and forms of other sites, open no card page of an agreement', async () => {
  const agent = await Agent.registered(shop.url);
  const consent = await consentOf(agent);
  const opened = async () =>
    (await shop.sql`SELECT FROM shop.card_setup WHERE account_id = ${agent.account}`).length;
  expect((await fetch(`${consent}/card`)).url).toBe(consent);
  expect((await pressAs(consent, '198.51.100.9', 'https://evil.test')).answer.status).toBe(403);
  expect(await opened()).toBe(0);
  expect(await (await fetch(consent)).text()).toContain('>Continue to the card page</button>');
  expect((await pressAs(consent, '198.51.100.9')).page).not.toBe('');
  expect(await opened()).toBe(1);
});

test('a card that failed to be saved for one account is not charged for another one', async () => {
  const [one, other] = [await Agent.registered(shop.url), await Agent.registered(shop.url)];
  for (const agent of [one, other]) {
    const { page } = await pressAs(await consentOf(agent), '198.51.100.2');
    await Person.submit(page, '4000 0000 0000 0069');
    await counted(1, agent.account);
  }
  const cards = await shop.sql`SELECT count(*)::int AS n FROM shop.card_attempt WHERE declined
    AND subject LIKE 'card:%' GROUP BY subject HAVING count(*) = 2`;
  expect(cards.length).toBe(1);
});

test('addresses that a caller puts into the header itself do not change the address that counts', async () => {
  const agent = await Agent.registered(shop.url);
  const consent = await consentOf(agent);
  for (const spoofed of ['203.0.113.77', '127.0.0.1', 'unknown', '']) {
    await pressAs(consent, `${spoofed}, 198.51.100.3`);
    const [row] = await shop.sql`SELECT address FROM shop.card_setup WHERE account_id = ${agent.account}`;
    expect(row?.address).toBe('198.51.100.3');
  }
  const offer = await Agent.offer(agent, { amount_usd: '1.00' });
  await openAs(offer.checkoutUrl, '203.0.113.78, 198.51.100.3');
  const [order] = await shop.sql`SELECT page_address FROM shop.purchase WHERE id = ${offer.order}`;
  expect(order?.page_address).toBe('198.51.100.3');
  // Without a trusted proxy, the header counts for nothing: all callers of a local proxy share one block.
  const bare = await shop.addStorefront({ CLIENT_ADDRESS_HEADER: '' });
  await pressAs(`${bare}${new URL(consent).pathname}`, '203.0.113.79');
  const [row] = await shop.sql`SELECT address FROM shop.card_setup WHERE account_id = ${agent.account}`;
  expect(row?.address).toBe('unknown');
});
