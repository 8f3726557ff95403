import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actionRight, actionRights, pageRights } from '../../src/http/console/route-rights.ts';
import { can, type Role, roles } from '../../src/identity/operators/role.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Agent from '../purchase/agent.ts';
import { Browser, type Shown } from '../support/browser.ts';
import * as Shop from '../support/shop.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';

const token = 'adm_of_the_console_and_long_enough';
const team = '/admin/console/team';
const me = '/admin/console/me';
const signIn = '/admin/console/sign-in/passkey';

let upstream: Upstream.ScriptedUpstream;
let shop: Shop.Shop;
let second: string;
let addresses = 0;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  const env = { ...Agent.shopEnv, ADMIN_TOKEN: token };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'periods.yaml', env });
  second = await shop.addStorefront({ CONSOLE_ADMIN_TOKEN: 'off' });
});
afterAll(async () => {
  await shop?.stop();
  await upstream?.close();
});

const agent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0';

/** A browser with another address at each request, as so many a second from one are let through. */
class Roaming extends Browser {
  override async open(path: string, form?: Readonly<Record<string, string>>): Promise<Shown> {
    addresses += 1;
    const at = this.withAddress(`198.51.${Math.floor(addresses / 200)}.${addresses % 200}`);
    at.site = this.site;
    return at.open(path, form);
  }
  override at(base: string): Browser {
    return new Roaming(base, { 'user-agent': agent }, this.cookies);
  }
  override copy(base: string): Browser {
    return new Roaming(base, { 'user-agent': agent }, new Map(this.cookies));
  }
}

const browser = (base = shop.url): Browser => new Roaming(base, { 'user-agent': agent });

async function withToken(base = shop.url): Promise<Browser> {
  const owner = browser(base);
  await owner.open('/admin/console/sign-in', { token, to: '/admin' });
  return owner;
}

const optionsOf = ({ html }: Shown) =>
  (/data-options="([^"]*)"/.exec(html)?.[1] ?? '{}').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Invites a person in the name of `by`. Returns the path of the link. */
async function invited(by: Browser, email: string, role: Role): Promise<string> {
  const { html } = await by.send(team, { act: 'invite', email, name: 'A person', role });
  return /\/admin\/console\/invitation\/inv_[\w-]+/.exec(html)?.[0] ?? `no link in ${html}`;
}

/** A person who has accepted an invitation, at their browser, with their passkey. */
async function member(role: Role, by?: Browser) {
  const email = `${role}.${id('x')}@example.com`;
  const link = await invited(by ?? (await withToken()), email, role);
  const at = browser();
  const passkey = new SoftwareAuthenticator(shop.url);
  const credential = passkey.create(optionsOf(await at.open(link)));
  const registered = await at.open(link, { credential, name: 'Laptop' });
  expect([registered.status, registered.headers.get('location')]).toEqual([303, '/admin']);
  const [{ id: operator = '' } = {}] = await shop.sql<
    { id: string }[]
  >`SELECT id FROM shop.operator WHERE email = ${email}`;
  return { email, link, at, passkey, operator };
}

/** A person of this role with a session, without a passkey. */
async function seated(role: Role): Promise<Browser> {
  const [operator, cookie] = [id('opr'), id('ops')];
  const email = `${operator}@example.com`;
  await shop.sql`INSERT INTO shop.operator (id, email, name, role) VALUES (${operator}, ${email}, 'Seated', ${role})`;
  await shop.sql`INSERT INTO shop.operator_session (digest, operator_id, address, expires_at)
    VALUES (${sha256Hex(cookie)}, ${operator}, 'here', now() + interval '1 hour')`;
  const at = browser();
  at.cookies.set('sluice_operator', cookie);
  return at;
}

const audited = async (act: string) =>
  (await shop.sql<{ who: string }[]>`SELECT who FROM shop.audit WHERE act = ${act} ORDER BY id`).map(
    ({ who }) => who,
  );

describe('a passkey', () => {
  test('is created with an invitation, signs in on every process, and names its person in the audit log', async () => {
    const owner = await member('owner');
    expect((await owner.at.open('/admin')).status).toBe(200);
    expect((await owner.at.open('/admin')).html).toContain('A person (owner)');
    expect((await owner.at.at(second).open('/admin')).status).toBe(200);
    await owner.at.open('/admin/console/sign-out', {});
    expect((await owner.at.open('/admin')).status).toBe(401);
    const page = await owner.at.open('/admin');
    const said = { credential: owner.passkey.get(optionsOf(page)), to: '/admin/console/health' };
    const signedIn = await owner.at.open(signIn, said);
    expect(signedIn.headers.get('location')).toBe('/admin/console/health');
    expect(signedIn.headers.get('set-cookie')).toMatch(
      /sluice_operator=ops_[^;]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict/,
    );
    const person = await invited(owner.at, `new.${id('x')}@example.com`, 'viewer');
    expect(person).toMatch(/^\/admin/);
    expect((await audited('operator_invited')).at(-1)).toMatch(new RegExp(`^${owner.email} at 198\\.51\\.`));
    const found = (text: string) => owner.at.open(`/admin/console/audit?text=${encodeURIComponent(text)}`);
    expect((await found('a person')).html).toContain(owner.email.replace('@', '<wbr class="at">@'));
    expect((await found('A persona')).html).toContain('No actions match.');
  });

  test('invitation links work once, end when a newer one is made, and end after their time', async () => {
    const owner = await withToken();
    const { link } = await member('viewer', owner);
    const used = await browser().open(link);
    expect([used.status, used.html.includes('This link was used')]).toEqual([410, true]);
    const email = `twice.${id('x')}@example.com`;
    const first = await invited(owner, email, 'viewer');
    const newer = await invited(owner, email, 'viewer');
    expect([(await browser().open(first)).status, (await browser().open(newer)).status]).toEqual([410, 200]);
    expect((await browser().open(first)).html).toContain('was replaced by a newer one');
    // Two browsers at the same time: one passkey.
    const both = await Promise.all(
      [browser(), browser()].map(async (at) => ({ at, options: optionsOf(await at.open(newer)) })),
    );
    const answers = await Promise.all(
      both.map(async ({ at, options }) => {
        const credential = new SoftwareAuthenticator(shop.url).create(options);
        return (await at.open(newer, { credential, name: '' })).status;
      }),
    );
    expect(answers.filter((status) => status === 303)).toHaveLength(1);
    const late = await invited(owner, `late.${id('x')}@example.com`, 'viewer');
    await shop.sql`UPDATE shop.operator_invitation SET expires_at = now() WHERE used_at IS NULL`;
    const expired = await browser().open(late);
    expect([expired.status, expired.html.includes('This link has expired')]).toEqual([410, true]);
  });

  test('a response is refused when it is replayed, forged, or of another origin, relying party, browser or person', async () => {
    const { at, passkey, operator } = await member('owner');
    const other = await member('viewer');
    await at.open('/admin/console/sign-out', {});
    const fresh = async () => optionsOf(await at.open('/admin'));
    const tried = async (credential: string, by = at) =>
      (await by.open(signIn, { credential, to: '' })).status;
    expect(await tried(passkey.get(await fresh(), { origin: 'https://evil.example' }))).toBe(401);
    expect(await tried(passkey.get(await fresh(), { rpId: 'evil.example' }))).toBe(401);
    expect(await tried(passkey.get(await fresh(), { isVerified: false }))).toBe(401);
    expect(await tried(passkey.get(await fresh(), { userHandle: other.passkey.userHandle }))).toBe(401);
    expect(await tried(passkey.get(await fresh(), { challenge: 'bm90IG91cnM' }))).toBe(401);
    // A challenge of another browser, and one for another purpose.
    expect(await tried(passkey.get(optionsOf(await browser().open('/admin'))))).toBe(401);
    const [signed, forged] = [passkey.get(await fresh()), JSON.parse(passkey.get(await fresh()))];
    forged.response.signature = JSON.parse(signed).response.signature;
    expect(await tried(JSON.stringify(forged))).toBe(401);
    for (const nonsense of ['', '{}', 'null', '{"id":"x"}', '['.repeat(9_000)])
      expect(await tried(nonsense)).toBe(401);
    const once = passkey.get(await fresh());
    const answers = await Promise.all([tried(once, at.copy(shop.url)), tried(once, at.copy(second))]);
    expect(answers.sort()).toEqual([303, 401]);
    expect(await tried(once)).toBe(401);
    // A sign-in does not register a passkey, and the other way round.
    const creating = await other.at.open(me);
    expect(await tried(other.passkey.get(optionsOf(creating)), other.at)).toBe(401);
    const wrong = {
      act: 'passkey_add',
      credential: new SoftwareAuthenticator(shop.url).create(optionsOf(creating), {
        origin: 'https://evil.example',
      }),
    };
    expect((await other.at.open(me, wrong)).status).toBe(422);
    const [{ n }] = await shop.sql<
      [{ n: number }]
    >`SELECT count(*) AS n FROM shop.operator_passkey WHERE operator_id = ${operator}`;
    expect(n).toBe(1);
  });

  test('a counter that does not rise is refused and recorded', async () => {
    const { at, passkey } = await member('viewer');
    const use = async (counter: number) => {
      const credential = passkey.get(optionsOf(await browserWith(at)), { counter });
      return (await at.open(signIn, { credential, to: '' })).status;
    };
    const browserWith = async (one: Browser) => {
      await one.open('/admin/console/sign-out', {});
      return one.open('/admin');
    };
    expect([await use(7), await use(7), await use(3), await use(0), await use(8)]).toEqual([
      303, 401, 401, 401, 303,
    ]);
    expect(await audited('passkey_refused')).toHaveLength(3);
  });

  test('a person has several and removes them; the last owner keeps theirs', async () => {
    const { at, operator } = await member('owner');
    const page = await at.open(me);
    const spare = new SoftwareAuthenticator(shop.url);
    const added = await at.send(me, {
      act: 'passkey_add',
      credential: spare.create(optionsOf(page)),
      name: 'Key',
    });
    expect(added.html).toContain('The passkey was added.');
    const elsewhere = browser();
    const credential = spare.get(optionsOf(await elsewhere.open('/admin')));
    expect((await elsewhere.open(signIn, { credential, to: '' })).status).toBe(303);
    const question = await at.open(`${me}/passkeys/${spare.id.toString('base64url')}/remove`);
    expect(question.html).toContain('Remove the passkey Key?');
    const removed = await at.send(me, { act: 'passkey_remove', id: spare.id.toString('base64url') });
    expect(removed.html).toContain('The passkey was removed. Your other sessions have ended.');
    expect((await elsewhere.open('/admin')).status).toBe(401);
    const [key] = await shop.sql<
      { id: string }[]
    >`SELECT id FROM shop.operator_passkey WHERE operator_id = ${operator}`;
    // Without it, the person could not sign in again.
    for (const refused of [
      await at.open(`${me}/passkeys/${key?.id}/remove`),
      await at.open(me, { act: 'passkey_remove', id: key?.id ?? '' }),
    ])
      expect([refused.status, refused.html.includes('this is your only passkey')]).toEqual([422, true]);
    const forced =
      await shop.sql`SELECT shop.remove_operator_passkey(${operator}, ${key?.id ?? ''}, 'test') AS state`;
    expect(forced).toMatchObject([{ state: 'last_passkey' }]);
    // Everybody else loses their role: this person is the last owner.
    await shop.sql`UPDATE shop.operator SET role = 'viewer' WHERE id <> ${operator}`;
    for (const [path, form] of [
      [team, { act: 'remove', id: operator }],
      [team, { act: 'role', id: operator, role: 'viewer' }],
    ] as const)
      expect((await at.open(path, form)).html).toContain(
        'this is the last person who can sign in as an owner',
      );
    expect((await at.open('/admin')).html).toContain('(owner)');
    // Two owners who remove each other at the same time: one stays.
    const rival = await member('owner', at);
    await Promise.all([
      at.open(team, { act: 'remove', id: rival.operator }),
      rival.at.open(team, { act: 'remove', id: operator }),
    ]);
    const owners =
      await shop.sql`SELECT id FROM shop.operator WHERE role = 'owner' AND EXISTS (SELECT FROM shop.operator_passkey p WHERE p.operator_id = operator.id)`;
    expect(owners).toHaveLength(1);
  });
});

describe('a session', () => {
  test('starts with a new token, ends when its person is removed, and can be revoked by them alone', async () => {
    const owner = await member('owner');
    const planted = owner.at.cookies.get('sluice_operator') ?? '';
    const page = await owner.at.copy(shop.url).open('/admin/console/sign-in');
    expect(page.status).toBe(303);
    // The passkey cookie is kept, the session is replaced.
    await owner.at.open('/admin');
    const stranger = browser();
    stranger.cookies.set('sluice_operator', 'ops_planted');
    const credential = owner.passkey.get(optionsOf(await stranger.open('/admin')));
    expect((await stranger.open(signIn, { credential, to: '' })).status).toBe(303);
    expect(stranger.cookies.get('sluice_operator')).not.toBe('ops_planted');
    expect((await owner.at.open(me)).html).toMatch(/<th scope="row">Chrome on macOS <span[^>]*>this browser/);
    const ended = await owner.at.send(me, {
      act: 'session_end',
      id: sha256Hex(stranger.cookies.get('sluice_operator') ?? ''),
    });
    expect(ended.html).toContain('That session was signed out.');
    expect((await stranger.open('/admin')).status).toBe(401);
    const viewer = await member('viewer', owner.at);
    await viewer.at.open(me, { act: 'session_end', id: sha256Hex(planted) });
    expect((await owner.at.open('/admin')).status).toBe(200);
    await owner.at.open(team, { act: 'remove', id: viewer.operator });
    expect((await viewer.at.open('/admin')).status).toBe(401);
    await shop.sql`UPDATE shop.operator_session SET expires_at = now() WHERE digest = ${sha256Hex(planted)}`;
    expect((await owner.at.open('/admin')).status).toBe(401);
  });

  test('a form of another site changes nothing (CSRF)', async () => {
    const owner = await seated('owner');
    owner.site = 'cross-site';
    for (const path of [team, me, '/admin/console/sign-out', signIn, '/admin/console/catalogue'])
      expect((await owner.open(path, { act: 'invite', email: 'a@example.com', role: 'owner' })).status).toBe(
        403,
      );
    owner.site = 'same-origin';
    expect((await owner.open('/admin')).status).toBe(200);
  });

  test('a member signs in with their passkey while the shop has no owner', async () => {
    await shop.sql`DELETE FROM shop.operator`;
    const stranger = (await browser().open('/admin')).html;
    expect([stranger.includes('data-passkey'), stranger.includes('Admin token')]).toEqual([false, true]);
    const support = await member('support');
    await support.at.open('/admin/console/sign-out', {});
    const page = await support.at.open('/admin');
    // The token comes after the passkey, and neither says who has one.
    expect(page.html).toMatch(/Sign in with a passkey[\s\S]*Lost your passkey\?[\s\S]*Admin token/);
    expect(page.html).not.toContain(support.email);
    const credential = support.passkey.get(optionsOf(page));
    expect((await support.at.open(signIn, { credential, to: '' })).status).toBe(303);
    expect((await support.at.open('/admin')).html).toContain('A person (support)');
  });

  test('the admin token signs in until an owner can, where the setting says so; programs keep it', async () => {
    await shop.sql`DELETE FROM shop.operator`;
    const early = await withToken(second);
    expect((await early.open('/admin')).status).toBe(200);
    const owner = await member('owner', early);
    expect((await early.open('/admin')).status).toBe(401);
    const late = await browser(second).open('/admin/console/sign-in', { token, to: '/admin' });
    expect([late.status, late.html.includes('no longer signs in here')]).toEqual([403, true]);
    expect((await (await withToken(shop.url)).open('/admin')).status).toBe(200);
    const api = await fetch(`${second}/admin/purchases`, { headers: { authorization: `Bearer ${token}` } });
    expect(api.status).toBe(200);
    expect((await owner.at.at(second).open('/admin')).status).toBe(200);
  });
});

describe('a role', () => {
  const filled = (path: string) => path.replace(':id', 'acc_none').replace('*', 'nowhere');
  const pages = Object.entries(pageRights).map(([path, right]) => ({ path, right, act: null }));
  const forms = Object.entries(actionRights).flatMap(([path, rights]) =>
    typeof rights === 'string'
      ? [{ path, right: rights, act: '' }]
      : Object.keys(rights).map((act) => ({
          path,
          act,
          right: actionRight(path as keyof typeof actionRights, act),
        })),
  );

  test.each(roles)('%s opens exactly the pages and sends exactly the forms that it may', async (role) => {
    const person = await seated(role);
    for (const { path, right, act } of [...pages, ...forms]) {
      const { status } = await person.open(filled(path), act === null ? undefined : { act });
      expect([path, act, status === 403]).toEqual([path, act, !can(role, right)]);
    }
  });

  test('nobody without a session opens or sends anything', async () => {
    for (const { path, act } of [...pages, ...forms]) {
      const { status } = await browser().open(filled(path), act === null ? undefined : { act });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  test('an act that the table does not list needs an owner', async () => {
    const support = await seated('support');
    expect((await support.open('/admin/console/accounts/acc_1', { act: 'delete' })).status).toBe(403);
    expect((await support.open('/admin/console/accounts/acc_1', { act: '__proto__' })).status).toBe(403);
  });
});
