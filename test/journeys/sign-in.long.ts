import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openPersonData } from '../../src/adapters/postgres/person-data.ts';
import * as Browser from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as Shop from '../support/shop.ts';

const addressHeader = 'x-forwarded-for';
const adminToken = 'adm_of_the_sign_in_and_long_enough';

let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
/** The other process, and one that has no mail server. */
let other: string;
let none: string;
let people = 0;
let visitors = 0;

beforeAll(async () => {
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: 'http://127.0.0.1:9', key: 'upk_1' },
    catalog: 'scripted.yaml',
    env: { ...mailbox.env, CLIENT_ADDRESS_HEADER: addressHeader, ADMIN_TOKEN: adminToken },
  });
  [other, none] = await Promise.all([shop.addStorefront(), shop.addStorefront({ SMTP_URL: '' })]);
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await mailbox?.stop();
});

/** A browser at an address of its own. */
function visitor(base = shop.url, address?: string): Browser.Browser {
  visitors += 1;
  return new Browser.Browser(base, { [addressHeader]: address ?? `203.0.113.${visitors}` });
}

type Person = Customer.Customer & { email: string };

/** A person who has taken an account over. */
async function person(email = `bob${++people}@person.example`): Promise<Person> {
  const customer = await Customer.register(shop.url);
  const token = { claim_token: customer.assertion };
  const asked = await Customer.call(customer, 'POST', `${shop.url}/agent/auth/claim`, { ...token, email });
  expect(asked.status, asked.text).toBe(200);
  const otp = /^ {4}(\d{3} \d{3})$/m.exec((await mailbox.mailsTo(email)).at(-1)?.text ?? '')?.[1];
  const done = await Customer.call(customer, 'POST', `${shop.url}/agent/auth/claim/complete`, {
    ...token,
    otp,
  });
  expect(done.status, done.text).toBe(200);
  return { ...customer, account: done.body.account, email };
}

/** Asks for a link without following the redirect, because requests of one address are limited too. */
const request = (browser: Browser.Browser, email: string) => browser.open('/shop/account/link', { email });
/** Asks for a link and follows the redirect. */
const ask = (browser: Browser.Browser, email: string) => browser.send('/shop/account/link', { email });

/** The token of the link in the last mail; '' where that has none. */
async function tokenOf(email: string): Promise<string> {
  const mail = (await mailbox.mailsTo(email)).at(-1)?.text ?? '';
  return new RegExp(`^${shop.url}/shop/account/link\\?token=(\\S+)$`, 'm').exec(mail)?.[1] ?? '';
}

const press = (browser: Browser.Browser, token: string, more: Record<string, string> = {}) =>
  browser.open('/shop/account/link/open', { token, ...more });

/** The account that a browser shows. */
async function seen(browser: Browser.Browser): Promise<string | undefined> {
  return /class="id">(acc_\w+)/.exec((await browser.open('/shop/account/settings')).html)?.[1];
}

describe('a link by mail', () => {
  test('lets the browser in that asked for it, in any process, once', async () => {
    const { account, email } = await person();
    const browser = visitor();
    const sent = await ask(browser, ` ${email.toUpperCase()}`);
    expect(sent.status).toBe(200);
    expect(sent.html).toContain(`We sent an email to ${email}.`);
    expect(sent.headers.get('cache-control')).toBe('no-store');
    // A reload of the page after the form asks for no second link.
    const reloaded = await browser.open('/shop/account/link/sent');
    expect([reloaded.status, reloaded.headers.get('location')]).toEqual([303, '/shop/account']);
    expect(await mailbox.mailsTo(email)).toHaveLength(2);
    const token = await tokenOf(email);
    const page = await browser.at(other).open(`/shop/account/link?token=${token}`);
    expect(page.html).toContain(`Sign in as <strong>${email}</strong>`);
    const entered = await press(browser.at(other), token);
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/shop/account']);
    expect(entered.headers.getSetCookie().join()).toMatch(
      /sluice_visitor=[^;]+; Path=\/; .*HttpOnly; SameSite=Lax/,
    );
    expect(await seen(browser)).toBe(account);
    expect((await press(browser, token)).status).toBe(410);
    expect((await browser.open(`/shop/account/link?token=${token}`)).status).toBe(410);
  });

  test('of many presses at once in two processes lets one in', async () => {
    const { email } = await person();
    const browser = visitor();
    await ask(browser, email);
    const token = await tokenOf(email);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => press(browser.copy(at % 2 ? other : shop.url), token)),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)]);
  });

  test('is not used up by programs that open it, and shows them nothing', async () => {
    const { account, email } = await person();
    const browser = visitor();
    await ask(browser, email);
    const token = await tokenOf(email);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const answer = await fetch(`${shop.url}/shop/account/link?token=${token}`, { method });
      const text = await answer.text();
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
      expect(text).not.toContain(account);
      expect(text).not.toContain(email);
    }
    expect((await press(browser, token)).status).toBe(303);
  });

  test('in another browser wants the address of the mail, five times at most', async () => {
    const { account, email } = await person();
    await ask(visitor(), email);
    const token = await tokenOf(email);
    const phone = visitor();
    expect((await phone.open(`/shop/account/link?token=${token}`)).html).toContain('in another browser');
    expect((await press(phone, token)).status).toBe(403);
    expect((await press(phone, token, { email: 'eve@person.example' })).status).toBe(403);
    expect((await press(phone, token, { email })).status).toBe(303);
    expect(await seen(phone)).toBe(account);

    await ask(visitor(), email);
    const second = await tokenOf(email);
    for (let tries = 0; tries < 5; tries++) expect((await press(phone, second)).status).toBe(403);
    expect((await press(phone, second, { email })).status).toBe(410);
  });

  test('works for fifteen minutes, and only its digest is kept', async () => {
    const { email } = await person();
    const browser = visitor();
    await ask(browser, email);
    const token = await tokenOf(email);
    const [row] =
      await shop.sql`SELECT l.*, extract(epoch FROM expires_at - created_at)::float8 AS lives FROM shop.sign_in l WHERE email = ${email}`;
    expect(row?.lives).toBeCloseTo(900, 0);
    expect(JSON.stringify(row)).not.toContain(token);
    expect(JSON.stringify(row)).not.toContain(browser.cookies.get('sluice_asked') ?? 'no cookie');
    await shop.sql`UPDATE shop.sign_in SET expires_at = now() WHERE email = ${email}`;
    expect((await press(browser, token)).status).toBe(410);
    for (const storefront of shop.storefronts) expect(storefront.output()).not.toContain(token);
  });

  test('is not sent by a page of another site, nor taken from one', async () => {
    const { email } = await person();
    const browser = visitor();
    browser.site = 'cross-site';
    expect((await ask(browser, email)).status).toBe(403);
    expect((await press(browser, 'sil_x')).status).toBe(403);
  });
});

describe('whether an address is known here', () => {
  test('is told by the mail alone: answers are the same, and about as quick', async () => {
    const { email } = await person();
    const unknown = 'nobody@person.example';
    const least = { [email]: Number.POSITIVE_INFINITY, [unknown]: Number.POSITIVE_INFINITY };
    const pages = new Set<string>();
    for (let round = 0; round < 4; round++)
      for (const [address, before] of Object.entries(least)) {
        const since = performance.now();
        const { status, html } = await ask(visitor(), address);
        least[address] = Math.min(before, performance.now() - since);
        pages.add(`${status} ${html.replaceAll(address, '')}`);
      }
    expect(pages.size).toBe(1);
    const [known = 0, not = 0] = Object.values(least);
    expect(Math.max(known, not)).toBeLessThan(3 * Math.min(known, not) + 100);
    expect(await tokenOf(unknown)).toBe('');
    expect((await mailbox.mailsTo(unknown)).at(-1)?.text).toContain('No account there has this address.');
  });

  test('what is no address is told so, and a shop without mail offers no link', async () => {
    expect((await ask(visitor(), 'no address')).status).toBe(422);
    const { email } = await person();
    expect((await ask(visitor(none), email)).status).toBe(501);
    expect((await visitor(none).open('/shop/account')).html).not.toContain('Send me a link');
  });
});

describe('links are limited', () => {
  /**
   * Requests links for `email` from ever new addresses until one is refused, and awaits their mails, which arrive in any order.
   * Returns the number of requests that were not refused.
   */
  async function bomb(email: string): Promise<number> {
    for (let sent = 0; ; sent++) {
      const { status, headers } = await request(visitor(sent % 2 ? other : shop.url), email);
      if (status === 303) continue;
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
      expect(Number(headers.get('retry-after'))).toBeLessThan(3_610);
      await mailbox.mailsTo(email);
      return sent;
    }
  }

  test('to one mailbox, known or not, in all processes together; the last one lives an hour', async () => {
    const { email } = await person();
    for (const address of [email, 'stranger@person.example']) {
      expect(await bomb(address)).toBe(10);
      expect(await mailbox.mailsTo(address)).toHaveLength(address === email ? 11 : 10);
      const lives = await shop.sql`SELECT extract(epoch FROM expires_at - created_at)::float8 AS lives
        FROM shop.sign_in WHERE email = ${address} ORDER BY created_at`;
      expect(lives.map((row) => Math.round(row.lives / 60))).toEqual([...Array(9).fill(15), 60]);
    }
    const mails = await mailbox.mailsTo(email);
    expect(mails.filter(({ text }) => text.includes('for 60 minutes'))).toHaveLength(1);
  });

  test('so that a stranger who requests them cannot keep the reader of the mailbox out, at any hour', async () => {
    const { account, email } = await person();
    await bomb(email);
    for (let hour = 0; hour < 3; hour++) {
      // Each hour the stranger is faster. The owner opens the link of the stranger in another browser.
      expect((await ask(visitor(), email)).status).toBe(429);
      const owner = visitor();
      expect((await press(owner, await tokenOf(email), { email })).status).toBe(303);
      expect(await seen(owner)).toBe(account);
      await shop.sql`UPDATE shop.sign_in SET created_at = created_at - interval '1 hour',
        expires_at = expires_at - interval '1 hour' WHERE email = ${email}`;
      expect(await bomb(email)).toBe(1);
    }
  });

  test('but not by others, where the browser has opened a link of the mailbox before', async () => {
    const { account, email } = await person();
    const browser = visitor();
    await ask(browser, email);
    expect((await press(browser, await tokenOf(email))).status).toBe(303);
    await bomb(email);
    await browser.open('/shop/leave', {});
    expect((await ask(browser.at(other), email)).status).toBe(200);
    expect((await press(browser, await tokenOf(email))).status).toBe(303);
    expect(await seen(browser)).toBe(account);
    // Its own allowance ends, too; and it is for this mailbox only.
    for (let more = 0; more < 9; more++) expect((await request(browser, email)).status).toBe(303);
    expect((await request(browser, email)).status).toBe(429);
    const next = await person();
    await bomb(next.email);
    expect((await request(browser, next.email)).status).toBe(429);
  });

  test('by a cookie that no one can make up or take to another mailbox', async () => {
    const [mine, theirs] = [await person(), await person()];
    const browser = visitor();
    await ask(browser, mine.email);
    expect((await press(browser, await tokenOf(mine.email))).status).toBe(303);
    await bomb(theirs.email);
    const [id = '', proof = ''] = (browser.cookies.get('sluice_known') ?? '').split('.');
    expect(proof).toMatch(/^[\w-]{43}$/);
    for (const made of [
      id,
      `${id}.`,
      `${id}.${id.slice(4)}`,
      `${id}.${proof}.${proof}`,
      `${id.slice(0, -1)}A.${proof}`,
      proof,
    ]) {
      browser.cookies.set('sluice_known', made);
      expect((await request(browser, theirs.email)).status, made).toBe(429);
    }
  });

  test('to one mailbox under all its spellings: those without an account get no further mail, and the same answer', async () => {
    const { email } = await person();
    await bomb(email);
    const tagged = Array.from({ length: 5 }, (_, at) => email.replace('@', `+${at}@`));
    for (const address of tagged) {
      expect((await request(visitor(), address)).status).toBe(303);
      expect((await request(visitor(), address)).status).toBe(429);
      expect(await mailbox.mailsTo(address)).toEqual([]);
    }
    const owner = visitor();
    expect((await press(owner, await tokenOf(email), { email })).status).toBe(303);
  });

  test('from one address block, and in all', async () => {
    for (let sent = 0; sent < 30; sent++)
      expect(
        (await request(visitor(sent % 2 ? other : shop.url, '2001:db8::1'), `a${sent}@person.example`))
          .status,
      ).toBe(303);
    expect((await request(visitor(shop.url, '2001:db8::2'), 'b@person.example')).status).toBe(429);
    // The /56 has 60 in a day, the /48 120.
    for (let sent = 0; sent < 30; sent++)
      expect(
        (await request(visitor(sent % 2 ? other : shop.url, '2001:db8:0:1::1'), `c${sent}@person.example`))
          .status,
      ).toBe(303);
    expect((await request(visitor(shop.url, '2001:db8:0:2::1'), 'd@person.example')).status).toBe(429);
    expect((await request(visitor(shop.url, '2001:db8:0:100::1'), 'e@person.example')).status).toBe(303);
    await shop.sql`INSERT INTO shop.sign_in (id, email, mailbox, token_digest, browser_digest, expires_at)
      SELECT 'x' || n, 'x', 'x' || n, 'x' || n, 'x', now() FROM generate_series(1, 5000) n`;
    try {
      expect((await request(visitor(), 'c@person.example')).status).toBe(429);
    } finally {
      await shop.sql`DELETE FROM shop.sign_in WHERE email = 'x'`;
    }
  });

  test('near the ceiling of the day only addresses with an account get mail, and all are answered alike', async () => {
    const { email } = await person();
    await shop.sql`INSERT INTO shop.sign_in (id, email, mailbox, token_digest, browser_digest, expires_at)
      SELECT 'x' || n, 'x', 'x' || n, 'x' || n, 'x', now() FROM generate_series(1, 4000) n`;
    try {
      const [known, unknown] = [
        await ask(visitor(), email),
        await ask(visitor(), email.replace('@', '.not@')),
      ];
      expect([known.status, unknown.status]).toEqual([200, 200]);
      expect(unknown.html).toBe(known.html.replaceAll(email, email.replace('@', '.not@')));
      expect(await tokenOf(email)).not.toBe('');
      expect(await mailbox.mailsTo(email.replace('@', '.not@'))).toEqual([]);
    } finally {
      await shop.sql`DELETE FROM shop.sign_in WHERE email = 'x'`;
    }
  });
});

describe('whoever came in by a link', () => {
  async function enter(email: string): Promise<Browser.Browser> {
    const browser = visitor();
    await ask(browser, email);
    expect((await press(browser, await tokenOf(email))).status).toBe(303);
    return browser;
  }

  test('is in the one account, whichever of its parts he took over', async () => {
    const first = await person();
    const second = await person(first.email);
    expect(second.account).toBe(first.account);
    expect(await seen(await enter(first.email))).toBe(first.account);
  });

  test('is out again by signing out, and by the revocation of that session, but not of another', async () => {
    const someone = await person();
    const [one, two] = [await enter(someone.email), await enter(someone.email)];
    const kept = one.cookies.get('sluice_visitor') ?? '';
    await one.open('/shop/leave', {});
    one.cookies.set('sluice_visitor', kept);
    expect(await seen(one.at(other))).toBeUndefined();
    const token = two.cookies.get('sluice_visitor') ?? '';
    await fetch(`${other}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: someone.assertion }),
    });
    expect(await seen(two)).toBe(someone.account);
    await fetch(`${other}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
    expect(await seen(two)).toBeUndefined();
  });

  test('sees the browsers of their sign-ins, signs another one out, and none of another person', async () => {
    const someone = await person();
    const agents = ['Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0', 'Windows NT 10.0) Firefox/143.0'];
    const enterWith = async (agent: string) => {
      const headers = { [addressHeader]: `203.0.114.${++visitors}`, 'user-agent': `Mozilla/5.0 (${agent}` };
      const browser = new Browser.Browser(shop.url, headers);
      await ask(browser, someone.email);
      expect((await press(browser, await tokenOf(someone.email))).status).toBe(303);
      return browser;
    };
    const here = await enterWith(agents[0] ?? '');
    const there = await enterWith(agents[1] ?? '');
    const { html } = await here.open('/shop/account/settings');
    expect(html).toMatch(/Chrome on macOS <span class="sign">this browser/);
    const [session = '', ...more] = [...html.matchAll(/name="session" value="(ses_\w+)"/g)].map(
      ([, id]) => id,
    );
    expect([html.includes('Firefox on Windows'), more]).toEqual([true, []]);
    const stranger = await enter((await person()).email);
    const foreign = await stranger.open('/shop/account/sessions/end', { session });
    expect([foreign.status, await seen(there)]).toEqual([422, someone.account]);
    expect((await here.send('/shop/account/sessions/end', { session })).html).toContain('signed out');
    expect([await seen(there.at(other)), await seen(here)]).toEqual([undefined, someone.account]);
    expect((await here.open('/shop/account/settings')).html).not.toContain('Firefox on Windows');
    const activity = (await here.open('/shop/account/team')).html;
    expect(activity).toContain('Signed in with Chrome on macOS (this browser)');
    const copy = JSON.stringify(await openPersonData(shop.sql).ofPerson(someone.email));
    expect(copy).toContain('"browser":"Chrome on macOS"');
    await openPersonData(shop.sql).erase(someone.account, { forfeits: true, reason: 'asked' }, 'test');
    const kept =
      await shop.sql`SELECT FROM shop.account_event WHERE detail::text LIKE '%on Windows%' AND account_id = ${someone.account}`;
    expect(kept).toHaveLength(0);
  });

  test('may only look while the seller has frozen the account', async () => {
    const someone = await person();
    await Customer.call(
      { token: adminToken },
      'POST',
      `${shop.url}/admin/accounts/${someone.account}/freeze`,
      {},
    );
    const browser = await enter(someone.email);
    expect(await seen(browser)).toBe(someone.account);
    const overview = (await browser.open('/shop/account')).html;
    expect(overview).toContain('The shop has frozen this account');
    expect(overview).not.toContain('Add credit or change plan');
    const refused = await browser.open('/shop/account/keys', { name: 'robot' });
    expect(refused.html).toContain('frozen');
    expect(refused.html).not.toContain('slk_');
  });

  test('is told that the browser showed another account before', async () => {
    const someone = await person();
    const browser = visitor();
    await browser.open('/shop/start', {});
    const before = await seen(browser);
    await ask(browser, someone.email);
    const token = await tokenOf(someone.email);
    expect((await browser.open(`/shop/account/link?token=${token}`)).html).toContain(`${before}`);
    await press(browser, token);
    expect(await seen(browser)).toBe(someone.account);
  });
});
