import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as Upstream from '../proxy/scripted-upstream.ts';
import { Browser } from '../support/browser.ts';
import * as Customer from '../support/customer.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as Payer from '../support/payer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

let upstream: Upstream.ScriptedUpstream;
let facilitator: Facilitator.FacilitatorDouble;
let shop: Shop.Shop;
let other: string;
let network: Network.Network;

beforeAll(async () => {
  upstream = await Upstream.scripted(({ socket }) => socket.write(Upstream.http(200, '{"count":1}')));
  facilitator = await Facilitator.open();
  const env = {
    ...Agent.shopEnv,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
  };
  shop = await Shop.open({ upstream: { url: upstream.url, key: 'upk_1' }, catalog: 'scripted.yaml', env });
  other = await shop.addStorefront();
  network = Network.of(shop.sandboxUrl);
});
beforeEach(() => facilitator.setMood('honest'));
afterAll(async () => {
  await shop?.stop();
  await Promise.all([facilitator?.close(), upstream?.close()]);
});

const tokensIn = ({ text }: { text: string }) => /access_token|identity_assertion/.test(text);
/** Returns the tokens on the page after a payment. */
const shownTokens = (html: string) => ({
  token: /id="token"[^>]*>([^<]+)</.exec(html)?.[1] ?? null,
  assertion: /id="assertion"[^>]*>([^<]+)</.exec(html)?.[1] ?? null,
});
const balance = async (token: string) =>
  (await Customer.call({ token }, 'GET', `${shop.url}/account`)).body.balance_usd;
const path = (url: string) => url.slice(new URL(url).origin.length);

let requests = 0;
/** Sends a purchase from its own address. */
function purchase(headers: Record<string, string>, url = shop.url, body = '{}'): Promise<Customer.Answer> {
  requests += 1;
  return Customer.send({
    method: 'POST',
    url: `${url}/plans/credit/purchase`,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.100.${requests % 250}`,
      ...headers,
    },
    body,
  });
}

/** Returns an offer and the x402 payment of a new wallet for it. */
async function coinOffer(bearer: Record<string, string> = {}, wallet = Payer.payer()) {
  const offer = await purchase(bearer);
  const required = JSON.parse(Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString());
  const payment = await Payer.pay2(wallet, required.accepts[0], { nowMs: Date.now() }, required.resource);
  return { wallet, required, payment, header: { 'payment-signature': Payer.base64(payment) } };
}

/** Rebuilds the payment from the calldata of its transaction, as anyone can, in both versions. */
function fromCalldata({ payment, required }: Awaited<ReturnType<typeof coinOffer>>) {
  const { signature, authorization } = payment.payload;
  const payload = { signature, authorization };
  const version2 = { x402Version: 2, accepted: required.accepts[0], payload };
  const version1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload };
  return [{ 'payment-signature': Payer.base64(version2) }, { 'x-payment': Payer.base64(version1) }];
}

describe('a coin payment that was settled', () => {
  test('gives its tokens to the request that made the purchase, and the receipt alone to every other', async () => {
    const sale = await coinOffer();
    const paid = await purchase(sale.header);
    expect(paid.status, paid.text).toBe(200);
    expect(await balance(paid.body.access_token)).toBe('0.50');
    for (const url of [shop.url, other]) {
      for (const header of [sale.header, ...fromCalldata(sale)]) {
        const again = await purchase(header, url);
        expect(again.status, again.text).toBe(200);
        expect(tokensIn(again)).toBe(false);
        expect(again.body.receipt.reference).toBe(paid.body.receipt.reference);
        expect(again.text).not.toContain(paid.body.account);
        expect(again.body).not.toHaveProperty('balance_usd');
      }
    }
  });

  test('tells a stranger nothing of the account that paid with its bearer', async () => {
    const agent = await Agent.registered(shop.url);
    const bearer = { authorization: `Bearer ${agent.token}` };
    const sale = await coinOffer(bearer);
    const paid = await purchase({ ...sale.header, ...bearer });
    expect(paid.body).toMatchObject({ account: agent.account, balance_usd: '0.50' });
    for (const header of fromCalldata(sale)) {
      const stranger = await purchase(header);
      expect([200, 402]).toContain(stranger.status);
      expect(tokensIn(stranger)).toBe(false);
      expect(stranger.text).not.toContain(agent.account);
    }
  });

  test('of fifty copies at once over two processes gives tokens to one', async () => {
    const sale = await coinOffer();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => purchase(sale.header, at % 2 ? other : shop.url)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.filter(tokensIn)).toHaveLength(1);
  });

  test('has an order that nobody can name by what is on the chain', async () => {
    const sale = await coinOffer();
    const one = await purchase(sale.header);
    expect(one.body.purchase.id).toMatch(/^pur_[0-9a-f]{32}$/);
    const again = await purchase(sale.header, other);
    expect(again.body.purchase.id).toBe(one.body.purchase.id);
    const { createHash } = await import('node:crypto');
    const { from, nonce } = sale.payment.payload.authorization;
    const { network: chain, asset } = sale.required.accepts[0];
    const key = `x402 ${chain} ${asset.toLowerCase()} ${from.toLowerCase()} ${nonce}`;
    const guess = `pur_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
    expect((await fetch(`${shop.url}/purchases/${guess}`)).status).toBe(404);
  });
});

test('a coin order whose page somebody pays by card does not become the wallet’s', async () => {
  facilitator.setMood('settled_unexpected');
  const sale = await coinOffer();
  const pending = await purchase(sale.header);
  expect(pending.status).toBe(202);
  const order = pending.body.purchase.id;
  await shop.sql`UPDATE shop.purchase SET state = 'declined', claimed_by = NULL WHERE id = ${order}`;
  const browser = new Browser(shop.url);
  const page = (await browser.open(`/checkout/${order}`)).headers.get('location') ?? '';
  const thanks = await browser.open(path(await Person.pay(page)));
  expect(shownTokens(thanks.html).token).not.toBeNull();
  expect(tokensIn(await purchase(sale.header))).toBe(false);
  const wallet = sale.wallet.address.toLowerCase();
  expect(await shop.sql`SELECT 1 FROM shop.wallet WHERE address = ${wallet}`).toEqual([]);
});

describe('a card payment by an agent', () => {
  test('gives its tokens once, also when the credential is sent again after a revocation', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const token = await network.mint();
    const paid = await Agent.pay(agent, offer, token);
    expect(tokensIn(paid)).toBe(true);
    expect(tokensIn(await Agent.pay(agent, offer, token))).toBe(false);
    await fetch(`${shop.url}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: paid.body.identity_assertion }),
    });
    const again = await Agent.pay(agent, offer, token);
    expect(again.status).toBe(200);
    expect(tokensIn(again)).toBe(false);
  });

  test('gives them to the first repetition where the process died before it answered', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const token = await network.mint();
    await network.control('/webhooks/pause');
    await network.fault('POST /v1/payment_intents', 'cut_after', 3);
    expect((await Agent.pay(agent, offer, token)).status).toBe(202);
    await network.control('/webhooks/resume');
    await expect
      .poll(async () => (await fetch(`${shop.url}/purchases/${offer.order}`).then(Customer.read)).body.state)
      .toBe('granted');
    const [first, second] = [await Agent.pay(agent, offer, token), await Agent.pay(agent, offer, token)];
    expect([tokensIn(first), tokensIn(second)]).toEqual([true, false]);
    expect(await balance(first.body.access_token)).toBe('0.50');
  });

  test('gives none to another token for the same challenge, nor to a credential that did not pay', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    await Agent.pay(agent, offer, await network.mint());
    expect(tokensIn(await Agent.pay(agent, offer, await network.mint()))).toBe(false);

    const creator = Agent.at(shop.url);
    const lure = await Agent.offer(creator);
    await Person.pay(await Person.open(lure.checkoutUrl));
    await expect
      .poll(async () => (await fetch(`${shop.url}/purchases/${lure.order}`).then(Customer.read)).body.state)
      .toBe('granted');
    const thief = await Agent.pay(creator, lure, 'spt_nothing');
    expect(thief.status).toBe(200);
    expect(tokensIn(thief)).toBe(false);
  });

  test('gives none once the account has a person, or one of its sessions was revoked', async () => {
    for (const spoil of ['person', 'revocation'] as const) {
      const agent = Agent.at(shop.url);
      const offer = await Agent.offer(agent);
      const token = await network.mint();
      const paid = await Agent.pay(agent, offer, token);
      await shop.sql`UPDATE shop.purchase SET tokens_issued_at = NULL WHERE id = ${offer.order}`;
      if (spoil === 'person')
        await shop.sql`UPDATE shop.account SET email = ${`${offer.order}@example.com`}, claimed_at = now() WHERE id = ${paid.body.account}`;
      else
        await fetch(`${shop.url}/oauth2/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token: paid.body.access_token }),
        });
      expect(tokensIn(await Agent.pay(agent, offer, token))).toBe(false);
    }
  });
});

describe('the page after a payment', () => {
  /** Opens the link of an anonymous order in a browser. Returns the hosted page. */
  async function opened(browser = new Browser(shop.url)) {
    const offer = await Agent.offer(Agent.at(shop.url));
    const page = (await browser.open(`/checkout/${offer.order}`)).headers.get('location') ?? '';
    return { browser, offer, page };
  }

  test('shows the tokens once, to the browser that was sent to the card page', async () => {
    const { browser, page } = await opened();
    const back = path(await Person.pay(page));
    const first = await browser.open(back);
    const { token, assertion } = shownTokens(first.html);
    expect(assertion).not.toBeNull();
    expect(await balance(token ?? '')).toBe('0.50');
    for (const at of [browser, browser.at(other), new Browser(shop.url)])
      expect(shownTokens((await at.open(back)).html)).toEqual({ token: null, assertion: null });
  });

  test('shows neither tokens nor account to a stranger, who takes nothing away from the payer', async () => {
    const { browser, page } = await opened();
    const back = path(await Person.pay(page));
    const stranger = await new Browser(shop.url).open(back);
    const [name, value] = [...browser.cookies][0] ?? [];
    await fetch(shop.url + back, { method: 'HEAD', headers: { cookie: `${name}=${value}` } });
    expect(stranger.status).toBe(200);
    expect(shownTokens(stranger.html)).toEqual({ token: null, assertion: null });
    expect(stranger.html).not.toMatch(/acc_/);
    expect(shownTokens((await browser.open(back)).html).token).not.toBeNull();
  });

  test('shows none after half an hour', async () => {
    const { browser, offer, page } = await opened();
    const back = path(await Person.pay(page));
    await new Browser(shop.url).open(back);
    await shop.sql`UPDATE shop.purchase SET granted_at = granted_at - interval '31 minutes' WHERE id = ${offer.order}`;
    expect(shownTokens((await browser.open(back)).html).token).toBeNull();
  });

  test('belongs to one browser at a time: another one asks first, and closes the page of the first', async () => {
    const first = await opened();
    const second = new Browser(shop.url);
    const asked = await second.open(`/checkout/${first.offer.order}`);
    expect(asked.status).toBe(409);
    expect(asked.html).toContain('<form method="post"');
    expect((await fetch(first.page)).status).toBe(200);
    second.site = 'cross-site';
    expect((await second.open(`/checkout/${first.offer.order}`, {})).status).toBe(403);
    second.site = 'same-origin';
    const moved = await second.open(`/checkout/${first.offer.order}`, {});
    expect(moved.status).toBe(200);
    const page = (await second.open(`/checkout/${first.offer.order}`)).headers.get('location') ?? '';
    expect(page).not.toBe(first.page);
    await expect(Person.pay(first.page)).rejects.toThrow();
    const back = path(await Person.pay(page));
    expect(shownTokens((await first.browser.open(back)).html).token).toBeNull();
    expect(shownTokens((await second.open(back)).html).token).not.toBeNull();
  });

  test('knows its browser by a cookie that no script reads and that is kept as a digest', async () => {
    const { browser, offer } = await opened();
    const answer = await fetch(`${shop.url}/checkout/${offer.order}`, { redirect: 'manual' });
    expect(answer.status).toBe(409);
    const [name, value] = [...browser.cookies][0] ?? [];
    expect(name).toBe('sluice_checkout');
    const rows =
      await shop.sql`SELECT 1 FROM shop.purchase p WHERE p.id = ${offer.order} AND to_jsonb(p)::text LIKE ${`%${value}%`}`;
    expect(rows).toEqual([]);
  });

  test('is not opened by a program that only asks for the head', async () => {
    const offer = await Agent.offer(Agent.at(shop.url));
    await fetch(`${shop.url}/checkout/${offer.order}`, { method: 'HEAD', redirect: 'manual' });
    expect((await new Browser(shop.url).open(`/checkout/${offer.order}`)).status).toBe(303);
  });

  test('never leads an anonymous buyer away from the tokens', async () => {
    const refused = await Agent.ask(Agent.at(shop.url), { return_url: 'https://agent.example.com/done' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'return_url' }] } });
    const own = await Agent.ask(Agent.at(shop.url), { return_url: `${shop.url}/` });
    expect(own.status).toBe(422);
    const agent = await Agent.registered(shop.url);
    for (const return_url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://shop@evil.example/',
      '//evil.example',
    ])
      expect((await Agent.ask(agent, { return_url })).status).toBe(422);
    expect((await Agent.ask(agent, { return_url: 'https://agent.example.com/done' })).status).toBe(402);
  });
});

describe('the state of a purchase', () => {
  test('is told to whoever has its id, and its account to that account alone', async () => {
    const agent = await Agent.registered(shop.url);
    const offer = await Agent.offer(agent);
    await Agent.pay(agent, offer, await network.mint());
    const url = `${shop.url}/purchases/${offer.order}`;
    const stranger = await fetch(url).then(Customer.read);
    expect(stranger.body).toMatchObject({ state: 'granted' });
    expect(stranger.text).not.toContain(agent.account);
    const someone = await Agent.registered(shop.url);
    expect((await Customer.call(someone, 'GET', url)).text).not.toContain(agent.account);
    expect((await Customer.call(agent, 'GET', url)).body).toMatchObject({ account: agent.account });
  });
});
