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

const get = (url: string) => Person.visit(url);
const lots = (order: string) => Books.lotsOf(shop.sql, order);

const sessionOf = (page: string) => page.split('/').at(-1) ?? '';
const isLogged = (text: string) => shop.storefronts.some((storefront) => storefront.output().includes(text));

/** Creates an order and opens its hosted page. */
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

  test('asks for US dollars and lets the processor convert nothing', async () => {
    const { order } = await opened();
    const sessions = await network.stripe.checkout.sessions.list({ limit: 100 });
    const session = sessions.data.find(({ client_reference_id }) => client_reference_id === order);
    expect(session).toMatchObject({ currency: 'usd', adaptive_pricing: { enabled: false } });
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
    expect(thanks.text).toContain('0.50\u00a0USD is');
    for (const hidden of [agent.account, 'id="balance"', 'id="token"'])
      expect(thanks.text).not.toContain(hidden);
    const { body } = await Customer.call(agent, 'GET', `${shop.url}/account`);
    expect(body.balance_usd).toBe('0.50');
  });

  test('leads on to the return address that an account named, paid or not', async () => {
    const return_url = 'https://agent.example.com/done?task=7';
    const { order, page } = await opened(await Agent.registered(shop.url), { return_url });
    expect(await (await fetch(page)).text()).toContain('https://agent.example.com/done?task=7');
    const back = await get(await Person.pay(page));
    expect([back.status, back.headers.get('location')]).toEqual([303, return_url]);
    expect(await lots(order)).toEqual([500_000]);
  });

  test('says that nothing was charged when the buyer cancels and would return to the shop', async () => {
    const return_url = `${shop.url}/shop/account`;
    const { order, page } = await opened(await Agent.registered(shop.url), { return_url });
    expect(await (await fetch(page)).text()).toContain(`${shop.url}/purchases/${order}/cancelled`);
    const cancelled = await get(`${shop.url}/purchases/${order}/cancelled`);
    for (const part of ['Nothing was charged.', '0.50 USD', `/checkout/${order}`])
      expect(cancelled.text).toContain(part);
    expect(cancelled.text).not.toContain('You bought');
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
    await expect.poll(() => lots(order)).toEqual([500_000]);
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
    expect(cancelled.text).toContain('<dt>For</dt>');
    expect(cancelled.text).not.toContain('You bought');
  });

  test('opens the same page each time in one browser, also for two at once', async () => {
    await Person.open((await Agent.offer(Agent.at(shop.url))).checkoutUrl); // Now the browser has its cookie.
    const { checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    const pages = await Promise.all([Person.open(checkoutUrl), Person.open(checkoutUrl)]);
    expect(new Set([...pages, await Person.open(checkoutUrl)]).size).toBe(1);
  });

  test('is 503 with a page for a person while the processor is away, and works again after it', async () => {
    const { order, checkoutUrl } = await Agent.offer(Agent.at(shop.url));
    await network.fault('POST /v1/checkout/sessions', '500_before', 10);
    const broken = await get(checkoutUrl);
    expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '10']);
    expect(broken.text).toContain('Card payments are temporarily unavailable.');
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
    expect(answer.status).toBe(404);
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
    await expect.poll(() => network.isConnected('pur_of_another_shop')).toBe(true);
    expect(await shop.sql`SELECT 1 FROM shop.purchase WHERE payment = ${intent.id}`).toEqual([]);
  });

  test.each([
    ['payment', 'payment_intent.succeeded', { object: 'payment_intent', id: 'pi_unknown' }],
    ['page', 'checkout.session.completed', { object: 'checkout.session', id: 'cs_unknown' }],
    ['invoice', 'invoice.paid', { object: 'invoice', id: 'in_unknown' }],
    [
      'payment of a charge',
      'charge.refunded',
      { object: 'charge', id: 'ch_unknown', payment_intent: 'pi_unknown' },
    ],
    [
      'payment of a dispute',
      'charge.dispute.created',
      { object: 'dispute', id: 'dp_unknown', payment_intent: 'pi_unknown' },
    ],
    ['subscription', 'customer.subscription.deleted', { object: 'subscription', id: 'sub_unknown' }],
  ])('of a %s that the processor does not know is done, and said in the log', async (_, type, object) => {
    const payload = JSON.stringify({ id: `evt_${type}`, object: 'event', type, data: { object } });
    const answer = await Customer.send({
      method: 'POST',
      url: `${shop.url}/webhooks/stripe`,
      headers: { 'content-type': 'application/json', 'stripe-signature': sign(payload) },
      body: payload,
    });
    expect(answer.status, answer.text).toBe(200);
    const [row] =
      await shop.sql`SELECT done_at, failure FROM shop.processor_event WHERE id = ${`evt_${type}`}`;
    expect(row).toEqual({ done_at: expect.any(Date), failure: null });
    // The shop does not read a subscription that it never recorded.
    if (type !== 'customer.subscription.deleted')
      await expect.poll(() => isLogged(`"notice_object_unknown","notice":"evt_${type}"`)).toBe(true);
  });

  test('whose payment cannot be read now is refused, and done when it comes again', async () => {
    const { order, page } = await opened();
    await network.fault('GET /v1/checkout/sessions/:id', '500_before', 3);
    await network.fault('GET /v1/payment_intents/:id', '500_before', 3);
    await Person.pay(page);
    await expect.poll(() => lots(order)).toEqual([500_000]);
  });
});

describe('an order that an agent and a person pay', () => {
  test('is paid once: its page is closed before the agent is charged', async () => {
    const { agent, offer, order, page } = await opened(await Agent.registered(shop.url));
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
    await expect(Person.pay(page)).rejects.toThrow('the page answers');
    expect(await lots(order)).toEqual([500_000]);
    expect(await network.takenFor(order)).toBe(1);
  });

  test('cannot be paid on the page while the agent is charged', async () => {
    const { agent, offer, order, page } = await opened();
    await network.fault('POST /v1/payment_intents', 'delay_before', 1, 1_000);
    const paying = Agent.pay(agent, offer, await network.mint());
    await expect
      .poll(async () => (await network.stripe.checkout.sessions.retrieve(sessionOf(page))).status)
      .toBe('expired');
    const busy = await get(offer.checkoutUrl);
    expect(busy.status).toBe(202);
    expect(busy.text).toContain('being processed');
    await expect(Person.pay(page)).rejects.toThrow('the page answers');
    const paid = await paying;
    expect(paid.status, paid.text).toBe(200);
    expect(paid.body.balance_usd).toBe('0.50');
    expect(await lots(order)).toEqual([500_000]);
  });

  test('and that is paid twice all the same, buys the credit of both payments', async () => {
    const { agent, offer, order } = await opened(await Agent.registered(shop.url));
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
    await network.stripe.paymentIntents.create({
      amount: 50,
      currency: 'usd',
      confirm: true,
      payment_method: 'pm_card_visa',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      metadata: { order },
    });
    await expect.poll(() => lots(order)).toEqual([500_000, 500_000]);
  });

  test('is not charged to the agent when the person came first and nobody has heard of it', async () => {
    await network.control('/webhooks/pause');
    const { agent, offer, order, page } = await opened();
    await Person.pay(page);
    const paid = await Agent.pay(agent, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    expect(await network.takenFor(order)).toBe(1);
    expect(await lots(order)).toEqual([500_000]);
  });

  test('is not charged to the agent when the person came first, and answers both', async () => {
    const { agent, offer, order, page } = await opened();
    await get(await Person.pay(page));
    const paid = await Agent.pay(agent, offer, await network.mint());
    expect(paid.status, paid.text).toBe(200);
    // The page's payment gave the tokens to its browser.
    expect(paid.body).toMatchObject({ success: true, receipt: { method: 'stripe' } });
    expect(paid.text).not.toMatch(/access_token|acc_/);
    expect(await network.takenFor(order)).toBe(1);
    expect(await lots(order)).toEqual([500_000]);
  });

  test('opens another page after the agent’s card was declined', async () => {
    const { agent, offer, order, page } = await opened();
    const refused = await Agent.pay(agent, offer, await network.mint('pm_card_chargeDeclined'));
    expect(refused.status).toBe(402);
    const another = await Person.open(offer.checkoutUrl);
    expect(another).not.toBe(page);
    await get(await Person.pay(another));
    expect(await lots(order)).toEqual([500_000]);
  });
});

describe('a payment that takes days', () => {
  const bankDebit = '4000 0000 0000 7080';

  async function begun() {
    const sale = await opened(await Agent.registered(shop.url));
    const answer = await Person.submit(sale.page, bankDebit);
    expect(answer.status).toBe(303);
    return { ...sale, back: answer.headers.get('location') ?? '' };
  }

  async function settle(order: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    const [payment] = await network.paymentsOf(order);
    await network.control('/payments', { payment_intent: payment?.id, outcome });
  }

  test('is told to everybody as under way, and granted when it arrives', async () => {
    const { agent, offer, order, back } = await begun();
    const told = await get(back);
    expect([told.status, told.headers.get('retry-after')]).toEqual([202, null]);
    expect(told.text).toContain('Do not pay again');
    expect((await get(offer.checkoutUrl)).status).toBe(202);
    const paying = await Agent.pay(agent, offer, await network.mint());
    expect(paying.body).toMatchObject({ code: 'payment_pending' });
    expect((await get(`${shop.url}/purchases/${order}`)).body.state).toBe('claimed');
    expect(await lots(order)).toEqual([]);
    await settle(order, 'succeeded');
    await expect.poll(() => lots(order)).toEqual([500_000]);
    expect(await network.takenFor(order)).toBe(1);
    expect((await Agent.pay(agent, offer, await network.mint())).status).toBe(200);
  });

  test('keeps its order through every sweep, also when nothing was heard of it', async () => {
    await network.control('/webhooks/pause');
    const { order } = await begun();
    await shop.sql`UPDATE shop.purchase SET expires_at = now() - interval '5 days' WHERE id = ${order}`;
    await shop.addStorefront();
    await expect.poll(() => Books.stateOf(shop.sql, order)).toBe('claimed');
    await settle(order, 'succeeded');
    await network.control('/webhooks/resume');
    await expect.poll(() => lots(order)).toEqual([500_000]);
  });

  test('and does not arrive, leaves an order that can be paid on another page', async () => {
    const { offer, order, page } = await begun();
    await expect.poll(() => Books.stateOf(shop.sql, order)).toBe('claimed');
    await settle(order, 'failed');
    await expect.poll(() => Books.stateOf(shop.sql, order)).toBe('declined');
    const another = await Person.open(offer.checkoutUrl);
    expect(another).not.toBe(page);
    await get(await Person.pay(another));
    expect(await lots(order)).toEqual([500_000]);
  });
});
