import { contentDigest } from '@sluice/kernel/digest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import * as Challenge from '../../src/payment/challenge.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';

let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  network = Network.of(shop.sandboxUrl);
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
});

const decode = (text: string | undefined) => CanonicalJson.decode(text ?? '') as Record<string, unknown>;
const balance = async (token: string) =>
  (await Customer.call({ token }, 'GET', `${shop.url}/account`)).body.balance_usd;

describe('the priced 402', () => {
  test('names the order, both ways to pay it, and a challenge that is bound to all of it', async () => {
    const { answer, challenge, order, checkoutUrl } = await Agent.offer(Agent.at(shop.url), {
      amount_usd: '5.00',
    });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('storefront-origin')).toBe('storefront');
    expect(answer.body).toMatchObject({
      success: false,
      code: 'payment_required',
      type: 'https://paymentauth.org/problems/payment-required',
      title: 'Payment required',
      status: 402,
      detail: expect.any(String),
      message: expect.any(String),
      request_id: expect.stringMatching(/^req_/),
      purchase: { id: expect.stringMatching(/^pur_/), plan: 'credit', amount_usd: '5.00' },
      checkout_url: `${shop.url}/checkout/${order}`,
      rails: [
        { rail: 'mpp', method: 'stripe', intent: 'charge', challenge: challenge.id },
        { rail: 'checkout', url: checkoutUrl },
      ],
    });
    expect(Date.parse(answer.body.purchase.expires_at)).toBeGreaterThan(Date.now());
    expect(challenge).toMatchObject({
      realm: 'localhost',
      method: 'stripe',
      intent: 'charge',
      digest: contentDigest('{"amount_usd":"5.00"}'),
    });
    expect(challenge.header).toBeUndefined();
    const lifeMs = Date.parse(challenge.expires ?? '') - Date.now();
    expect(lifeMs).toBeGreaterThan(290_000);
    // The lifetime is measured by the database's clock, which the shop knows to a fraction of a second.
    expect(lifeMs).toBeLessThanOrEqual(301_000);
    expect(decode(challenge.request)).toEqual({
      amount: '500',
      currency: 'usd',
      methodDetails: { networkId: 'profile_test_sluice', paymentMethodTypes: ['card', 'link'] },
    });
    expect(decode(challenge.opaque)).toEqual({ order, plan: 'credit', account: '' });
  });

  test('asks an account for its credential in a field that leaves the bearer where it is', async () => {
    const agent = await Agent.registered(shop.url);
    const { challenge } = await Agent.offer(agent);
    expect(challenge.header).toBe('Payment-Authorization');
    expect(decode(challenge.opaque).account).toBe(agent.account);
  });

  test('asks for what the manifest says: the least amount where none is named', async () => {
    const { body: manifest } = await Customer.send({ method: 'GET', url: `${shop.url}/manifest.json` });
    const plan = manifest.plans.find(({ id }: { id: string }) => id === 'credit');
    const { answer, challenge } = await Agent.offer(Agent.at(shop.url));
    expect(answer.body.purchase.amount_usd).toBe(plan.min_usd);
    expect(plan.price_usd).toBe(plan.min_usd);
    expect(manifest.payment.minimumUsd).toBe(plan.min_usd);
    expect(decode(challenge.request).amount).toBe(String(Math.round(Number(plan.min_usd) * 100)));
  });

  test('answers no body at all as it answers {}', async () => {
    const { answer } = await Agent.offer(Agent.at(shop.url), undefined);
    expect(answer.body.purchase.amount_usd).toBe('0.50');
  });
});

describe('a payment that settles', () => {
  test('makes an account where there was none, and its token reaches the credit', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent, { amount_usd: '2.50', quantity: 2 });
    const paid = await Agent.pay(agent, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    const [payment] = await network.paymentsOf(offer.order);
    expect(paid.body).toMatchObject({
      success: true,
      purchase: { id: offer.order, plan: 'credit', amount_usd: '5.00' },
      plan: { id: 'credit', kind: 'credit', status: 'active', period_end: null, included_remaining: null },
      balance_usd: '5.00',
      receipt: { method: 'stripe', reference: payment?.id, settled_at: expect.any(String) },
      account: expect.stringMatching(/^acc_/),
      token_type: 'Bearer',
    });
    expect(paid.headers.get('cache-control')).toMatch(/^private/);
    expect(decode(paid.headers.get('payment-receipt') ?? '')).toEqual({
      status: 'success',
      method: 'stripe',
      reference: payment?.id,
      challengeId: offer.challenge.id,
      timestamp: paid.body.receipt.settled_at,
    });
    expect(payment).toMatchObject({
      amount: 500,
      amount_received: 500,
      metadata: { plan: 'credit', challenge: offer.challenge.id },
    });
    expect(await balance(paid.body.access_token)).toBe('5.00');
  });

  test('puts the credit on the account of the bearer, and hands out no other token', async () => {
    const agent = await Agent.registered(shop.url);
    const offer = await Agent.offer(agent);
    const paid = await Agent.pay(agent, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body).toMatchObject({ account: agent.account, balance_usd: '0.50' });
    expect(paid.body).not.toHaveProperty('access_token');
    expect(await balance(agent.token)).toBe('0.50');
    const status = await Customer.send({ method: 'GET', url: `${shop.url}/purchases/${offer.order}` });
    expect(status.body).toMatchObject({ state: 'granted' });
  });

  test('answers the same credential with the same receipt and nothing else, and charges nothing', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const token = await network.mint();
    const first = await Agent.pay(agent, offer, token);
    const again = await Agent.pay(agent, offer, token);
    expect(again.status).toBe(200);
    const { success, purchase, receipt } = first.body;
    expect(again.body).toEqual({ success, purchase, receipt });
    expect(again.headers.get('payment-receipt')).toBe(first.headers.get('payment-receipt'));
    expect(await balance(first.body.access_token)).toBe('0.50');
    expect(await network.paymentsOf(offer.order)).toHaveLength(1);
    expect(await Books.lotsOf(shop.sql, offer.order)).toEqual([500_000]);
  });

  test('answers 10 at once, then 50 over two processes, with one purchase', async () => {
    const other = await shop.addStorefront();
    for (const [times, urls] of [
      [10, [shop.url]],
      [50, [shop.url, other]],
    ] as const) {
      // A loopback address, because the number of requests per second from other addresses is limited.
      const agent = { ...(await Agent.registered(shop.url)), address: '127.0.0.1' };
      const offer = await Agent.offer(agent);
      const token = await network.mint();
      const answers = await Promise.all(
        Array.from({ length: times }, (_, at) =>
          Agent.pay({ ...agent, url: urls[at % urls.length] ?? shop.url }, offer, token),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await network.paymentsOf(offer.order)).toHaveLength(1);
      expect(await Books.lotsOf(shop.sql, offer.order)).toEqual([500_000]);
      expect(await balance(agent.token)).toBe('0.50');
    }
  });

  test('tells a second token for the same challenge that it is paid, charges nothing and hands out no key', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    await Agent.pay(agent, offer, await network.mint());
    const again = await Agent.pay(agent, offer, await network.mint());
    expect(again.status).toBe(200);
    expect(again.body).not.toHaveProperty('access_token');
    expect(again.body).not.toHaveProperty('identity_assertion');
    expect(await network.paymentsOf(offer.order)).toHaveLength(1);
  });
});

describe('a challenge', () => {
  /** Signs a challenge with changed terms, using the shop's own secret. */
  async function reissue(challenge: Challenge.Challenge, over: Partial<Challenge.ChallengeTerms>) {
    const [row] = await shop.sql<
      { value: string }[]
    >`SELECT value FROM shop.secret WHERE name = 'payment-challenge'`;
    const secrets = { current: row?.value ?? '' };
    const verdict = Challenge.verify(challenge, secrets, 0);
    if (verdict.kind !== 'ok') throw new Error(`not the shop's own: ${verdict.kind}`);
    return Challenge.issue({ ...verdict.terms, ...over }, secrets);
  }

  test('that has expired is not paid, and the answer brings a fresh one', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const challenge = await reissue(offer.challenge, { expiresAtMs: Date.now() - 1 });
    const answer = await Agent.pay(agent, { ...offer, challenge }, await network.mint());
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'payment_required', type: 'https://paymentauth.org/problems/payment-expired' },
    });
    expect(await network.paymentsOf(offer.order)).toEqual([]);
    const fresh = Agent.readOffer(answer, offer.body);
    expect((await Agent.pay(agent, fresh, await network.mint())).status).toBe(200);
  });

  test.each<[string, (offer: Agent.Offer) => Promise<Pick<Agent.Offer, 'body' | 'challenge'>>]>([
    ['another body', async (offer) => ({ ...offer, body: '{ }' })],
    ['another amount', async (offer) => ({ ...offer, body: '{"amount_usd":"5.00"}' })],
    [
      'another plan',
      async ({ body, challenge }) => {
        const opaque = { ...decode(challenge.opaque), plan: 'gold' } as Record<string, string>;
        return { body, challenge: await reissue(challenge, { opaque }) };
      },
    ],
    [
      'another account',
      async ({ body, challenge }) => {
        const opaque = { ...decode(challenge.opaque), account: 'acc_other' } as Record<string, string>;
        return { body, challenge: await reissue(challenge, { opaque }) };
      },
    ],
    [
      'another shop',
      async ({ body, challenge }) => ({
        body,
        challenge: await reissue(challenge, { realm: 'shop.example.com' }),
      }),
    ],
    [
      'no shop that we know',
      async ({ body, challenge }) => ({
        body,
        challenge: {
          ...challenge,
          id: Challenge.issue(
            {
              realm: challenge.realm,
              method: challenge.method,
              intent: challenge.intent,
              request: decode(challenge.request) as CanonicalJson.JsonObject,
              opaque: decode(challenge.opaque) as Record<string, string>,
              expiresAtMs: Date.parse(challenge.expires ?? ''),
              ...(challenge.digest && { digest: challenge.digest }),
            },
            { current: 'the secret of quite another shop' },
          ).id,
        },
      }),
    ],
    [
      'a smaller price, by the hand of the buyer',
      async ({ body, challenge }) => ({
        body,
        challenge: {
          ...challenge,
          request: CanonicalJson.encode({ ...decode(challenge.request), amount: '1' } as never),
        },
      }),
    ],
  ])('of %s buys nothing', async (_, change) => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const answer = await Agent.pay(agent, await change(offer), await network.mint());
    expect(answer).toMatchObject({
      status: 402,
      body: { code: 'payment_required', type: 'https://paymentauth.org/problems/invalid-challenge' },
    });
    expect(Agent.readOffer(answer, '').order).not.toBe(offer.order);
    expect(await network.paymentsOf(offer.order)).toEqual([]);
    expect(await Books.stateOf(shop.sql, offer.order)).toBe('offered');
  });

  test('of one account is not paid by another', async () => {
    const [one, other] = [await Agent.registered(shop.url), await Agent.registered(shop.url)];
    const offer = await Agent.offer(one);
    const answer = await Agent.pay(other, offer, await network.mint());
    expect(answer.body.type).toBe('https://paymentauth.org/problems/invalid-challenge');
    expect(await network.paymentsOf(offer.order)).toEqual([]);
  });
});

describe('a card that is declined', () => {
  test('buys nothing, and a fresh challenge can be paid by another', async () => {
    const agent = await Agent.registered(shop.url);
    const offer = await Agent.offer(agent);
    const declinedToken = await network.mint('pm_card_chargeDeclinedInsufficientFunds');
    const declined = await Agent.pay(agent, offer, declinedToken);
    expect(declined).toMatchObject({
      status: 402,
      body: {
        code: 'payment_declined',
        message: 'Your card has insufficient funds.',
        type: 'https://paymentauth.org/problems/verification-failed',
      },
    });
    expect(declined.headers.get('payment-receipt')).toBeNull();
    const again = await Agent.pay(agent, offer, declinedToken);
    expect(again.body.code).toBe('payment_declined');
    expect(await network.paymentsOf(offer.order)).toHaveLength(1);
    const fresh = Agent.readOffer(declined, offer.body);
    expect(fresh.challenge.id).not.toBe(offer.challenge.id);
    expect((await Agent.pay(agent, fresh, await network.mint())).status).toBe(200);
    expect(await balance(agent.token)).toBe('0.50');
  });

  test('that asks for 3-D Secure is told where a person can take that step', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const answer = await Agent.pay(agent, offer, await network.mint('pm_card_authenticationRequired'));
    expect(answer).toMatchObject({ status: 402, body: { code: 'payment_declined' } });
    expect(answer.body.message).toMatch(/hosted page/);
    expect(answer.body.checkout_url).toMatch(/\/checkout\/pur_/);
  });

  test('a token that does not exist is declined too', async () => {
    const agent = Agent.at(shop.url);
    const answer = await Agent.pay(agent, await Agent.offer(agent), 'spt_nobody');
    expect(answer).toMatchObject({ status: 402, body: { code: 'payment_declined' } });
    expect(answer.text).not.toContain('No such');
  });

  test('after five declines an account waits, from every address; a paid order is still answered', async () => {
    const agent = await Agent.registered(shop.url);
    const paid = await Agent.offer(agent);
    const paidToken = await network.mint();
    expect((await Agent.pay(agent, paid, paidToken)).status).toBe(200);
    for (const card of ['LostCard', 'StolenCard', 'ExpiredCard', 'IncorrectCvc', 'InsufficientFunds']) {
      const token = await network.mint(`pm_card_chargeDeclined${card}`);
      expect((await Agent.pay(agent, await Agent.offer(agent), token)).status).toBe(402);
    }
    const elsewhere = { ...agent, address: Agent.at(shop.url).address };
    for (const barred of [agent, elsewhere]) {
      const offer = await Agent.offer(barred);
      const answer = await Agent.pay(barred, offer, await network.mint());
      expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_declines' } });
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(40);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(await network.paymentsOf(offer.order)).toEqual([]);
    }
    // Others at the same address, such as in an office, can pay.
    const neighbour = { ...agent, token: null };
    expect((await Agent.pay(neighbour, await Agent.offer(neighbour), await network.mint())).status).toBe(200);
    expect((await Agent.pay(agent, paid, paidToken)).status).toBe(200);
  });
});

describe('what is refused before a price is named', () => {
  test.each([
    ['below the minimum', { amount_usd: '0.49' }, 'amount_usd', /at least 0\.50/],
    ['above the maximum', { amount_usd: '1000.01' }, 'amount_usd', /at most 1000\.00/],
    [
      'above it by the quantity',
      { amount_usd: '999999999', quantity: 1000 },
      'amount_usd',
      /at most 1000\.00/,
    ],
    ['a fraction of a cent', { amount_usd: '1.005' }, 'amount_usd', /whole cents/],
    ['no decimal', { amount_usd: '5,00' }, 'amount_usd', /decimal string/],
    ['a negative amount', { amount_usd: '-5.00' }, 'amount_usd', /decimal string/],
    ['a number', { amount_usd: 5 }, 'amount_usd', /decimal string/],
    ['half a quantity', { quantity: 0.5 }, 'quantity', /whole number/],
    ['a field that is nearly right', { ammount_usd: '5.00' }, 'body', /Did you mean "amount_usd"\?/],
    [
      'a field that is nothing like ours',
      { zzzzzzzz: 1 },
      'body',
      /Allowed fields: amount_usd, billing_address, quantity, return_url/,
    ],
    ['a script for a return address', { return_url: 'javascript:alert(1)' }, 'return_url', /http or https/],
    ['a list', [], 'body', /Expected object/],
  ])('422 for %s', async (_, body, field, message) => {
    const answer = await Agent.ask(Agent.at(shop.url), body);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        success: false,
        code: 'invalid_request',
        errors: [{ field, message: expect.stringMatching(message) }],
      },
    });
  });

  test('404 for a plan that is not for sale, the trial among them, which names those that are', async () => {
    for (const plan of ['gold', 'trial']) {
      const answer = await Agent.ask(Agent.at(shop.url), {}, plan);
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(answer.body.message).toContain('credit');
    }
  });

  test('405 for a GET, 415 for a form, 400 for what is no JSON, 401 for a bad bearer', async () => {
    const url = `${shop.url}/plans/credit/purchase`;
    const get = await Customer.send({ method: 'GET', url });
    expect(get).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(get.headers.get('allow')).toBe('POST');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const typed = await Customer.send({ method: 'POST', url, headers: form, body: 'amount_usd=5' });
    expect(typed).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await Agent.ask(Agent.at(shop.url), '{"amount_usd":')).status).toBe(400);
    const answer = await Agent.ask({ ...Agent.at(shop.url), token: 'not.a.token' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  test('the plan is looked at first, then the body, then the bearer, then the payment', async () => {
    const bad = { ...Agent.at(shop.url), token: 'not.a.token' };
    expect((await Agent.ask(bad, { amount_usd: 5 }, 'gold')).status).toBe(404);
    expect((await Agent.ask(bad, { amount_usd: 5 })).status).toBe(422);
    expect((await Agent.ask(bad, {})).status).toBe(401);
    expect((await Agent.ask(Agent.at(shop.url), {})).status).toBe(402);
  });
});

describe('a credential', () => {
  const send = (headers: Record<string, string>) =>
    Customer.send({
      method: 'POST',
      url: `${shop.url}/plans/credit/purchase`,
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });

  test('that cannot be read is answered by a fresh challenge', async () => {
    const { challenge } = await Agent.offer(Agent.at(shop.url));
    for (const value of ['Payment x', 'Payment', Agent.credential(challenge, { spt: 'tok_1' })]) {
      const answer = await send({ authorization: value });
      expect(answer.body.type).toBe('https://paymentauth.org/problems/malformed-credential');
      expect(Agent.readOffer(answer, '{}').challenge.id).not.toBe(challenge.id);
    }
  });

  test('may stand beside a bearer in one line, but not beside another of its kind', async () => {
    const agent = await Agent.registered(shop.url);
    const { challenge } = await Agent.offer(Agent.at(shop.url), '{}');
    const payment = Agent.credential(challenge, { spt: await network.mint() });
    expect((await send({ authorization: `${payment}, ${payment}` })).status).toBe(400);
    // The challenge belongs to no account, and the bearer token does: they do not match.
    const answer = await send({ authorization: `Bearer ${agent.token}, ${payment}` });
    expect(answer.body.type).toBe('https://paymentauth.org/problems/invalid-challenge');
    expect((await send({ authorization: payment })).status).toBe(200);
  });

  test('in Authorization, where the bearer would be, tops up the account of its challenge and gives no tokens', async () => {
    const agent = await Agent.registered(shop.url);
    const { challenge, order } = await Agent.offer(agent, '{}');
    const payment = Agent.credential(challenge, { spt: await network.mint() });
    const paid = await send({ authorization: payment });
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body).not.toHaveProperty('access_token');
    expect(await network.takenFor(order)).toBe(1);
    expect(await balance(agent.token)).toBe('0.50');
  });

  test('in Authorization is declined for the same account: the fresh challenge pays it too', async () => {
    const agent = await Agent.registered(shop.url);
    const { challenge } = await Agent.offer(agent, '{}');
    const refused = Agent.credential(challenge, {
      spt: await network.mint('pm_card_chargeDeclinedProcessingError'),
    });
    const declined = Agent.readOffer(await send({ authorization: refused }), '{}');
    expect(declined.answer.body.code).toBe('payment_declined');
    expect(decode(declined.challenge.opaque).account).toBe(agent.account);
    const payment = Agent.credential(declined.challenge, { spt: await network.mint() });
    expect((await send({ authorization: payment })).status).toBe(200);
    expect(await balance(agent.token)).toBe('0.50');
  });

  test('beside the bearer of another account is not taken', async () => {
    const agent = await Agent.registered(shop.url);
    const stranger = await Agent.registered(shop.url);
    const { challenge } = await Agent.offer(agent, '{}');
    const payment = Agent.credential(challenge, { spt: await network.mint() });
    const answer = await send({ authorization: `Bearer ${stranger.token}, ${payment}` });
    expect(answer.body.type).toBe('https://paymentauth.org/problems/invalid-challenge');
  });
});

describe('what is never said', () => {
  test('no answer of a purchase shows a payment token, the processor or the database', async () => {
    const agent = Agent.at(shop.url);
    const token = await network.mint();
    const offer = await Agent.offer(agent);
    const paid = await Agent.pay(agent, offer, token);
    for (const { text } of [offer.answer, paid])
      expect(text).not.toMatch(/spt_|sk_test|postgres|127\.0\.0\.1:\d+\/v1/);
    const log = shop.storefronts.map((storefront) => storefront.output()).join('');
    expect(log).not.toContain(token);
    expect(log).not.toContain(paid.body.access_token);
  });
});
