import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';
import * as Agent from './agent.ts';
import * as Books from './books.ts';
import * as Network from './network.ts';
import * as Person from './person.ts';

let shop: Shop.Shop;
let network: Network.Network;
beforeAll(async () => {
  shop = await Shop.open({ env: Agent.shopEnv });
  network = Network.of(shop.sandboxUrl);
});
afterEach(async () => {
  await network.clearFaults();
  await network.control('/webhooks/duplicate', { copies: 0 });
  await network.control('/webhooks/resume');
});
afterAll(async () => {
  await Books.proves(shop.sql);
  await shop?.stop();
});

const get = (url: string) => Customer.send({ method: 'GET', url });
const lots = (order: string) => Books.lotsOf(shop.sql, order);

/** An order whose hosted page is open. */
async function opened(agent = Agent.at(shop.url), body: object = {}) {
  const offer = await Agent.offer(agent, body);
  return { agent, offer, order: offer.order, page: await Person.open(offer.checkoutUrl) };
}

describe('a page that is paid', () => {
  test('is granted by the return alone, and shows the credit and the way to it', async () => {
    await network.control('/webhooks/pause');
    const { order, page } = await opened(undefined, { amount_usd: '5.00' });
    const thanks = await get(await Person.pay(page));
    expect(thanks.status).toBe(200);
    expect(thanks.headers.get('cache-control')).toBe('no-store');
    expect(thanks.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(thanks.text).toContain('<dd id="balance">5.00 USD</dd>');
    const token = /id="token"[^>]*>([^<]+)</.exec(thanks.text)?.[1] ?? '';
    const assertion = /id="assertion"[^>]*>([^<]+)</.exec(thanks.text)?.[1] ?? '';
    const account = await Customer.call({ token }, 'GET', `${shop.url}/account`);
    expect(account.body.balance_usd).toBe('5.00');
    const grant = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    });
    const fresh = await fetch(`${shop.url}/oauth2/token`, { method: 'POST', body: grant });
    expect(fresh.status).toBe(200);
    expect(await lots(order)).toEqual([5_000_000]);
  });

  test('is granted by the notice alone', async () => {
    const { order, page } = await opened();
    await Person.pay(page);
    await expect.poll(() => lots(order)).toEqual([500_000]);
    expect((await get(`${shop.url}/checkout/${order}`)).text).toContain('This purchase is paid.');
  });

  test('is granted once by returns and notices in any order, doubled, reversed, repeated and at once', async () => {
    for (const order of ['return first', 'notice first', 'at once'] as const) {
      await network.control('/webhooks/pause');
      await network.control('/webhooks/duplicate', { copies: 2 });
      const { order: id, page } = await opened();
      const back = await Person.pay(page);
      const returns = () => Promise.all([get(back), get(back), get(back)]);
      const notices = () => network.control('/webhooks/deliver-in-reverse');
      if (order === 'at once') await Promise.all([returns(), notices()]);
      else if (order === 'return first') await returns().then(notices);
      else await notices().then(returns);
      for (const { id: event } of await network.noticesOf(id))
        await network.control('/webhooks/redeliver', { event });
      expect((await get(back)).text).toContain('0.50 USD');
      expect(await lots(id)).toEqual([500_000]);
      await network.control('/webhooks/resume');
    }
  });

  test('for the account of a program shows what was paid, and gives its payer no key to that account', async () => {
    const agent = await Agent.registered(shop.url);
    const { page } = await opened(agent);
    const thanks = await get(await Person.pay(page));
    expect(thanks.text).toContain('<dd id="balance">0.50 USD</dd>');
    expect(thanks.text).toContain(agent.account);
    expect(thanks.text).not.toContain('id="token"');
    const { body } = await Customer.call(agent, 'GET', `${shop.url}/account`);
    expect(body.balance_usd).toBe('0.50');
  });

  test('leads on to the return address that the buyer named, paid or not', async () => {
    const return_url = 'https://agent.example.com/done?task=7';
    const { order, page } = await opened(undefined, { return_url });
    expect(await (await fetch(page)).text()).toContain('https://agent.example.com/done?task=7');
    const back = await get(await Person.pay(page));
    expect([back.status, back.headers.get('location')]).toEqual([303, return_url]);
    expect(await lots(order)).toEqual([500_000]);
  });

  test('after a card was declined on it, is paid once', async () => {
    const { order, page } = await opened();
    expect((await Person.submit(page, Person.declinedCard)).status).toBe(402);
    expect(await lots(order)).toEqual([]);
    const thanks = await get(await Person.pay(page));
    expect(thanks.text).toContain('0.50 USD');
    expect(await lots(order)).toEqual([500_000]);
  });

  test('unheard by anyone, is found when it has closed', async () => {
    await network.control('/webhooks/pause');
    const { order, page } = await opened();
    await Person.pay(page);
    await shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '1 hour' WHERE id = ${order}`;
    expect(await lots(order)).toEqual([]);
    await shop.addStorefront();
    await expect.poll(() => lots(order), { timeout: 10_000 }).toEqual([500_000]);
  });
});

describe('a link', () => {
  test('says in words what there is to say: no such order, expired, paid elsewhere', async () => {
    expect((await get(`${shop.url}/checkout/pur_nobody`)).status).toBe(404);
    const { order, checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    await shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '1 second' WHERE id = ${order}`;
    const gone = await get(checkoutUrl);
    expect(gone.status).toBe(410);
    expect(gone.text).toContain('expired');
    const cancelled = await get(`${shop.url}/purchases/${order}/cancelled`);
    expect(cancelled.text).toContain('Nothing was charged.');
  });

  test('opens the same page each time, also for two at once', async () => {
    const { checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    const pages = await Promise.all([Person.open(checkoutUrl), Person.open(checkoutUrl)]);
    expect(new Set([...pages, await Person.open(checkoutUrl)]).size).toBe(1);
  });

  test('is 503 with a page for a person while the processor is away, and works again after it', async () => {
    const { order, checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    await network.fault('POST /v1/checkout/sessions', '500_before', 10);
    const broken = await get(checkoutUrl);
    expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '10']);
    expect(broken.text).toContain('Cards cannot be taken right now.');
    await network.clearFaults();
    const page = await Person.open(checkoutUrl);
    const elsewhere = await shop.addStorefront({ STRIPE_API_BASE: 'http://127.0.0.1:1' });
    const away = await get(`${elsewhere}/checkout/${order}`);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '10']);
    const back = new URL(await Person.pay(page));
    const pending = await get(elsewhere + back.pathname + back.search);
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '3']);
  });

  test('opens for another try after an agent’s card was declined', async () => {
    const agent = Agent.at(shop.url);
    const offer = await Agent.offer(agent);
    const token = await network.mint('pm_card_chargeDeclined');
    expect((await Agent.pay(agent, offer, token)).status).toBe(402);
    await get(await Person.pay(await Person.open(offer.checkoutUrl)));
    expect(await lots(offer.order)).toEqual([500_000]);
    expect((await Agent.pay(agent, offer, token)).status).toBe(200);
  });
});

describe('a return', () => {
  test('with a session that is not the order’s, or none, is 404', async () => {
    const [one, other] = [await opened(), await opened()];
    const back = new URL(await Person.pay(one.page));
    const wrong = [
      `${shop.url}/purchases/${other.order}/return${back.search}`,
      `${shop.url}/purchases/${one.order}/return?session=cs_test_nobody`,
      `${shop.url}/purchases/${one.order}/return`,
      `${shop.url}/purchases/pur_nobody/return${back.search}`,
    ];
    for (const url of wrong) expect((await get(url)).status).toBe(404);
    expect(await lots(other.order)).toEqual([]);
  });

  test('from a page that was not paid shows nothing, also when an agent has paid for the order', async () => {
    const { agent, offer, order, page } = await opened();
    const session = page.split('/').at(-1);
    const back = `${shop.url}/purchases/${order}/return?session=${session}`;
    expect((await get(back)).status).toBe(202);
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
    const answer = await get(back);
    expect(answer.status).toBe(202);
    expect(answer.text).not.toMatch(/id="token"|acc_/);
  });
});

describe('a notice', () => {
  const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: {} });
  const sign = (payload: string, secret = 'whsec_test', timestamp = Math.floor(Date.now() / 1000)) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

  test.each([
    ['unsigned', event, () => undefined],
    ['forged', event, () => sign(event, 'whsec_other')],
    ['changed on its way', event.replace('evt_1', 'evt_2'), () => sign(event)],
    ['ten minutes old', event, () => sign(event, undefined, Math.floor(Date.now() / 1000) - 600)],
    ['signed, and no JSON', 'nonsense', () => sign('nonsense')],
  ])('that is %s is 400, and leaves no trace', async (_, body, signature) => {
    const header = signature();
    const answer = await Customer.send({
      method: 'POST',
      url: `${shop.url}/webhooks/stripe`,
      headers: { 'content-type': 'application/json', ...(header && { 'stripe-signature': header }) },
      body,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_signature' } });
    expect(await shop.sql`SELECT 1 FROM shop.processor_event WHERE id IN ('evt_1', 'evt_2')`).toEqual([]);
  });

  test('of a payment that is not ours, or of a kind that we do not know, is taken and changes nothing', async () => {
    const intent = await network.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      confirm: true,
      payment_method: 'pm_card_visa',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      metadata: { order: 'pur_of_another_shop' },
    });
    await expect.poll(() => network.isHeard('pur_of_another_shop')).toBe(true);
    expect(await shop.sql`SELECT 1 FROM shop.purchase WHERE payment = ${intent.id}`).toEqual([]);
  });

  test('whose payment cannot be read now is refused, and done when it comes again', async () => {
    const { order, page } = await opened();
    await network.fault('GET /v1/checkout/sessions/:id', '500_before', 3);
    await network.fault('GET /v1/payment_intents/:id', '500_before', 3);
    await Person.pay(page);
    await expect.poll(() => lots(order), { timeout: 10_000 }).toEqual([500_000]);
  });
});

describe('an order that an agent and a person pay', () => {
  test('one after the other on a page that was still open, buys the credit of both', async () => {
    const { agent, offer, order, page } = await opened(await Agent.registered(shop.url));
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
    const thanks = await get(await Person.pay(page));
    expect(thanks.text).toContain('<dd id="balance">1.00 USD</dd>');
    expect(await lots(order)).toEqual([500_000, 500_000]);
    expect(await network.takenFor(order)).toBe(2);
  });

  test('at the same time, buys the credit of both', async () => {
    const { agent, offer, order, page } = await opened();
    await network.fault('POST /v1/payment_intents', 'delay_before', 1, 1_000);
    const paying = Agent.pay(agent, offer, await network.mint());
    await expect.poll(() => Books.stateOf(shop.sql, order)).toBe('claimed');
    const busy = await get(offer.checkoutUrl);
    expect(busy.status).toBe(202);
    expect(busy.text).toContain('under way');
    const thanks = await get(await Person.pay(page));
    expect(thanks.text).toContain('<dd id="balance">0.50 USD</dd>');
    const paid = await paying;
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body.balance_usd).toBe('1.00');
    expect(await lots(order)).toEqual([500_000, 500_000]);
  });

  test('is not charged to the agent when the person came first, and answers both', async () => {
    const { agent, offer, order, page } = await opened();
    await get(await Person.pay(page));
    const paid = await Agent.pay(agent, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body).toMatchObject({ balance_usd: '0.50', access_token: expect.any(String) });
    expect(await network.takenFor(order)).toBe(1);
    expect(await lots(order)).toEqual([500_000]);
  });

  test('is granted to the person although the agent’s card is declined meanwhile', async () => {
    const { agent, offer, order, page } = await opened();
    await network.fault('POST /v1/payment_intents', 'delay_before', 1, 1_000);
    const paying = Agent.pay(agent, offer, await network.mint('pm_card_chargeDeclined'));
    await expect.poll(() => Books.stateOf(shop.sql, order)).toBe('claimed');
    await get(await Person.pay(page));
    expect((await paying).status).toBe(200);
    expect(await lots(order)).toEqual([500_000]);
  });
});
