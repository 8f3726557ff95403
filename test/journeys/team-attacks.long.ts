import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accountRoutes } from '../../src/http/account-rights.ts';
import { can, roles } from '../../src/identity/team/role.ts';
import * as Sluice from '../cli/sluice.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Payer from '../purchase/person.ts';
import type * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import * as McpClient from './mcp-client.ts';
import { People, type Person } from './people.ts';

const addressHeader = 'x-forwarded-for';
const members = '/account/team/members';

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
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

const find = (token: string) =>
  Customer.call({ token }, 'POST', `${shop.url}/v2/search/people`, { max_results: 1 });
const keyOf = async (person: Person) =>
  (await people.call(person, 'POST', '/account/keys', { name: 'key' })).body.key as string;

test('a person whose keys are paused cannot make them call by leaving, or by having themselves erased', async () => {
  const ada = await people.owner();
  for (const role of roles) {
    const [{ calls }] = await shop.sql<[{ calls: boolean }]>`SELECT shop.role_calls(${role}) AS calls`;
    expect(calls, role).toBe(can(role, 'call'));
  }
  for (const how of ['leave', 'erase'] as const) {
    const bob = await people.join(ada, 'developer');
    const key = await keyOf(bob);
    await people.setRole(ada, bob, 'viewer');
    expect((await find(key)).body.code, how).toBe('role_not_allowed');
    if (how === 'leave')
      expect((await people.call(bob, 'DELETE', `${members}/me?revoke_keys=false`)).status).toBe(200);
    else expect((await Sluice.runBeside(shop, 'accounts', 'erase', bob.email, '--yes')).code).toBe(0);
    expect((await find(key)).status, how).toBe(401);
  }
  // A person who may call may leave keys behind, for the programs that use them.
  const cy = await people.join(ada, 'developer');
  const key = await keyOf(cy);
  expect((await people.call(cy, 'DELETE', `${members}/me?revoke_keys=false`)).status).toBe(200);
  expect((await find(key)).status).toBe(200);
});

test('only an owner ends the tokens that belong to no person, also together with a removal', async () => {
  const ada = await people.owner();
  const admin = await people.join(ada, 'admin');
  const viewer = await people.join(ada, 'viewer');
  const refused = [
    await people.call(viewer, 'DELETE', `${members}/me?end_account_tokens=true`),
    await people.call(admin, 'DELETE', `${members}/${viewer.member}?end_account_tokens=true`),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'role_not_allowed'],
    [403, 'role_not_allowed'],
  ]);
  expect((await people.get(ada.first.token, '/account')).status).toBe(200);
  const question = `/shop/account/team/remove?id=${viewer.member}`;
  expect((await people.moved(admin.browser).open(question)).html).not.toContain('name="tokens"');
  expect((await people.moved(ada.browser).open(question)).html).toContain('name="tokens"');
  expect((await people.call(admin, 'DELETE', `${members}/${viewer.member}`)).status).toBe(200);
});

test('an account is no longer the own account of a person who is no owner: what they claim later is not joined to it', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'viewer');
  expect((await people.call(ada, 'POST', '/account/team/transfer', { member: bob.member })).status).toBe(200);
  await people.setRole(bob, ada, 'viewer');
  const agent = await Customer.register(shop.url);
  expect((await people.claim(agent, ada.email)).body).toMatchObject({
    account: agent.account,
    joined: false,
  });
  expect((await people.get(agent.token, '/account')).body.account).toBe(agent.account);
  // Mails about the account go to its owner, who is found by the seller.
  const [row] = await shop.sql`SELECT shop.contact_of(${ada.account}) AS contact`;
  expect(row?.contact).toBe(bob.email);
  const found = await Sluice.runBeside(shop, 'accounts', 'find', bob.email, '--json');
  expect(JSON.parse(found.out).map(({ account }: { account: string }) => account)).toContain(ada.account);
  // Erasing the former owner leaves the account to the team.
  await shop.sql`SELECT * FROM shop.erase_account(${agent.account}, true, NULL, 'test')`;
  expect((await people.call(bob, 'GET', '/account')).status).toBe(200);
});

test('an owner who signs in while they are removed does not come back', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'owner');
  const browser = people.visitor();
  await browser.open('/shop/account/link', { email: ada.email });
  let entering: Promise<Browser.Shown> | undefined;
  await shop.sql.begin(async (sql) => {
    await sql`SELECT * FROM shop.remove_member(${ada.account}, ${ada.member}, ${bob.member}, true, false, '{owner,admin}', '{owner}')`;
    entering = people.openLink(browser, ada.email);
    const waits = async () =>
      (
        await shop.sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%complete_sign_in%' AND datname = current_database()`
      ).length;
    await expect.poll(waits).toBe(1);
  });
  expect((await entering)?.status).toBe(410);
  const left = await shop.sql`SELECT email FROM shop.member WHERE account_id = ${ada.account}`;
  expect(left.map(({ email }) => email)).toEqual([bob.email]);
});

test('a session that belongs to no person opens no portal, although its account has the address of the payer', async () => {
  const ada = await people.owner();
  const onward = await people.moved(ada.browser).send('/shop/buy', { plan: 'start' });
  const link = /href="([^"]+)">Go to the card page/.exec(onward.html)?.[1] ?? '';
  const paid = await Payer.pay(await Payer.open(link), undefined, { email: ada.email });
  await fetch(paid, { redirect: 'manual' });
  const billing = async (browser: Browser.Browser) =>
    (await people.moved(browser).open('/shop/account/billing')).html;
  await expect.poll(() => billing(ada.browser)).toContain('/shop/account/portal');
  const [, portal = ''] = /href="(\/shop\/account\/portal[^"]+)"/.exec(await billing(ada.browser)) ?? [];
  const agent = people.visitor();
  const entered = await agent.open('/shop/account/sign-in', { assertion: ada.first.assertion });
  expect(entered.status).toBe(303);
  expect(await billing(agent)).not.toMatch(/ 4242|\/shop\/account\/portal/);
  expect((await people.moved(agent).open(portal)).status).toBe(422);
});

test('an application creates and revokes no keys, because they would outlive it', async () => {
  const ada = await people.owner();
  const app = await people.connect(ada);
  const key = await people.call(ada, 'POST', '/account/keys', { name: 'key' });
  const made = await people.send(app.access, 'POST', '/account/keys', { name: 'hidden' });
  const ended = await people.send(app.access, 'DELETE', `/account/keys/${key.body.id}`);
  for (const { status, body } of [made, ended]) expect([status, body.code]).toEqual([403, 'person_required']);
  const listed = await people.get(app.access, '/account/keys');
  expect(listed.body.keys.map(({ id }: { id: string }) => id)).toEqual([key.body.id]);
});

test('who may not call reads no stored response of a call, with a session or with a paused key', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const key = await keyOf(bob);
  const answer = async (token: string) => {
    const client = await McpClient.connect(shop.url, token);
    const call = 'call_019b0000-0000-7000-8000-000000000000';
    const { body } = await McpClient.call(client, 'read_result', { call });
    await client.close();
    return body.code;
  };
  for (const token of [key, await people.bearer(bob)]) expect(await answer(token)).toBe('not_found');
  await people.setRole(ada, bob, 'viewer');
  for (const token of [key, await people.bearer(bob)]) expect(await answer(token)).toBe('role_not_allowed');
});

test('the activity names the account for a form whose subject it does not check', async () => {
  const ada = await people.owner();
  const form = {
    name: 'Acme',
    address: 'Street 1',
    country: 'DE',
    tax_id: '',
    subscription: 'x'.repeat(9_000),
  };
  expect((await people.moved(ada.browser).open('/shop/account/details', form)).status).toBe(303);
  const { events } = (await people.call(ada, 'GET', '/account/team/events')).body;
  expect(events[0]).toMatchObject({ act: 'billing_details_changed', subject: ada.account });
});

test('text that PostgreSQL cannot store is refused as malformed, on every route of an account and on public ones', async () => {
  const ada = await people.owner();
  const bearer = await people.bearer(ada);
  const wrong: string[] = [];
  const text = 'a\u0000b';
  const fields = {
    name: text,
    role: 'viewer',
    member: text,
    code: text,
    reason: text,
    plan: text,
    replaces: text,
  };
  const note = (route: string, status: number, said: string) => {
    if (status >= 500) wrong.push(`${route}: ${status} ${said.slice(0, 100)}`);
  };
  for (const route of Object.keys(accountRoutes)) {
    const [method = '', pattern = ''] = route.split(' ');
    if (method === 'MCP') continue;
    const path = pattern.replace('/plans/:planId', '/plans/start').replace(/:\w+/g, 'a%00b');
    if (path.startsWith('/shop/')) {
      const form = {
        ...fields,
        key: text,
        subscription: text,
        purchase: text,
        invitation: text,
        account: text,
      };
      const query = '?id=%00&subscription=%00&before=%00&paid=%00&key=%00&model=%00&service=%00';
      const more = { connection: text, email: text, confirm: 'yes' };
      const { status, html } = await (method === 'POST'
        ? people.moved(ada.browser).open(path, { ...form, ...more })
        : people.moved(ada.browser).open(path + query));
      note(route, status, html);
    } else {
      const query = method === 'GET' ? '?cursor=%00' : '';
      const body = method === 'GET' || method === 'DELETE' ? undefined : fields;
      const { status, text: said } = await people.send(bearer, method, path + query, body);
      note(route, status, said);
    }
  }
  const open = [
    '/checkout/%00',
    '/purchases/%00/return',
    '/plans/manage/%00',
    '/auto-top-up/%00',
    '/receipts/%00',
  ];
  for (const path of open) {
    const { status, html } = await people.visitor().open(path);
    note(path, status, html);
  }
  expect(wrong).toEqual([]);
  expect((await people.get(bearer, '/purchases/%00')).body).toMatchObject({ code: 'malformed_text' });
});
