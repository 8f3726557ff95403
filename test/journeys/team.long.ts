import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accountRoutes } from '../../src/http/account-rights.ts';
import { denial } from '../../src/identity/permission.ts';
import { type Role, roles } from '../../src/identity/team/role.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';
import { People, type Person } from './people.ts';

const addressHeader = 'x-forwarded-for';
const operation = '/v1/list';

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
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: addressHeader, TEAM_PERSONS_MAX: '8' },
  });
  other = await shop.addStorefront();
  people = new People(shop, mailbox, addressHeader);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

const call = (person: Person, method: string, path: string, body?: object, base = shop.url) =>
  people.call(person, method, path, body, base);
const team = async (person: Person) => (await call(person, 'GET', '/account/team')).body;
const mailCount = async (email: string) => (await mailbox.mailsTo(email)).length;

describe('an invitation', () => {
  test('joins the person who proves the invited address, and moves no account', async () => {
    const ada = await people.owner();
    const bob = await people.owner();
    const invited = await call(ada, 'POST', '/account/team/invitations', {
      email: bob.email,
      role: 'developer',
    });
    expect(invited.status, invited.text).toBe(202);
    const token = await people.invitation(bob.email);
    const shown = await bob.browser.open(`/shop/invitation?token=${token}`);
    expect(shown.html).toContain(ada.email);
    expect(shown.html).toContain('Join the account');
    const guest = people.visitor();
    await guest.open('/shop/invitation/link', { token, email: bob.email });
    await expect
      .poll(async () => (await mailbox.mailsTo(bob.email)).at(-1)?.text)
      .toContain(`the invitation of ${ada.email}\nto their account at`);
    const joined = await bob.browser.open('/shop/invitation/accept', { token });
    expect(joined.status, joined.html).toBe(303);
    // A lost response: the same form again has the same result.
    expect((await bob.browser.open('/shop/invitation/accept', { token })).status).toBe(303);
    const settings = await bob.browser.open('/shop/account/settings');
    expect(settings.html).toContain(ada.account);
    // Bob's own account is as it was, and the header leads back to it.
    expect(settings.html).toContain('action="/shop/account/switch"');
    await bob.browser.open('/shop/account/switch', { account: bob.account });
    expect((await bob.browser.open('/shop/account/settings')).html).toContain(bob.account);
    const joins =
      await shop.sql`SELECT joined_to FROM shop.account WHERE id IN (${ada.account}, ${bob.account})`;
    expect(joins.map(({ joined_to }) => joined_to)).toEqual([null, null]);
    const { members } = await team(ada);
    expect(members.map((one: { email: string; role: string }) => [one.email, one.role])).toEqual([
      [ada.email, 'owner'],
      [bob.email, 'developer'],
    ]);
  });

  test('leads the person who has joined to the account when its link is opened again, and tells nobody else', async () => {
    const ada = await people.owner();
    const bob = await people.owner();
    await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'viewer' });
    const token = await people.invitation(bob.email);
    expect((await bob.browser.open('/shop/invitation/accept', { token })).status).toBe(303);
    const page = `/shop/invitation?token=${token}`;
    const again = await bob.browser.open(page);
    expect([again.status, again.html]).toEqual([200, expect.stringContaining(`Account of ${ada.email}`)]);
    await bob.browser.open('/shop/account/switch', { account: bob.account });
    expect((await bob.browser.open(page)).html).toContain(`name="account" value="${ada.account}"`);
    for (const other of [people.visitor(), ada.browser]) {
      const seen = await other.open(page);
      expect([seen.status, seen.html.includes('joined')]).toEqual([410, false]);
    }
    const { members } = await team(ada);
    await call(ada, 'DELETE', `/account/team/members/${members[1].id}`);
    expect((await bob.browser.open(page)).status).toBe(410);
  });

  test('joins a person without an account by a second link, which only their mailbox gets', async () => {
    const ada = await people.owner();
    const email = people.address();
    await call(ada, 'POST', '/account/team/invitations', { email, role: 'viewer' });
    const token = await people.invitation(email);
    const browser = people.visitor();
    // A person to whom the mail was passed on cannot join with another address.
    const wrong = await browser.open('/shop/invitation/link', { token, email: people.address() });
    expect(wrong.status).toBe(422);
    expect((await browser.open('/shop/invitation/accept', { token })).status).toBe(403);
    const asked = await browser.open('/shop/invitation/link', { token, email });
    expect(asked.status, asked.html).toBe(303);
    const entered = await people.openLink(browser, email);
    expect(entered.status, entered.html).toBe(303);
    expect((await browser.open('/shop/account/settings')).html).toContain(ada.account);
    // Signing in again opens the only account of this person.
    const again = people.visitor();
    await again.open('/shop/account/link', { email });
    await people.openLink(again, email);
    expect((await again.open('/shop/account/settings')).html).toContain(ada.account);
  });

  test('is not accepted by a person with another address, nor after it was declined, withdrawn or has expired', async () => {
    const ada = await people.owner();
    const eve = await people.owner();
    const forms = ['decline', 'withdraw', 'expire'] as const;
    for (const how of forms) {
      const bob = await people.owner();
      await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'admin' });
      const token = await people.invitation(bob.email);
      expect((await eve.browser.open('/shop/invitation/accept', { token })).status).toBe(403);
      const [open] = (await team(ada)).invitations;
      if (how === 'decline')
        expect((await bob.browser.open('/shop/invitation/decline', { token, confirm: 'yes' })).status).toBe(
          200,
        );
      else if (how === 'withdraw')
        expect((await call(ada, 'DELETE', `/account/team/invitations/${open.id}`)).status).toBe(200);
      else await shop.sql`UPDATE shop.invitation SET expires_at = now() WHERE id = ${open.id}`;
      expect((await bob.browser.open('/shop/invitation/accept', { token })).status, how).toBe(410);
      const again = await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'admin' });
      expect(again.status, how).toBe(how === 'decline' ? 409 : 202);
    }
    expect((await team(ada)).members).toHaveLength(1);
  });

  test('is not declined by a person who only has its link', async () => {
    const ada = await people.owner();
    const eve = await people.owner();
    const bob = await people.owner();
    await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'viewer' });
    const token = await people.invitation(bob.email);
    for (const stranger of [people.visitor(), eve.browser]) {
      expect((await stranger.open(`/shop/invitation?token=${token}`)).html).not.toContain('/decline"');
      expect((await stranger.open('/shop/invitation/decline', { token })).status).toBe(403);
    }
    expect((await team(ada)).invitations).toMatchObject([{ email: bob.email, state: 'open' }]);
    expect((await bob.browser.open(`/shop/invitation?token=${token}`)).html).toContain('/decline"');
    // It asks first.
    expect((await bob.browser.open('/shop/invitation/decline', { token })).html).toContain(
      'Decline the invitation?',
    );
    expect((await team(ada)).invitations).toMatchObject([{ email: bob.email, state: 'open' }]);
    const sent = { token, confirm: 'yes' };
    const declines = Array.from({ length: 4 }, () => bob.browser.open('/shop/invitation/decline', sent));
    const statuses = (await Promise.all(declines)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const [declined] = (await team(ada)).invitations;
    expect(declined.state).toBe('declined');
    // It can be removed, twice as well as once, and the person be invited again.
    for (const _ of [1, 2])
      expect((await call(ada, 'DELETE', `/account/team/invitations/${declined.id}`)).status).toBe(200);
    expect((await team(ada)).invitations).toEqual([]);
    const again = await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'viewer' });
    expect(again.status).toBe(202);
  });

  test('is accepted once, by one of many concurrent forms', async () => {
    const ada = await people.owner();
    const bob = await people.owner();
    await call(ada, 'POST', '/account/team/invitations', { email: bob.email, role: 'billing' });
    const token = await people.invitation(bob.email);
    const all = await Promise.all(
      [shop.url, other, shop.url, other].map((base) =>
        bob.browser.copy(base).open('/shop/invitation/accept', { token }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect((await team(ada)).members).toHaveLength(2);
  });

  test('is answered alike whether or not the address has an account, and mails no mailbox often', async () => {
    const ada = await people.owner();
    const bob = await people.owner();
    const stranger = people.address();
    const [known, unknown] = await Promise.all(
      [bob.email, stranger].map((email) =>
        call(ada, 'POST', '/account/team/invitations', { email, role: 'viewer' }),
      ),
    );
    const shape = (body: object | undefined) => Object.keys(body ?? {}).sort();
    expect([known?.status, shape(known?.body)]).toEqual([unknown?.status, shape(unknown?.body)]);
    // Three mails a day of one account to one mailbox, however often it is resent.
    const { invitations } = await team(ada);
    const { id } = invitations.find((one: { email: string }) => one.email === stranger);
    const resent = [];
    for (let time = 0; time < 4; time += 1)
      resent.push((await call(ada, 'POST', `/account/team/invitations/${id}/resend`)).status);
    expect(resent).toEqual([202, 202, 429, 429]);
    expect(await mailCount(stranger)).toBe(3);
    // Six a day of all accounts. The accounts that come later do not learn of it.
    for (let time = 0; time < 4; time += 1) {
      const another = await people.owner();
      const invited = await call(another, 'POST', '/account/team/invitations', {
        email: stranger,
        role: 'viewer',
      });
      expect(invited.status).toBe(202);
    }
    expect(await mailCount(stranger)).toBe(6);
  });

  test('does not outlive the rights of the person who sent it', async () => {
    const ada = await people.owner();
    const admin = await people.join(ada, 'admin');
    const second = await people.owner();
    await call(admin, 'POST', '/account/team/invitations', { email: second.email, role: 'admin' });
    const token = await people.invitation(second.email);
    expect((await call(ada, 'DELETE', `/account/team/members/${admin.member}`)).status).toBe(200);
    expect((await second.browser.open('/shop/invitation/accept', { token })).status).toBe(410);
  });
});

describe('a role', () => {
  test('cannot be raised by its holder, by an admin to owner, or from another account', async () => {
    const ada = await people.owner();
    const [admin, developer] = [await people.join(ada, 'admin'), await people.join(ada, 'developer')];
    const eve = await people.owner();
    const set = (by: Person, who: Person, role: string) =>
      call(by, 'PATCH', `/account/team/members/${who.member}`, { role });
    expect((await set(developer, developer, 'admin')).status).toBe(403);
    expect((await set(admin, admin, 'owner')).status).toBe(403);
    expect((await set(admin, developer, 'owner')).status).toBe(403);
    expect((await set(admin, ada, 'viewer')).status).toBe(403);
    expect((await set(eve, developer, 'owner')).status).toBe(404);
    expect((await call(eve, 'DELETE', `/account/team/members/${developer.member}`)).status).toBe(404);
    const asOwner = { email: people.address(), role: 'owner' };
    expect((await call(admin, 'POST', '/account/team/invitations', asOwner)).status).toBe(403);
    expect((await call(admin, 'POST', '/account/team/transfer', { member: admin.member })).status).toBe(403);
    expect((await call(admin, 'DELETE', `/account/team/members/${ada.member}`)).status).toBe(403);
    const { members } = await team(ada);
    expect(members.map((one: { role: string }) => one.role)).toEqual(['owner', 'admin', 'developer']);
  });

  test('applies at the next request, in every process, to open sessions and to calls', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'developer');
    const bearer = await people.bearer(bob);
    const search = (base: string) =>
      Customer.send({
        ...{ method: 'POST', url: `${base}${operation}` },
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: '{}',
      });
    const before = await Promise.all([search(shop.url), search(other)]);
    for (const { status, body } of before)
      expect([status === 401, body.code === 'role_not_allowed'], body.code).toEqual([false, false]);
    expect((await bob.browser.open('/shop/account/keys')).status).toBe(200);
    await call(ada, 'PATCH', `/account/team/members/${bob.member}`, { role: 'viewer' });
    // The old token is refused everywhere, and a new one has the new role.
    expect((await search(shop.url)).status).toBe(401);
    expect((await search(other)).status).toBe(401);
    const fresh = await people.bearer(bob);
    const after = await Customer.send({
      ...{ method: 'POST', url: `${other}${operation}` },
      headers: { authorization: `Bearer ${fresh}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(after.status).toBe(403);
    expect(after.body.code).toBe('role_not_allowed');
    expect((await bob.browser.at(other).open('/shop/account/keys')).status).toBe(403);
    expect((await bob.browser.open('/shop/account/keys', { name: 'x' })).status).toBe(403);
  });

  test('leaves one owner when two owners remove or demote each other at the same time', async () => {
    for (const act of ['DELETE', 'PATCH'] as const) {
      const ada = await people.owner();
      const bob = await people.join(ada, 'owner');
      const body = act === 'PATCH' ? { role: 'viewer' } : undefined;
      const results = await Promise.all([
        call(ada, act, `/account/team/members/${bob.member}`, body),
        call(bob, act, `/account/team/members/${ada.member}`, body, other),
        call(ada, act, `/account/team/members/${ada.member}`, body, other),
        call(bob, act, `/account/team/members/${bob.member}`, body),
      ]);
      const owners =
        await shop.sql`SELECT 1 FROM shop.member WHERE account_id = ${ada.account} AND role = 'owner'`;
      expect(owners.length, results.map(({ status }) => status).join(' ')).toBeGreaterThanOrEqual(1);
    }
  });

  test('of a developer shows and revokes their own keys only', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'developer');
    const own = await call(bob, 'POST', '/account/keys', { name: 'bob' });
    const hers = await call(ada, 'POST', '/account/keys', { name: 'ada' });
    const listed = (await call(bob, 'GET', '/account/keys')).body.keys;
    expect(listed.map((one: { name: string }) => one.name)).toEqual(['bob']);
    expect((await call(bob, 'DELETE', `/account/keys/${hers.body.id}`)).status).toBe(404);
    expect((await call(bob, 'DELETE', `/account/keys/${own.body.id}`)).status).toBe(200);
    const all = (await call(ada, 'GET', '/account/keys')).body.keys;
    expect(all.map((one: { name: string; created_by: string }) => [one.name, one.created_by])).toEqual([
      ['ada', ada.email],
    ]);
  });
});

describe('a person who is removed', () => {
  test('loses sessions, applications, keys and the portal at once, in every process', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'admin');
    const bearer = await people.bearer(bob);
    const made = await call(bob, 'POST', '/account/keys', { name: 'bob' });
    const app = await people.connect(bob);
    const copies = [bob.browser.copy(shop.url), bob.browser.copy(other)];
    expect((await call(ada, 'DELETE', `/account/team/members/${bob.member}`)).status).toBe(200);
    for (const base of [shop.url, other])
      for (const token of [bearer, made.body.key, app.access]) {
        const asked = await people.get(token, '/account', base);
        expect(asked.status, `${token.slice(0, 4)} ${asked.text}`).toBe(401);
      }
    expect((await people.refresh(app)).status).toBe(400);
    expect((await people.exchange(bob)).status).toBe(400);
    for (const copy of copies) {
      expect((await copy.open('/shop/account')).html).not.toContain(ada.account);
      expect((await copy.open('/shop/account/portal?subscription=x')).status).toBe(401);
    }
    // Their address opens their own account, and no longer this one.
    const again = people.visitor();
    await again.open('/shop/account/link', { email: bob.email });
    await people.openLink(again, bob.email);
    expect((await again.open('/shop/account/settings')).html).not.toContain(ada.account);
  });

  test('leaves keys that were kept with calls, and no right to end charges', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'admin');
    const { key } = (await call(bob, 'POST', '/account/keys', { name: 'bob' })).body;
    expect((await people.get(key, '/account')).status).toBe(200);
    const kept = `/account/team/members/${bob.member}?revoke_keys=false`;
    expect((await call(ada, 'DELETE', kept)).status).toBe(200);
    expect((await people.get(key, '/account')).status).toBe(200);
    expect((await people.get(key, '/account/receipts')).body.code).toBe('role_not_allowed');
  });

  test('does not keep access by a token from before the account had an address', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'owner');
    expect((await people.get(ada.first.token, '/account')).status).toBe(200);
    expect((await call(bob, 'DELETE', `/account/team/members/${ada.member}`)).status).toBe(200);
    expect((await people.get(ada.first.token, '/account')).status).toBe(401);
    expect((await people.get(ada.first.token, '/account', other)).status).toBe(401);
    const renewed = await people.token({ grant_type: people.jwtBearer, assertion: ada.first.assertion });
    expect(renewed.status).toBe(400);
    // A new account that ada claims is her own: nothing of it reaches the account that she was removed from.
    const next = await people.claim(await Customer.register(shop.url), ada.email);
    expect(next.body.account).not.toBe(ada.account);
    // No other token can claim the account that has lost its first owner.
    const [row] = await shop.sql`SELECT email FROM shop.account WHERE id = ${ada.account}`;
    expect(row?.email).toBeNull();
    const claimed =
      await shop.sql`SELECT state FROM shop.begin_claim('clm_x', ${ada.account}, 'e@x.example', 'e', '{}', '{}', '{}', 'd', now(), 5, 5, 100)`;
    expect(claimed[0]?.state).toBe('claimed');
  });

  test('can leave by themselves, but not as the last owner', async () => {
    const ada = await people.owner();
    const bob = await people.join(ada, 'viewer');
    const asked = await bob.browser.send('/shop/account/team/leave', {});
    expect(asked.html).toContain(`Leave the account of ${ada.email}?`);
    // The question keeps the way to the person's other account.
    expect(asked.html).toContain('action="/shop/account/switch"');
    const gone = await bob.browser.open('/shop/account/team/leave', { confirm: 'yes', keys: 'yes' });
    expect(gone.status).toBe(303);
    expect((await bob.browser.open('/shop/account')).html).not.toContain(ada.account);
    const last = await ada.browser.open('/shop/account/team/leave', { confirm: 'yes' });
    expect(last.status).toBe(422);
    expect(last.html).toContain('An account needs an owner');
  });
});

describe('what belongs to no person', () => {
  test('cannot see or change the team, and neither can an application of an owner', async () => {
    const ada = await people.owner();
    const app = await people.connect(ada);
    for (const token of [ada.first.token, app.access]) {
      expect((await people.get(token, '/account')).status).toBe(200);
      const seen = await people.get(token, '/account/team');
      expect([seen.status, seen.body.code]).toEqual([403, 'person_required']);
      const invite = await people.send(token, 'POST', '/account/team/invitations', {
        ...{ email: people.address(), role: 'owner' },
      });
      expect(invite.status).toBe(403);
    }
  });

  test('is ended by an owner, while persons and their keys stay', async () => {
    const ada = await people.owner();
    const { key } = (await call(ada, 'POST', '/account/keys', { name: 'k' })).body;
    expect((await call(ada, 'POST', '/account/team/tokens/end')).status).toBe(200);
    expect((await people.get(ada.first.token, '/account', other)).status).toBe(401);
    expect((await people.get(key, '/account', other)).status).toBe(200);
    expect((await call(ada, 'GET', '/account/team')).status).toBe(200);
  });
});

test('every route and form of an account refuses exactly the roles that the table of rights names', async () => {
  const ada = await people.owner();
  const persons = { owner: ada } as Record<Role, Person>;
  for (const role of roles) if (role !== 'owner') persons[role] = await people.join(ada, role);
  const wrong: string[] = [];
  const walk = async (role: Role) => {
    const person = persons[role];
    const bearer = await people.bearer(person);
    for (const [route, { action }] of Object.entries(accountRoutes)) {
      const [method = '', pattern = ''] = route.split(' ');
      if (method === 'MCP') continue;
      const path = pattern.replace(/:\w+/g, 'x');
      // Routes that respond to strangers, too, and find nothing here before they look at the caller.
      if (path === '/plans/x/purchase' || path === '/shop/buy' || path === '/shop/authorize') continue;
      const isPage = path.startsWith('/shop/');
      const answer = isPage
        ? await people.moved(person.browser).open(path, method === 'POST' ? { role: 'x' } : undefined)
        : await people.send(bearer, method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
      const said = 'html' in answer ? answer.html : answer.text;
      const isRefused =
        answer.status === 403 &&
        /role_not_allowed|person_required|Your role in this account|Only a person/.test(said);
      const caller = { isFrozen: false, isKey: false, isApplication: false, role };
      const isDenied = denial(caller, action) !== null;
      if (isRefused !== isDenied) wrong.push(`${role} ${route}: ${answer.status} ${said.slice(0, 200)}`);
    }
  };
  await Promise.all(roles.map(walk));
  expect(wrong).toEqual([]);
});

test('an application has the role that its person has at the time of use', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  const app = await people.connect(bob);
  const receipts = (token: string) => people.get(token, '/account/receipts');
  expect((await receipts(app.access)).body.code).toBe('role_not_allowed');
  await call(ada, 'PATCH', `/account/team/members/${bob.member}`, { role: 'billing' });
  const refreshed = await people.refresh(app);
  expect(refreshed.status, refreshed.text).toBe(200);
  expect((await receipts(refreshed.body.access_token)).status).toBe(200);
  const keys = await people.get(refreshed.body.access_token, '/account/keys');
  expect(keys.body.code).toBe('role_not_allowed');
});

test('an account changes hands: the new owner has all rights, the former one can be removed', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'viewer');
  const done = await ada.browser.open('/shop/account/team/transfer', { member: bob.member, confirm: 'yes' });
  expect(done.status, done.html).toBe(303);
  const { members } = await team(bob);
  expect(members.map((one: { role: string }) => one.role)).toEqual(['admin', 'owner']);
  expect((await call(bob, 'DELETE', `/account/team/members/${ada.member}`)).status).toBe(200);
});

test('the activity names who did what, for owners and admins alone', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'developer');
  await call(bob, 'POST', '/account/keys', { name: 'bob' });
  await call(ada, 'PATCH', `/account/team/members/${bob.member}`, { role: 'viewer' });
  const events = (await call(ada, 'GET', '/account/team/events')).body.events;
  const said = events.map((one: { who: string; act: string }) => `${one.who} ${one.act}`);
  expect(said).toEqual(
    expect.arrayContaining([
      `${ada.email} role_changed`,
      `${bob.email} key_created`,
      `${bob.email} invitation_accepted`,
      `${ada.email} person_invited`,
      `${ada.email} signed_in`,
    ]),
  );
  expect((await call(bob, 'GET', '/account/team/events')).status).toBe(403);
});

test('a form of another site changes nothing', async () => {
  const ada = await people.owner();
  const bob = await people.join(ada, 'viewer');
  ada.browser.site = 'cross-site';
  const forms: [string, Record<string, string>][] = [
    ['team', { email: people.address(), role: 'owner' }],
    ['team/role', { member: bob.member, role: 'owner' }],
    ['team/remove', { member: bob.member, confirm: 'yes' }],
    ['team/transfer', { member: bob.member, confirm: 'yes' }],
    ['team/leave', { confirm: 'yes' }],
    ['switch', { account: bob.account }],
  ];
  for (const [path, form] of forms)
    expect((await ada.browser.open(`/shop/account/${path}`, form)).status, path).toBe(403);
  expect((await ada.browser.open('/shop/invitation/accept', { token: 'x' })).status).toBe(403);
  ada.browser.site = 'same-origin';
  expect((await team(ada)).members).toHaveLength(2);
});
