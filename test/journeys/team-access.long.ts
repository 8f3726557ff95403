import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Person from '../purchase/person.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { type Person as Member, People } from './people.ts';

const addressHeader = 'x-forwarded-for';
const search = '/v2/search/people';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
/** The other process. */
let other: string;
let people: People;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    const { max_results = 0 } = JSON.parse(body || '{}');
    socket.write(Upstream.http(200, JSON.stringify({ results: [], results_length: max_results })));
  });
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: addressHeader },
  });
  other = await shop.addStorefront();
  people = new People(shop, mailbox, addressHeader);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
  await mailbox?.stop();
});

const team = '/account/team/members';
const keyOf = async (person: Member, name = 'key') =>
  (await people.call(person, 'POST', '/account/keys', { name })).body as { id: string; key: string };
const find = (token: string, base = shop.url, max_results = 1) =>
  Customer.call({ token }, 'POST', base + search, { max_results });

const sluice = (...args: string[]) => Sluice.runBeside(shop, ...args);

test('a key is paused, in every process, while the person who created it may not call', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const { id, key } = await keyOf(bob);
  for (const base of [shop.url, other]) expect((await find(key, base)).status).toBe(200);
  const states = async () =>
    (await people.call(ada, 'GET', '/account/keys')).body.keys.map((one: { id: string; state: string }) => [
      one.id,
      one.state,
    ]);
  for (const role of ['viewer', 'billing']) {
    await people.setRole(ada, bob, role);
    for (const base of [shop.url, other]) {
      const refused = await find(key, base);
      expect([refused.status, refused.body.code], `${role} ${base}`).toEqual([403, 'role_not_allowed']);
      expect(refused.body.message).toContain('who created this key');
      const bought = await people.send(key, 'POST', '/plans/credit/purchase', { amount_usd: '5.00' }, base);
      expect([bought.status, bought.body.code], role).toEqual([403, 'role_not_allowed']);
    }
    expect(await states()).toEqual([[id, 'paused']]);
    expect((await people.moved(ada.browser).open('/shop/account/keys')).html).toContain('Paused');
  }
  await people.setRole(ada, bob, 'admin');
  for (const base of [shop.url, other]) expect((await find(key, base)).status).toBe(200);
  expect(await states()).toEqual([[id, 'active']]);
});

test('a key that outlives its person can call, and has no right beside it, whatever they were', async () => {
  const ada = await people.owner();
  for (const role of ['owner', 'billing']) {
    const bob = await people.join(ada, 'admin');
    const { key } = await keyOf(bob);
    await people.setRole(ada, bob, role);
    expect((await people.call(ada, 'DELETE', `${team}/${bob.member}?revoke_keys=false`)).status).toBe(200);
    for (const base of [shop.url, other]) {
      expect((await find(key, base)).status, role).toBe(200);
      for (const path of ['/account/receipts', '/account/auto-top-up'])
        expect((await people.get(key, path, base)).body.code, role).toBe('role_not_allowed');
    }
  }
});

test('a form that takes calls away from a person says that their keys are paused', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const form = { member: bob.member, role: 'viewer' };
  expect((await ada.browser.send('/shop/account/team/role', form)).html).toContain(
    'Keys that this person created',
  );
  const back = await people.moved(ada.browser).send('/shop/account/team/role', { ...form, role: 'admin' });
  expect(back.html).not.toContain('Keys that this person created');
});

test('a person who is in accounts of others only can be exported and erased by their address', async () => {
  const ada = await people.owner();
  const email = people.address();
  await people.call(ada, 'POST', '/account/team/invitations', { email, role: 'developer' });
  const token = await people.invitation(email);
  const browser = people.visitor();
  expect((await browser.open('/shop/invitation/link', { token, email })).status).toBe(303);
  expect((await people.openLink(browser, email)).status).toBe(303);
  const bob = { ...ada, browser, email };
  const bearer = await people.bearer(bob);
  const { key } = await keyOf(bob);

  const exported = await sluice('accounts', 'export', email);
  expect(exported.code, exported.err).toBe(0);
  const data = JSON.parse(exported.out);
  expect(data.memberships).toMatchObject([{ account_id: ada.account, role: 'developer' }]);
  expect(data.activity.map(({ act }: { act: string }) => act)).toContain('key_created');
  expect(exported.out).not.toMatch(/digest|slk_/);
  expect(exported.out).not.toContain(ada.email);

  expect((await sluice('accounts', 'erase', email)).err).toContain('Add --yes');
  expect((await people.get(bearer, '/account')).status).toBe(200);
  const erased = await sluice('accounts', 'erase', email, '--yes');
  expect([erased.code, erased.out], erased.err).toEqual([0, expect.stringContaining(ada.account)]);
  for (const base of [shop.url, other]) expect((await people.get(bearer, '/account', base)).status).toBe(401);
  expect((await people.exchange(bob)).status).toBe(400);
  // Their key belongs to the account, and shows no name.
  expect((await find(key)).status).toBe(200);
  const { keys } = (await people.call(ada, 'GET', '/account/keys')).body;
  expect(keys.map((one: { created_by: string | null }) => one.created_by)).toEqual([null]);
  const events = (await people.call(ada, 'GET', '/account/team/events')).text;
  expect(events).not.toContain(email);
  expect((await sluice('accounts', 'export', email)).code).not.toBe(0);
});

test('the last owner of an account of another person is not erased, alone or with their own account', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'owner');
  expect((await people.call(bob, 'DELETE', `${team}/${ada.member}`)).status).toBe(200);
  const own = (await shop.sql`SELECT id FROM shop.account WHERE email = ${bob.email}`)[0]?.id;
  const refused = await sluice('accounts', 'erase', own, '--yes', '--forfeit');
  expect([refused.code, refused.err + refused.out]).toEqual([1, expect.stringContaining('owner')]);
  expect((await people.call(bob, 'GET', '/account/team')).status).toBe(200);
  const cid = await people.join(bob, 'owner');
  expect((await sluice('accounts', 'erase', own, '--yes', '--forfeit')).code).toBe(0);
  const { members } = (await people.call(cid, 'GET', '/account/team')).body;
  expect(members.map(({ email }: { email: string }) => email)).toEqual([cid.email]);
});

test('usage over HTTP counts the days, the key and the service of its filters, and refuses others', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const [hers, his] = [await keyOf(ada, 'hers'), await keyOf(bob, 'his')];
  for (const [token, units] of [
    [hers.key, 3],
    [his.key, 4],
    [await people.bearer(ada), 5],
  ] as const)
    expect((await find(token, shop.url, units)).status).toBe(200);
  const today = new Date().toISOString().slice(0, 10);
  const ask = async (query: string, person = ada) => people.call(person, 'GET', `/account/usage?${query}`);
  const units = async (query: string, person = ada) =>
    (await ask(query, person)).body.usage.reduce((sum: number, one: { units: number }) => sum + one.units, 0);
  await expect.poll(() => units('')).toBe(12);
  expect(await units(`key=${hers.id}`)).toBe(3);
  expect(await units(`key=${his.id}`, bob)).toBe(4);
  expect(await units('key=(none)')).toBe(5);
  expect(await units(`from=${today}&to=${today}&group=day`)).toBe(12);
  expect(await units('from=2024-01-01&to=2024-01-31')).toBe(0);
  expect(await units('service=people-search')).toBe(12);
  expect(await units('service=nothing&key=key_x&model=m')).toBe(0);
  const calls = await people.call(ada, 'GET', `/account/calls?key=${his.id}`);
  expect(calls.body.calls.map((one: { units: number }) => one.units)).toEqual([4]);
  // The key of another account selects nothing, and names nothing.
  const eve = await people.owner();
  expect((await ask(`key=${hers.id}`, eve)).body.usage).toEqual([]);
  for (const [field, query] of [
    ['from', 'from=2024-02-31T'],
    ['to', 'to=-1'],
    ['from', 'from=2024-01-02&to=2024-01-01'],
    ['from', 'from=2020-01-01'],
    ['group', 'group=member'],
    ['key', `key=${'k'.repeat(201)}`],
    ['model', `model=${'m'.repeat(201)}`],
  ]) {
    const refused = await ask(query ?? '');
    expect([refused.status, refused.body.errors?.[0]?.field], query).toEqual([422, field]);
  }
});

test('a developer sees keys of others in the usage, not named as revoked ones', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const { id, key } = await keyOf(ada, 'hers');
  expect((await find(key)).status).toBe(200);
  await expect
    .poll(async () => (await people.moved(bob.browser).open('/shop/account/usage?by=key')).html)
    .toContain(`Other key (${id})`);
});

test('the billing portal opens for the payer alone, and never for a viewer; a billing member changes the card', async () => {
  const ada = await people.owner();
  const billing = await people.join(ada, 'billing');
  const viewer = await people.join(ada, 'viewer');
  const onward = await ada.browser.send('/shop/buy', { plan: 'start' });
  const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
  const paid = await Person.pay(await Person.open(link), undefined, { email: ada.email });
  await fetch(paid, { redirect: 'manual' });
  const page = async ({ browser }: Member) =>
    (await people.moved(browser).open('/shop/account/billing')).html;
  await expect.poll(() => page(ada)).toContain('Visa ending in 4242');
  const [, portal = ''] = /href="(\/shop\/account\/portal[^"]+)"/.exec(await page(ada)) ?? [];
  const opened = await people.moved(ada.browser).open(portal);
  expect([opened.status, opened.headers.get('location')]).toEqual([
    303,
    expect.stringContaining('/c/portal/'),
  ]);
  // It would show the payer's address and all their invoices.
  expect((await people.moved(billing.browser).open(portal)).status).toBe(422);
  expect(await page(billing)).not.toMatch(/ 4242|\/shop\/account\/portal/);
  expect((await people.moved(viewer.browser).open(portal)).status).toBe(403);
  const subscription = new URL(portal, shop.url).searchParams.get('subscription') ?? '';
  const card = await people.moved(billing.browser).send('/shop/account/card', { subscription });
  expect(card.headers.get('refresh')).toMatch(/^0; url=http/);
  expect((await people.moved(viewer.browser).open('/shop/account/card', { subscription })).status).toBe(403);
});

test('the second link of an invitation joins, and its page and mail say so; a stolen one opens nothing', async () => {
  const ada = await people.owner();
  const email = people.address();
  await people.call(ada, 'POST', '/account/team/invitations', { email, role: 'viewer' });
  const token = await people.invitation(email);
  const [browser, thief] = [people.visitor(), people.visitor()];
  expect((await browser.open('/shop/invitation/link', { token, email })).status).toBe(303);
  const mail = (await mailbox.mailsTo(email)).at(-1);
  expect(mail?.text).toContain(`accepted the invitation of ${ada.email}`);
  const link = /(\/shop\/account\/link\?token=\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
  const { html } = await browser.open(link);
  expect(html).toMatch(/<button>Join the account<\/button>/);
  expect(html).toContain(email);
  // Another browser does not get the address, and has to know it.
  const stolen = await thief.open(link);
  expect(stolen.html).not.toContain(email);
  const body = { token: new URL(link, shop.url).searchParams.get('token') ?? '' };
  expect((await thief.open('/shop/account/link/open', { ...body, email: ada.email })).status).toBe(403);
  // Both of two concurrent presses of the button lead into the account, or the second finds the link used.
  const both = await Promise.all(
    [shop.url, other].map((base) => browser.copy(base).open('/shop/account/link/open', body)),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([303, 410]);
  const { members } = (await people.call(ada, 'GET', '/account/team')).body;
  expect(members.map((one: { email: string }) => one.email)).toEqual([ada.email, email]);
});

test('a developer is offered to leave the account of its owner, and not to close it', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const settings = async ({ browser }: typeof bob) => (await browser.open('/shop/account/settings')).html;
  expect(await settings(ada)).toContain('href="/shop/account/close"');
  const own = await settings(bob);
  expect(own).toContain(`Account of ${ada.email}`);
  expect(own).toContain('Leave this account');
  expect(own).not.toContain('/shop/account/close');
  const refused = await bob.browser.open('/shop/account/close');
  expect([refused.status, refused.headers.get('location')]).toEqual([303, '/shop/account/settings']);
});
