import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, type CardNetwork, errorOf, type NoticeInbox, open, openInbox } from './card-network.ts';

const payment = { ...atOnce, payment_method: 'pm_card_visa' };
let inbox: NoticeInbox;
let network: CardNetwork;
beforeEach(async () => {
  inbox = await openInbox();
  network = await open({ webhook: { url: inbox.url, secret: inbox.secret } });
});
afterEach(async () => {
  await network.close();
  await inbox.close();
});

type Deliveries = { deliveries: { event: string; type: string; status: string; attempts: number }[] };

describe('notices', () => {
  it('are signed so that the stock client takes them, and tell of a payment with its cause', async () => {
    const paid = await network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' });
    const events = await inbox.until(3);
    expect(events.map(({ type }) => type).sort()).toEqual([
      'charge.succeeded',
      'payment_intent.created',
      'payment_intent.succeeded',
    ]);
    const succeeded = events.find(({ type }) => type === 'payment_intent.succeeded');
    expect(succeeded).toMatchObject({
      data: { object: { id: paid.id, status: 'succeeded' } },
      request: { id: paid.lastResponse.requestId, idempotency_key: 'k' },
      livemode: false,
    });
    expect(JSON.stringify(events)).not.toContain('"_');
    expect(await network.stripe.events.retrieve(succeeded?.id ?? '')).toMatchObject({
      type: 'payment_intent.succeeded',
    });
  });

  it.each([
    ['pm_card_chargeDeclined', ['charge.failed', 'payment_intent.created', 'payment_intent.payment_failed']],
    ['pm_card_authenticationRequired', ['payment_intent.created', 'payment_intent.requires_action']],
    [
      'pm_card_createDispute',
      [
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
        'charge.succeeded',
        'payment_intent.created',
        'payment_intent.succeeded',
      ],
    ],
  ])('tell what %s does', async (payment_method, types) => {
    await network.stripe.paymentIntents.create({ ...atOnce, payment_method }).catch(() => null);
    expect((await inbox.until(types.length)).map(({ type }) => type).sort()).toEqual(types);
  });

  it('tell of refunds and customers', async () => {
    await network.stripe.customers.create();
    const { id: payment_intent } = await network.stripe.paymentIntents.create(payment);
    await network.stripe.refunds.create({ payment_intent });
    const types = (await inbox.until(6)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['customer.created', 'refund.created', 'charge.refunded']));
  });

  it('come again until they are taken', async () => {
    inbox.refusals.push(500, 503, 302);
    await network.stripe.customers.create();
    await inbox.until(1);
    expect(inbox.refusals).toEqual([]);
    expect(inbox.taken).toHaveLength(1);
  });

  it('wait while paused, and come when resumed', async () => {
    await network.order('/webhooks/pause');
    await network.stripe.paymentIntents.create(payment);
    expect(inbox.taken).toEqual([]);
    await network.order('/webhooks/resume');
    expect(inbox.taken).toHaveLength(3);
    const listed = (await (await fetch(`${network.url}/_sandbox/webhooks/deliveries`)).json()) as Deliveries;
    expect(listed.deliveries.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('come in reverse when ordered', async () => {
    await network.order('/webhooks/pause');
    await network.stripe.paymentIntents.create(payment);
    await network.order('/webhooks/deliver-in-reverse');
    expect(inbox.taken.map(({ type }) => type)).toEqual([
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_intent.created',
    ]);
  });

  it('come in the order that a test names, or in one drawn from its seed', async () => {
    await network.order('/webhooks/pause');
    await network.stripe.paymentIntents.create(payment);
    const [succeeded, charged, created] = (await network.stripe.events.list()).data.map(({ id }) => id);
    await network.order('/webhooks/deliver', { events: [charged, succeeded] });
    expect(inbox.taken.map(({ id }) => id)).toEqual([charged, succeeded]);
    await network.order('/webhooks/deliver', { events: [created] });
    await expect(network.order('/webhooks/deliver', { events: [created] })).rejects.toThrow('No such');

    const orders: string[] = [];
    for (const seed of [7, 7, 8]) {
      inbox.taken.length = 0;
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await network.stripe.customers.create({ name });
      await network.order('/webhooks/deliver-shuffled', { seed });
      orders.push(inbox.taken.map(({ data }) => (data.object as { name?: string }).name).join(''));
    }
    expect([...(orders[0] ?? '')].sort().join('')).toBe('abcdef');
    expect(orders[1]).toBe(orders[0]);
    expect(orders[2]).not.toBe(orders[0]);
  });

  it('do not come when they are dropped', async () => {
    await network.order('/webhooks/pause');
    const { id } = await network.stripe.customers.create();
    const [event] = (await network.stripe.events.list()).data;
    await network.order('/webhooks/drop', { event: event?.id });
    await network.order('/webhooks/resume');
    expect(inbox.taken).toEqual([]);
    await network.order('/webhooks/redeliver', { event: event?.id });
    expect(inbox.taken).toMatchObject([{ data: { object: { id } } }]);
  });

  it('are on time and signed with the real one, however far the clock was moved', async () => {
    await network.order('/clock', { advance_seconds: 400 * 86_400 });
    await network.stripe.customers.create();
    expect(await inbox.until(1)).toHaveLength(1);
    expect(inbox.forged).toBe(0);
  });

  it('come twice when ordered, with the same id', async () => {
    await network.order('/webhooks/duplicate', { copies: 1 });
    await network.stripe.customers.create();
    const [first, second] = await inbox.until(2);
    expect(second?.id).toBe(first?.id);
    await network.order('/webhooks/duplicate', { copies: 0 });
    await network.order('/webhooks/redeliver', { event: first?.id });
    expect(inbox.taken.map(({ id }) => id)).toEqual([first?.id, first?.id, first?.id]);
  });
});

describe('an endpoint made by the API', () => {
  it('gets the types it asked for, under its own secret, until it is deleted', async () => {
    const { stripe } = network;
    const own = await openInbox();
    const made = await stripe.webhookEndpoints.create({ url: own.url, enabled_events: ['customer.created'] });
    own.secret = made.secret ?? '';
    expect(own.secret).not.toBe(inbox.secret);
    await stripe.paymentIntents.create(payment);
    await stripe.customers.create();
    expect((await own.until(1)).map(({ type }) => type)).toEqual(['customer.created']);
    expect(own.forged).toBe(0);
    expect(JSON.stringify(await stripe.webhookEndpoints.list())).not.toContain('whsec_');

    await stripe.webhookEndpoints.del(made.id);
    await stripe.customers.create();
    await network.order('/webhooks/resume');
    expect(own.taken).toHaveLength(1);
    expect(await errorOf(stripe.webhookEndpoints.del(made.id))).toMatchObject({ statusCode: 404 });
    await own.close();
  });

  it('that knows another secret takes nothing', async () => {
    inbox.secret = 'whsec_of_another_shop';
    await network.order('/webhooks/pause');
    await network.stripe.customers.create();
    await network.order('/webhooks/resume');
    expect(inbox).toMatchObject({ taken: [], forged: 1 });
  });
});
