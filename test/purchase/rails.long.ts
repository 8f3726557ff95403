import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Config from '../../src/config.ts';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Network from './network.ts';

const intents = 'POST /v1/payment_intents';
const pages = 'POST /v1/checkout/sessions';

let shop: Shop.Shop;
let network: Network.Network;
/** A storefront without a profile in Stripe's network, and one that sells to agents alone. */
let withoutProfile: string;
let agentsOnly: string;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  network = Network.of(shop.sandboxUrl);
  [withoutProfile, agentsOnly] = await Promise.all([
    shop.addStorefront({ STRIPE_NETWORK_ID: '' }),
    shop.addStorefront({ PAYMENT_RAILS: 'mpp' }),
  ]);
});
afterAll(async () => {
  expect(await Shop.breaches(shop)).toEqual([]);
  await shop?.stop();
});

describe('a rail that is off', () => {
  test('is not offered: without a network profile agents are shown the card page alone', async () => {
    const answer = await Agent.ask(Agent.at(withoutProfile));
    expect(answer.status).toBe(402);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(answer.body.rails.map(({ rail }: { rail: string }) => rail)).toEqual(['checkout']);
    const { body } = await Customer.send({ method: 'GET', url: `${withoutProfile}/manifest.json` });
    expect(body.payment.rails).toEqual(['card']);
  });

  test('is not offered: a shop for agents alone has no card page', async () => {
    const { answer } = await Agent.offer(Agent.at(agentsOnly));
    expect(answer.body).not.toHaveProperty('checkout_url');
    expect(answer.body.rails.map(({ rail }: { rail: string }) => rail)).toEqual(['mpp']);
  });

  test('is a fault of the settings where it is named and not configured', () => {
    const env = { PAYMENT_RAILS: 'mpp,x402,cash', STRIPE_NETWORK_ID: '' };
    const parsed = Config.parse(env);
    expect(parsed.ok ? [] : parsed.faults).toEqual(
      expect.arrayContaining([
        'PAYMENT_RAILS has "mpp", which needs STRIPE_NETWORK_ID',
        'PAYMENT_RAILS has "x402", which needs X402_PAY_TO',
        'PAYMENT_RAILS has "cash", which is unknown. Did you mean "card"?',
      ]),
    );
  });
});

describe('a card network that refuses the shop', () => {
  const denied = { status: 403, type: 'invalid_request_error', message: 'This key may not do that.' };

  test('is no fault of the buyer: 503, nothing charged, not counted, and the same credential pays later', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const token = await network.mint();
    await network.refuse(intents, 7, denied);
    for (let tries = 0; tries < 7; tries += 1) {
      const refused = await Agent.pay(agent, offer, token);
      expect([refused.status, refused.body.code]).toEqual([503, 'payment_unavailable']);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(await network.takenFor(offer.order)).toBe(0);
    const paid = await Agent.pay(agent, offer, token);
    expect(paid.status, paid.text).toBe(200);
    expect(await network.takenFor(offer.order)).toBe(1);
  });

  test('is told to the operator', async () => {
    const log = () => shop.storefronts.map((storefront) => storefront.output()).join('');
    await expect.poll(log).toContain('payment_rail_refuses');
  });

  test('leaves a person with a page that says so, and the link works once it is fixed', async () => {
    const { checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    await network.refuse(pages, 1, { ...denied, status: 400, code: 'amount_too_small' });
    const refused = await fetch(checkoutUrl, { redirect: 'manual' });
    expect(refused.status).toBe(503);
    expect(await refused.text()).not.toContain('may not do that');
    const [cookie = ''] = refused.headers.getSetCookie();
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect((await fetch(checkoutUrl, { redirect: 'manual', headers })).status).toBe(303);
  });

  test('as too small an amount is learned: it and less are refused with the minimum, and more is offered', async () => {
    const small = await Agent.offer(Agent.at(shop.url), { amount_usd: '0.70' });
    const refusal = { ...denied, status: 400, code: 'amount_too_small' };
    await network.refuse(intents, 1, refusal);
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent, { amount_usd: '0.70' });
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(503);
    for (const amount_usd of ['0.50', '0.70']) {
      const answer = await Agent.ask(Agent.at(shop.url), { amount_usd });
      expect([answer.status, answer.body.errors?.[0]?.field], answer.text).toEqual([422, 'amount_usd']);
      expect(answer.body.errors[0].message).toContain('more than 0.70');
    }
    expect((await Agent.ask(Agent.at(shop.url), { amount_usd: '0.71' })).status).toBe(402);
    expect(await network.takenFor(small.order)).toBe(0);
  });
});
