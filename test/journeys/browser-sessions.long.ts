import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeam } from '../../src/adapters/postgres/team.ts';
import type * as Browser from '../support/browser.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { People, type Person } from './people.ts';

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
/** The other process. */
let other: string;
let people: People;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: 'x-forwarded-for' },
  });
  other = await shop.addStorefront();
  people = new People(shop, mailbox, 'x-forwarded-for');
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

const settings = '/shop/account/settings';

/** Signs the person in again, in `browser` or another one. */
async function enter({ email }: Person, browser = people.visitor()): Promise<Browser.Browser> {
  await browser.open('/shop/account/link', { email });
  const entered = await people.openLink(browser, email);
  expect(entered.status, entered.html).toBe(303);
  return browser;
}

/** The sessions on the settings page that can be ended, and the number of those listed. */
async function listed(browser: Browser.Browser): Promise<{ others: string[]; here: number }> {
  const { html } = await browser.open(settings);
  const others = [...html.matchAll(/name="session" value="(ses_\w+)"/g)].map(([, id]) => id ?? '');
  return { others, here: html.split('this browser</span>').length - 1 };
}

const isSignedIn = async (browser: Browser.Browser) =>
  (await browser.open(settings)).status === 200 &&
  (await browser.open(settings)).html.includes('id="sessions"');
const cookie = (browser: Browser.Browser) => browser.cookies.get('sluice_visitor') ?? '';

test('a browser that switches between accounts is listed once, in each of them, and signed out wherever it is', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const here = bob.browser;
  const there = await enter(bob);
  // `here` shows Ada's account, and `there` Bob's own one.
  expect(await listed(there)).toMatchObject({ others: [expect.any(String)], here: 1 });
  const before = cookie(here);
  await here.open('/shop/account/switch', { account: bob.account });
  await there.open('/shop/account/switch', { account: ada.account });
  await here.open('/shop/account/switch', { account: ada.account });
  const { others, here: own } = await listed(there);
  expect([others.length, own]).toEqual([1, 1]);
  expect((await listed(here)).others).toHaveLength(1);
  expect((await there.open('/shop/account/sessions/end', { session: others[0] ?? '' })).status).toBe(303);
  expect([await isSignedIn(here.at(other)), await isSignedIn(there)]).toEqual([false, true]);
  // The tokens from before the switches ended with it.
  here.cookies.set('sluice_visitor', before);
  expect(await isSignedIn(here.at(other))).toBe(false);
  expect(await listed(there)).toEqual({ others: [], here: 1 });
});

test('a browser that signs in again is listed once, and its former tokens end', async () => {
  const ada = await people.owner();
  const before = cookie(ada.browser);
  await enter(ada, ada.browser);
  expect(await listed(ada.browser)).toEqual({ others: [], here: 1 });
  const thief = people.visitor();
  thief.cookies.set('sluice_visitor', before);
  expect(await isSignedIn(thief)).toBe(false);
});

test('each session can be ended by its id, and all others at once, also those that the page does not list', async () => {
  const ada = await people.owner();
  const team = openTeam(shop.sql as never);
  const [{ id = '' } = {}] = await team.sessions(ada.email);
  for (let more = 0; more < 25; more += 1)
    await team.keepSession({ id: `ses_${more}_${ada.member}`, member: ada.member, device: 'Firefox' });
  const page = await ada.browser.open(settings);
  expect(page.html).toContain('6 older sign-ins are not listed.');
  expect((await listed(ada.browser)).here).toBe(1);
  const oldest = `ses_0_${ada.member}`;
  expect((await listed(ada.browser)).others).not.toContain(oldest);
  expect((await ada.browser.open('/shop/account/sessions/end', { session: oldest })).status).toBe(303);
  expect((await team.sessions(ada.email)).map((one) => one.id)).not.toContain(oldest);
  const there = await enter(ada);
  const ended = await ada.browser.send('/shop/account/sessions/end-others', {});
  expect(ended.html).toContain('All other browsers are signed out.');
  expect((await team.sessions(ada.email)).map((one) => one.id)).toEqual([id]);
  expect([await isSignedIn(there.at(other)), await isSignedIn(ada.browser)]).toEqual([false, true]);
});

test('a browser deletes what it has kept for Back when its session ends, wherever it was ended, or another one begins', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'viewer');
  const clears = ({ headers }: { headers: Headers }) => headers.get('clear-site-data');
  const there = await enter(ada);
  expect(clears(await there.open(settings))).toBeNull();
  await ada.browser.open('/shop/account/sessions/end-others', {});
  expect(clears(await there.open(settings))).toBe('"cache"');
  expect(clears(await people.visitor().open(settings))).toBeNull();
  const left = { confirm: 'yes' };
  expect(clears(await bob.browser.open('/shop/account/team/leave', left))).toBe('"cache"');
  await ada.browser.open('/shop/account/link', { email: bob.email });
  expect(clears(await people.openLink(ada.browser, bob.email))).toBe('"cache"');
});

test('an ended session leaves the list for good, because it expires there before its revocation is deleted', async () => {
  const ada = await people.owner();
  const there = await enter(ada);
  await there.open('/shop/leave', {});
  expect((await listed(ada.browser)).others).toEqual([]);
  const [row] = await shop.sql<{ ok: boolean }[]>`SELECT bool_and(s.expires_at < r.expires_at) AS ok
    FROM shop.member_session s JOIN shop.revocation r ON r.id = s.id JOIN shop.member m ON m.id = s.member_id WHERE m.email = ${ada.email}`;
  expect(row?.ok).toBe(true);
  await shop.sql`UPDATE shop.member_session SET expires_at = now() WHERE id IN (SELECT id FROM shop.revocation)`;
  await shop.sql`DELETE FROM shop.revocation r USING shop.member_session s WHERE r.id = s.id`;
  expect((await listed(ada.browser)).others).toEqual([]);
});

test('a session that is used stays on the list, and one of a person who was removed does not', async () => {
  const ada = await people.owner();
  const there = await enter(ada);
  await shop.sql`UPDATE shop.member_session SET expires_at = now() + interval '1 hour' WHERE member_id = ${ada.member}`;
  await there.open(settings);
  const [row] = await shop.sql<
    { used: number }[]
  >`SELECT count(*) FILTER (WHERE expires_at > now() + interval '89 days') AS used
    FROM shop.member_session WHERE member_id = ${ada.member}`;
  expect(Number(row?.used)).toBe(1);
  const bob = await people.join(ada, 'viewer');
  await people.call(ada, 'DELETE', `/account/team/members/${bob.member}`);
  const again = await enter(bob);
  expect(await listed(again)).toEqual({ others: [], here: 1 });
});
