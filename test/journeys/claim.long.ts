import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import * as Buyer from '../purchase/agent.ts';
import * as Network from '../purchase/network.ts';
import * as Customer from '../support/customer.ts';
import * as Mailbox from '../support/mailbox.ts';
import * as TcpProxy from '../support/proxy.ts';
import * as Shop from '../support/shop.ts';
import * as Waits from '../support/waits.ts';

const addressHeader = 'x-forwarded-for';
const trialUnits = 25;
const claimedUnits = 100;

let upstream: Upstream.ScriptedUpstream;
let mailbox: Mailbox.Mailbox;
let shop: Shop.Shop;
/** The URL of the second process, which reaches the database through a proxy. */
let other: string;
let proxy: TcpProxy.Proxy;
let served = 0;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket, body }) => {
    const { max } = JSON.parse(body);
    socket.write(Upstream.http(200, `{"count":${max}}`));
  });
  mailbox = await Mailbox.open();
  shop = await Shop.open({
    upstream: { url: upstream.url, key: 'upk_1' },
    catalog: 'claim.yaml',
    env: {
      ...mailbox.env,
      CLIENT_ADDRESS_HEADER: addressHeader,
    },
  });
  proxy = await TcpProxy.open(shop.databaseUrl);
  other = await shop.addStorefront({ DATABASE_URL: proxy.url });
});
afterEach(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
});
afterAll(async () => {
  await shop?.stop();
  await proxy?.cut();
  await mailbox?.stop();
  await upstream?.close();
});

type Agent = Customer.Customer & { claimToken: string };

async function register(): Promise<Agent> {
  const { body } = await post('/agent/auth', { type: 'anonymous' });
  return {
    account: body.account,
    token: body.access_token,
    assertion: body.identity_assertion,
    claimToken: body.claim_token,
  };
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  base = shop.url,
): Promise<Customer.Answer> {
  return Customer.send({
    method: 'POST',
    url: base + path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

/** Returns an email address that the shop has not seen. */
function person(): string {
  served += 1;
  return `ann${served}@person.example`;
}

function ask(
  claimToken: string,
  email: string,
  headers: Record<string, string> = {},
): Promise<Customer.Answer> {
  return post('/agent/auth/claim', { claim_token: claimToken, email }, headers);
}

function complete(claimToken: string, otp: string, base = shop.url): Promise<Customer.Answer> {
  return post('/agent/auth/claim/complete', { claim_token: claimToken, otp }, {}, base);
}

const mailsTo = (email: string) => mailbox.mailsTo(email);

const code = /^ {4}(\d{3} \d{3})$/m;

/** Returns the last mail with a code to an address. Mails about payments may follow it. */
async function codeMailOf(email: string): Promise<string> {
  return (await mailsTo(email)).findLast(({ text }) => code.test(text))?.text ?? '';
}

async function codeOf(email: string): Promise<string> {
  return code.exec(await codeMailOf(email))?.[1] ?? '';
}

async function claim(agent: Agent, email: string, base = shop.url): Promise<Customer.Answer> {
  expect((await ask(agent.claimToken, email)).status).toBe(200);
  return complete(agent.claimToken, await codeOf(email), base);
}

async function account(agent: Agent, base = shop.url) {
  return (await Customer.call(agent, 'GET', `${base}/account`)).body;
}

/** Returns a wrong code. */
const wrong = (code: string) => code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));

describe('an agent hands its account to a person', () => {
  test('same account, same balance, the further trial units on top', async () => {
    const agent = await register();
    await Customer.credit(shop.sql, agent, 500_000);
    const email = person();
    const asked = await ask(agent.claimToken, email);
    expect(asked.body).toMatchObject({ success: true, status: 'initiated' });
    expect(asked.headers.get('cache-control')).toBe('no-store');
    const done = await complete(agent.claimToken, await codeOf(email));
    expect(done).toMatchObject({
      status: 200,
      body: { status: 'claimed', account: agent.account, joined: false },
    });
    expect(await account(agent)).toMatchObject({
      account: agent.account,
      claimed: true,
      balance_usd: '0.50',
      included_remaining: trialUnits + claimedUnits,
    });
  });

  test('the same code again says the same and gives nothing more; so do many at once', async () => {
    const agent = await register();
    const email = person();
    await ask(agent.claimToken, email);
    const code = await codeOf(email);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => complete(agent.claimToken, code, at % 2 ? other : shop.url)),
    );
    for (const { status, body } of all) expect([status, body.account]).toEqual([200, agent.account]);
    expect(await account(agent)).toMatchObject({ included_remaining: trialUnits + claimedUnits });
  });

  test('an account that a purchase made is claimed by its assertion', async () => {
    const agent = await register();
    const email = person();
    expect((await ask(agent.assertion, email)).status).toBe(200);
    expect((await complete(agent.assertion, await codeOf(email))).status).toBe(200);
  });
});

describe('a code', () => {
  test('is tried five times, and then is none, be it right', async () => {
    const agent = await register();
    const email = person();
    await ask(agent.claimToken, email);
    const code = await codeOf(email);
    for (const left of [4, 3, 2, 1, 0])
      expect(await complete(agent.claimToken, wrong(code))).toMatchObject({
        status: 403,
        body: { code: 'otp_invalid', tries_left: left },
      });
    expect(await complete(agent.claimToken, code)).toMatchObject({
      status: 410,
      body: { code: 'otp_expired' },
    });
    expect(await account(agent)).toMatchObject({ claimed: false, included_remaining: trialUnits });
  });

  test('is tried five times in all, also when all come at once', async () => {
    const agent = await register();
    const email = person();
    await ask(agent.claimToken, email);
    const code = wrong(await codeOf(email));
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, at) => complete(agent.claimToken, code, at % 2 ? other : shop.url)),
    );
    expect(all.filter(({ status }) => status === 403)).toHaveLength(5);
  });

  test('of another account, of an earlier mail, or too old is none', async () => {
    const [one, two] = [await register(), await register()];
    const [first, second] = [person(), person()];
    await ask(one.claimToken, first);
    const code = await codeOf(first);
    expect((await complete(two.claimToken, code)).status).toBe(410);
    await ask(one.claimToken, second);
    expect((await complete(one.claimToken, code)).status).toBe(403);
    await shop.sql`UPDATE shop.claim SET expires_at = now() WHERE account_id = ${one.account}`;
    expect((await complete(one.claimToken, await codeOf(second))).status).toBe(410);
  });

  test('is nowhere but in the mail: not in the database, not in the log, nor is the address', async () => {
    const agent = await register();
    const email = person();
    await ask(agent.claimToken, email);
    const code = (await codeOf(email)).replace(' ', '');
    const rows = JSON.stringify(await shop.sql`SELECT * FROM shop.claim WHERE account_id = ${agent.account}`);
    expect(rows).not.toContain(code);
    await complete(agent.claimToken, code);
    for (const { output } of shop.storefronts)
      expect(output()).not.toMatch(new RegExp(`${code}|person.example`));
  });
});

describe('nobody learns', () => {
  test('whether an address is known here: the answers are the same', async () => {
    const known = person();
    await claim(await register(), known);
    const answers = await Promise.all(
      [known, person()].map(async (email) => ask((await register()).claimToken, email)),
    );
    const [first, second] = answers.map(
      ({ status, body: { registration_id: _, expires_at: __, ...body } }) => ({ status, body }),
    );
    expect(first).toEqual(second);
    expect(await codeMailOf(known)).toContain('You already have an account here');
  });

  test('another account by a token that is none', async () => {
    const agent = await register();
    for (const token of ['', 'x', agent.token, `${agent.claimToken}x`]) {
      const { status } = await ask(token, person());
      expect([401, 422]).toContain(status);
    }
    await fetch(`${shop.url}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: agent.assertion }),
    });
    expect((await ask(agent.claimToken, person())).status).toBe(401);
  });
});

describe('enough is enough', () => {
  test('for an account, and for a mailbox with whatever tag', async () => {
    const agent = await register();
    for (let at = 0; at < 6; at++) expect((await ask(agent.claimToken, person())).status).toBe(200);
    const seventh = await ask(agent.claimToken, person());
    expect(seventh).toMatchObject({ status: 429, body: { code: 'claim_limited' } });
    expect(Number(seventh.headers.get('retry-after'))).toBeGreaterThan(86_000);
    for (let at = 0; at < 6; at++)
      expect((await ask((await register()).claimToken, `eve+${at}@person.example`)).status).toBe(200);
    expect((await ask((await register()).claimToken, 'eve@person.example')).status).toBe(429);
  });

  test('but strangers with free accounts do not use up the codes of a mailbox whose reader has paid', async () => {
    const email = person();
    for (let at = 0; at < 6; at++) expect((await ask((await register()).claimToken, email)).status).toBe(200);
    expect((await ask((await register()).claimToken, email)).status).toBe(429);
    const paying = await register();
    await Customer.credit(shop.sql, paying, 500_000);
    expect(await claim(paying, email)).toMatchObject({ status: 200, body: { account: paying.account } });
    for (let at = 0; at < 5; at++) {
      const other = await register();
      await Customer.credit(shop.sql, other, 500_000);
      expect((await ask(other.claimToken, email)).status).toBe(200);
    }
    const last = await register();
    await Customer.credit(shop.sql, last, 500_000);
    expect((await ask(last.claimToken, email)).status).toBe(429);
  });

  test('for an address block', async () => {
    const from = (at: number) => ({ [addressHeader]: `2001:db8::${at}` });
    const agents = await Promise.all(Array.from({ length: 21 }, register));
    const all: number[] = [];
    for (const [at, agent] of agents.entries())
      all.push((await ask(agent.claimToken, person(), from(at))).status);
    expect(all).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  });
});

describe('a person who has an account takes the new one in', () => {
  async function two(): Promise<{ old: Agent; young: Agent; email: string }> {
    const [old, young, email] = [await register(), await register(), person()];
    await Customer.credit(shop.sql, old, 300_000);
    await Customer.credit(shop.sql, young, 200_000);
    await claim(old, email);
    return { old, young, email };
  }

  test('all that was paid is on the older account, once, and neither the trial nor the gift is given again', async () => {
    const { old, young, email } = await two();
    await Customer.call(young, 'POST', `${shop.url}/v1/list`, { max: 5 });
    expect(await claim(young, email)).toMatchObject({
      status: 200,
      body: { account: old.account, joined: true },
    });
    for (const agent of [old, young])
      for (const base of [shop.url, other])
        await expect
          .poll(() => account(agent, base))
          .toMatchObject({
            account: old.account,
            claimed: true,
            balance_usd: '0.50',
            included_remaining: trialUnits + claimedUnits,
          });
  });

  test('tokens of both draw on it at once in every process, to the last micro-dollar and no further', async () => {
    const { old, young, email } = await two();
    // The other process has cached the young account and leased some of its credit.
    await Customer.call(young, 'POST', `${other}/v1/list`, { max: 1 });
    expect((await claim(young, email)).status).toBe(200);
    let spent = 1;
    const calls: [Agent, string][] = [
      [young, other],
      [old, shop.url],
      [young, shop.url],
      [old, other],
    ];
    // Trial and money together: one trial, one gift, and 0.50 USD at 100 micro-dollars a unit, plus the used part of the young one's trial.
    const all = spent + trialUnits + claimedUnits + 5_000;
    for (let at = 0; spent < all; at++) {
      const [agent, base] = calls[at % 4] as [Agent, string];
      const max = Math.min(50, all - spent);
      const { status, body } = await Customer.call(agent, 'POST', `${base}/v1/list`, { max });
      expect(body.code).not.toBe('plan_required');
      if (status === 200) spent += max;
      if (at > 2_000) throw new Error(`only ${spent} could be spent`);
    }
    for (const [agent, base] of calls)
      expect((await Customer.call(agent, 'POST', `${base}/v1/list`, { max: 1 })).status).not.toBe(200);
    const [row] =
      await shop.sql`SELECT sum(units) AS units FROM ledger.usage WHERE account_id IN (${old.account}, ${young.account})`;
    expect(Number(row?.units)).toBe(all);
  });

  test('a call under an Idempotency-Key of before is answered again after the join, and not charged again', async () => {
    const { young, email } = await two();
    const call = (base: string) =>
      Customer.call(young, 'POST', `${base}/v1/list`, { max: 5 }, { 'idempotency-key': 'before the join' });
    const first = await call(shop.url);
    expect((await claim(young, email)).status).toBe(200);
    const before = upstream.received.length;
    for (const base of [shop.url, other]) {
      const again = await call(base);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.text).toBe(first.text);
      expect(again.headers.get('storefront-call')).toBe(first.headers.get('storefront-call'));
    }
    expect(upstream.received.length).toBe(before);
  });

  test('an order that was under way is paid on its page into the account that remains', async () => {
    const { old, young, email } = await two();
    const offered = await Customer.call(young, 'POST', `${shop.url}/plans/credit/purchase`, {
      amount_usd: '1.00',
    });
    expect((await claim(young, email)).status).toBe(200);
    const { id } = offered.body.purchase;
    expect((await Customer.pay(offered.body.checkout_url)).status).toBe(200);
    await expect
      .poll(async () => (await Customer.call(old, 'GET', `${shop.url}/purchases/${id}`)).body)
      .toMatchObject({ state: 'granted', account: old.account });
    expect(await account(old)).toMatchObject({ balance_usd: '1.50' });
    const { receipts } = (await Customer.call(old, 'GET', `${shop.url}/account/receipts`)).body;
    expect(receipts).toHaveLength(3);
  });

  test('a payment by a challenge of before is taken, and answered again after the join', async () => {
    const { old, young, email } = await two();
    const buyer = { ...Buyer.at(shop.url), token: young.token };
    const network = Network.of(shop.sandboxUrl);
    const [paidBefore, paidAfter] = [
      await Buyer.offer(buyer, { amount_usd: '1.00' }),
      await Buyer.offer(buyer, { amount_usd: '2.00' }),
    ];
    const tokens = [await network.mint(), await network.mint()] as const;
    expect((await Buyer.pay(buyer, paidBefore, tokens[0])).status).toBe(200);
    expect((await claim(young, email)).status).toBe(200);
    // After money has moved, no response is a 402.
    expect(await Buyer.pay(buyer, paidBefore, tokens[0])).toMatchObject({
      status: 200,
      body: { account: old.account, balance_usd: '1.50' },
    });
    expect(await Buyer.pay(buyer, paidAfter, tokens[1])).toMatchObject({
      status: 200,
      body: { account: old.account, balance_usd: '3.50' },
    });
    const stranger = { ...Buyer.at(shop.url), token: (await register()).token };
    expect((await Buyer.pay(stranger, paidAfter, tokens[1])).status).toBe(402);
    expect(await network.takenFor(paidBefore.order)).toBe(1);
  });

  test('the assertion of either gives tokens of the account that remains; revocation ends what it names', async () => {
    const { old, young, email } = await two();
    await claim(young, email);
    const form = (path: string, fields: Record<string, string>, base = shop.url) =>
      fetch(base + path, { method: 'POST', body: new URLSearchParams(fields) }).then(Customer.read);
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const fresh = await form('/oauth2/token', { grant_type, assertion: young.assertion });
    const [, claims = ''] = String(fresh.body.access_token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(old.account);
    await form('/oauth2/revoke', { token: young.assertion });
    for (const base of [shop.url, other]) {
      for (const token of [young.token, fresh.body.access_token])
        expect((await Customer.call({ token }, 'GET', `${base}/account`)).status).toBe(401);
      expect((await account(old, base)).account).toBe(old.account);
    }
  });

  test('a process that hears nothing asks the record, and has caught up when it hears again', async () => {
    const { old, young, email } = await two();
    expect((await account(young, other)).account).toBe(young.account);
    await ask(young.claimToken, email);
    const code = await codeOf(email);
    proxy.forbid('listen "revocations"');
    expect((await complete(young.claimToken, code)).status).toBe(200);
    expect((await account(young, other)).account).toBe(old.account);
    proxy.forbid(null);
    // The process confirms again, so claims no longer wait for it.
    await Waits.takesLess(2_000, async () => {
      const { old, young, email } = await two();
      expect((await claim(young, email)).body.account).toBe(old.account);
    });
    expect((await account(young, other)).account).toBe(old.account);
  });
});

test('what can be claimed is told by the metadata and the recipe; without mail nothing is, and the answer is plain', async () => {
  const metadata = await Customer.send({
    method: 'GET',
    url: `${shop.url}/.well-known/oauth-authorization-server`,
  });
  expect(metadata.body.agent_auth.claim_endpoint).toBe(`${shop.url}/agent/auth/claim`);
  expect((await Customer.send({ method: 'GET', url: `${shop.url}/auth.md` })).text).toContain(
    '/agent/auth/claim/complete',
  );
  const mute = await shop.addStorefront({ SMTP_URL: '' });
  expect(await post('/agent/auth/claim', {}, {}, mute)).toMatchObject({
    status: 501,
    body: { code: 'claim_unavailable' },
  });
  const registered = await post('/agent/auth', { type: 'anonymous' }, {}, mute);
  expect(registered.body).not.toHaveProperty('claim_token');
});
