import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, type CardNetwork, errorOf, open } from './card-network.ts';

const nowMs = Date.UTC(2026, 10, 21);
const payment = { ...atOnce, payment_method: 'pm_card_visa' };
const route = 'POST /v1/payment_intents';
let network: CardNetwork;
let timeMs = nowMs;
beforeEach(async () => {
  timeMs = nowMs;
  network = await open({}, () => timeMs);
});
afterEach(() => network.close());

async function payments(): Promise<number> {
  return (await network.stripe.paymentIntents.list({ limit: 100 })).data.length;
}

describe('the same idempotency key', () => {
  it('gives the first answer again, whatever the order of the parameters', async () => {
    const { stripe } = network;
    const first = await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' });
    const { currency, ...rest } = payment;
    const again = await stripe.paymentIntents.create({ ...rest, currency }, { idempotencyKey: 'k' });
    expect(again).toEqual(first);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(again.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId);
    expect(first.lastResponse.headers).not.toHaveProperty('idempotent-replayed');
    expect(await payments()).toBe(1);
  });

  it('gives a decline again, too', async () => {
    const declined = { ...atOnce, payment_method: 'pm_card_chargeDeclined' };
    const first = await errorOf(network.stripe.paymentIntents.create(declined, { idempotencyKey: 'k' }));
    const again = await errorOf(network.stripe.paymentIntents.create(declined, { idempotencyKey: 'k' }));
    expect(again.charge).toBe(first.charge);
    expect(await payments()).toBe(1);
  });

  it('is refused with other parameters or at another address', async () => {
    const { stripe } = network;
    await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' });
    const other = await errorOf(
      stripe.paymentIntents.create({ ...payment, amount: 600 }, { idempotencyKey: 'k' }),
    );
    expect(other).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
      rawType: 'idempotency_error',
    });
    expect(await errorOf(stripe.customers.create({}, { idempotencyKey: 'k' }))).toMatchObject({
      type: 'StripeIdempotencyError',
    });
    expect(await payments()).toBe(1);
  });

  it('is refused with 409 while the first is at work', async () => {
    await network.order('/faults', { route, kind: 'delay_before', delay_ms: 300 });
    const [a, b] = await Promise.allSettled(
      [1, 2].map(() => network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' })),
    );
    const refused = [a, b].filter((result) => result?.status === 'rejected').map((result) => result?.reason);
    expect(refused).toMatchObject([{ statusCode: 409, code: 'idempotency_key_in_use' }]);
    expect(await payments()).toBe(1);
  });

  it('pays once when many use it at once and try again as they are told', async () => {
    const patient = network.client({ maxNetworkRetries: 5 });
    const all = await Promise.all(
      Array.from({ length: 12 }, () => patient.paymentIntents.create(payment, { idempotencyKey: 'k' })),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await payments()).toBe(1);
  });

  it('is free again after a request that was not valid', async () => {
    const { stripe } = network;
    expect(
      await errorOf(stripe.refunds.create({ amount: 'x' as never }, { idempotencyKey: 'k' })),
    ).toMatchObject({
      code: 'parameter_invalid_integer',
    });
    expect((await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' })).status).toBe('succeeded');
  });

  it('is forgotten after 24 hours', async () => {
    const { stripe } = network;
    const first = await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' });
    timeMs += 24 * 3_600_000 - 1_000;
    expect((await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' })).id).toBe(first.id);
    timeMs += 1_000;
    expect((await stripe.paymentIntents.create(payment, { idempotencyKey: 'k' })).id).not.toBe(first.id);
  });
});

describe('an ordered fault', () => {
  it('500_before does nothing, and the same key then pays', async () => {
    await network.order('/faults', { route, kind: '500_before' });
    const error = await errorOf(network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' }));
    expect(error).toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
    expect(await payments()).toBe(0);
    expect((await network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' })).status).toBe(
      'succeeded',
    );
  });

  it('500_after pays, and the same key gives the 500 again', async () => {
    await network.order('/faults', { route, kind: '500_after' });
    for (const _ of [1, 2]) {
      const error = await errorOf(network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' }));
      expect(error.statusCode).toBe(500);
    }
    expect(await payments()).toBe(1);
  });

  it('timeout_after pays, and the same key then gives the answer', async () => {
    await network.order('/faults', { route, kind: 'timeout_after' });
    const hasty = network.client({ timeout: 200 });
    const error = await errorOf(hasty.paymentIntents.create(payment, { idempotencyKey: 'k' }));
    expect(error.type).toBe('StripeConnectionError');
    const again = await network.stripe.paymentIntents.create(payment, { idempotencyKey: 'k' });
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await payments()).toBe(1);
  });

  it('cut_after pays, and the client comes to the answer by itself', async () => {
    await network.order('/faults', { route, kind: 'cut_after' });
    const paid = await network.client({ maxNetworkRetries: 1 }).paymentIntents.create(payment);
    expect(paid.status).toBe('succeeded');
    expect(paid.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await payments()).toBe(1);
  });

  it('strikes as often as ordered, on its route only', async () => {
    await network.order('/faults', { route: 'POST /v1/refunds', kind: '500_before', times: 2 });
    expect((await network.stripe.paymentIntents.create(payment)).status).toBe('succeeded');
    for (const status of [500, 500, 400]) {
      expect((await errorOf(network.stripe.refunds.create({}))).statusCode).toBe(status);
    }
  });

  it('is refused for a route that there is not, or from a page of another site', async () => {
    await expect(
      network.order('/faults', { route: 'POST /v1/nothing', kind: '500_before' }),
    ).rejects.toThrow();
    const simple = await fetch(`${network.url}/_sandbox/webhooks/pause`, { method: 'POST', body: '{}' });
    expect(simple.status).toBe(415);
  });
});
