import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, type CardNetwork, errorOf, open } from './card-network.ts';

const nowMs = Date.UTC(2026, 10, 21);
let network: CardNetwork;
let timeMs = nowMs;
beforeAll(async () => {
  network = await open({}, () => timeMs);
});
afterAll(() => network.close());

type Token = { id: string; object: string; deactivated_reason: string | null; usage_limits: object };

/** Posts what the mppx command line posts, by its own means: fetch and Basic authentication. */
async function grant(over: Record<string, string> = {}): Promise<Response> {
  return fetch(`${network.url}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa('sk_test_x:')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': '2026-07-29.preview',
    },
    body: new URLSearchParams({
      payment_method: 'pm_card_visa',
      'usage_limits[currency]': 'usd',
      'usage_limits[max_amount]': '500',
      'usage_limits[expires_at]': String(nowMs / 1_000 + 300),
      'seller_details[network_id]': 'profile_test',
      'metadata[order]': 'ord_1',
      ...over,
    }),
  });
}

async function granted(over: Record<string, string> = {}): Promise<string> {
  return ((await (await grant(over)).json()) as Token).id;
}

function retrieve(token: string): Promise<Token> {
  return network.stripe.rawRequest(
    'GET',
    `/v1/shared_payment/granted_tokens/${token}`,
  ) as unknown as Promise<Token>;
}

const places: [string, (token: string) => object][] = [
  ['at the top level', (shared_payment_granted_token) => ({ shared_payment_granted_token })],
  [
    'in payment_method_data',
    (shared_payment_granted_token) => ({ payment_method_data: { shared_payment_granted_token } }),
  ],
];

function pay(
  means: object,
  over: object = {},
  apiVersion = '2026-08-26.preview',
): Promise<Stripe.PaymentIntent> {
  const params = { ...atOnce, ...means, ...over } as Stripe.PaymentIntentCreateParams;
  return network.stripe.paymentIntents.create(params, { apiVersion });
}

describe.each(places)('a granted token %s', (_place, means) => {
  it('pays once', async () => {
    const token = await granted();
    expect(await pay(means(token))).toMatchObject({ status: 'succeeded', amount_received: 500 });
    expect(await retrieve(token)).toMatchObject({
      object: 'shared_payment.granted_token',
      deactivated_reason: 'consumed',
    });
    const error = await errorOf(pay(means(token)));
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400 });
    expect(error.message).toContain('consumed');
  });

  it('is unknown under a version without the preview of tokens', async () => {
    const token = await granted();
    const error = await errorOf(pay(means(token), {}, '2026-10-28.endive'));
    expect(error).toMatchObject({ statusCode: 400, code: 'parameter_unknown' });
    expect(error.param).toContain('shared_payment_granted_token');
    expect(await pay(means(token))).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['more than it allows', {}, { amount: 501 }, 'at most 500'],
    ['in another currency', {}, { currency: 'eur' }, 'for usd'],
  ])('does not pay %s', async (_what, limits, over, why) => {
    const error = await errorOf(pay(means(await granted(limits)), over));
    expect(error.message).toContain(why);
    expect(error.param).toContain('shared_payment_granted_token');
  });

  it('does not pay after its time', async () => {
    const token = await granted();
    timeMs += 300_000;
    expect((await errorOf(pay(means(token)))).message).toContain('expired');
    expect(await retrieve(token)).toMatchObject({ deactivated_reason: 'expired' });
    timeMs = nowMs;
  });

  it('is not used up by a decline', async () => {
    const token = await granted({ payment_method: 'pm_card_chargeDeclined' });
    expect(await errorOf(pay(means(token)))).toMatchObject({
      type: 'StripeCardError',
      code: 'card_declined',
    });
    expect(await retrieve(token)).toMatchObject({ deactivated_reason: null });
  });

  it('does not pay without 3-D Secure where its card asks for it', async () => {
    const token = await granted({ payment_method: 'pm_card_authenticationRequired' });
    expect(await pay(means(token))).toMatchObject({ status: 'requires_action', amount_received: 0 });
  });
});

describe('a granted token', () => {
  it('pays one of two payments that use it at once', async () => {
    const token = await granted();
    const both = await Promise.allSettled([1, 2].map(() => pay({ shared_payment_granted_token: token })));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('does not pay after 3-D Secure when it has paid for something else in the meantime', async () => {
    const token = await granted({ payment_method: 'pm_card_authenticationRequired' });
    const [first, second] = await Promise.all([1, 2].map(() => pay({ shared_payment_granted_token: token })));
    for (const intent of [first, second]) {
      await fetch(`${network.url}/c/challenge/${intent?.id}`, {
        method: 'POST',
        body: new URLSearchParams({ outcome: 'complete' }),
      });
    }
    expect((await network.stripe.paymentIntents.retrieve(first?.id ?? '')).status).toBe('succeeded');
    expect(await network.stripe.paymentIntents.retrieve(second?.id ?? '')).toMatchObject({
      status: 'requires_payment_method',
      amount_received: 0,
    });
  });

  it('is refused with an unknown parameter named as the processor names it', async () => {
    const response = await grant({ colour: 'red' });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    expect(error).toMatchObject({ code: 'parameter_unknown', param: 'colour' });
    expect(error.message).toContain('Received unknown parameter');
  });

  it('pays no more once it is revoked', async () => {
    const token = await granted();
    await network.stripe.rawRequest('POST', `/v1/test_helpers/shared_payment/granted_tokens/${token}/revoke`);
    expect((await errorOf(pay({ shared_payment_granted_token: token }))).message).toContain('revoked');
  });
});
