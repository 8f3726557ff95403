import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Stripe from '../../src/adapters/stripe/processor.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { id } from '../../src/kernel/id.ts';
import * as Money from '../../src/kernel/money.ts';
import { lifeMs, type Order } from '../../src/payment/order.ts';
import { type Processor, ProcessorAway } from '../../src/payment/processor.ts';
import { type Running, start } from '../../src/sandbox/server.ts';
import * as Network from './network.ts';

const intents = 'POST /v1/payment_intents';
const settings = { secretKey: 'sk_test_sandbox', webhookSecrets: ['whsec_test'] };
/** The client tries three times. */
const always = 10;

let sandbox: Running;
let network: Network.Network;
let processor: Processor;
beforeAll(async () => {
  sandbox = await start({ host: '127.0.0.1', port: 0, webhook: null, dataDir: null, publicUrl: null }, clock);
  network = Network.of(sandbox.url);
  processor = Stripe.open({ ...settings, apiBase: sandbox.url, timeoutMs: 200 });
});
afterEach(() => network.clearFaults());
afterAll(() => sandbox.close());

function order(over: Partial<Order> = {}): Order {
  return {
    id: id('pur'),
    state: 'claimed',
    account: null,
    plan: 'credit',
    amount: Money.ofCents(500),
    returnUrl: null,
    challengeId: id('challenge'),
    checkoutSession: null,
    payment: null,
    period: null,
    rail: 'card',
    doubted: false,
    savedCard: null,
    periodEndMs: null,
    failure: null,
    createdMs: Date.now(),
    expiresMs: Date.now() + lifeMs,
    claimedMs: Date.now(),
    grantedMs: null,
    ...over,
  };
}

async function charge(given: Order, card?: string, by = processor) {
  return by.charge(given, given.challengeId ?? '', await network.mint(card));
}

describe('a charge', () => {
  test.each([
    ['refused once by a server in trouble', '500_before', 1, 'succeeded', 1],
    ['refused for good by a server in trouble', '500_before', always, 'unknown', 0],
    ['carried out by a server that then said it was in trouble', '500_after', 1, 'succeeded', 1],
    ['carried out, the answer lost once', 'timeout_after', 1, 'succeeded', 1],
    ['carried out, the answer lost for good', 'timeout_after', always, 'unknown', 1],
    ['carried out, the connection cut once', 'cut_after', 1, 'succeeded', 1],
    ['carried out, the connection cut for good', 'cut_after', always, 'unknown', 1],
  ])('%s', async (_, fault, times, outcome, taken) => {
    await network.fault(intents, fault, times);
    const given = order();
    expect((await charge(given)).kind).toBe(outcome);
    await network.clearFaults();
    expect(await network.takenFor(given.id)).toBe(taken);
    const charges = await processor.chargesOf(given);
    expect(charges.map(({ state }) => state)).toEqual(taken ? ['succeeded'] : []);
  });

  test('that is slow is in doubt, also while its repetitions are refused as still at work', async () => {
    const given = order();
    await network.fault(intents, 'delay_before', 1, 3_000);
    expect(await charge(given)).toEqual({ kind: 'unknown' });
    expect(await processor.chargesOf(given)).toEqual([]);
    await expect.poll(() => network.takenFor(given.id), { timeout: 10_000 }).toBe(1);
    expect(await processor.chargesOf(given)).toMatchObject([
      { state: 'succeeded', received: given.amount, order: given.id, challengeId: given.challengeId },
    ]);
  });

  test('asked for twice under one challenge, the second time by another token, is made once', async () => {
    const given = order();
    const first = await charge(given);
    expect(await charge(given)).toEqual(first);
    expect(await network.takenFor(given.id)).toBe(1);
  });

  test.each([
    ['declined', 'pm_card_chargeDeclined', /declined/],
    ['in need of 3-D Secure', 'pm_card_authenticationRequired', /hosted page/],
  ])('of a card that is %s is over', async (_, card, reason) => {
    const given = order();
    expect(await charge(given, card)).toEqual({
      kind: 'declined',
      reason: expect.stringMatching(reason),
      detail: null,
    });
    expect(await processor.chargesOf(given)).toMatchObject([{ state: 'failed', received: 0 }]);
  });

  test('by a token that is refused is declined, with the processor’s own words for the log alone', async () => {
    const given = order();
    const outcome = await processor.charge(given, given.challengeId ?? '', 'spt_nobody');
    expect(outcome).toEqual({
      kind: 'declined',
      reason: 'The payment token is not valid for this payment.',
      detail: expect.stringContaining('spt_nobody'),
    });
  });

  test('with a key that is refused is a fault of ours', async () => {
    const stranger = Stripe.open({ ...settings, secretKey: 'nonsense', apiBase: sandbox.url });
    await expect(charge(order(), undefined, stranger)).rejects.toThrow('Invalid API key');
  });

  test('is not mistaken for what a person paid on the hosted page', async () => {
    const given = order();
    await network.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      confirm: true,
      payment_method: 'pm_card_visa',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      metadata: { order: given.id },
    });
    expect(await processor.chargesOf(given)).toEqual([]);
  });
});

describe('a hosted page', () => {
  const pages = { title: 'Credit', success: 'http://shop.test/done', cancel: 'http://shop.test/' };

  test('is the same one when it is opened again', async () => {
    const given = order();
    const [first, second] = await Promise.all([1, 2].map(() => processor.openCheckout(given, pages)));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ order: given.id, payment: null, url: expect.stringContaining('/c/pay/') });
  });

  test.each([
    ['the first moment', 0],
    ['the last moment', lifeMs - 1_000],
  ])('can be opened in %s of its order', async (_, ageMs) => {
    const createdMs = Date.now() - ageMs;
    const given = order({ createdMs, expiresMs: createdMs + lifeMs });
    expect((await processor.openCheckout(given, pages)).url).not.toBeNull();
  });
});

test('a payment has a page at the processor, in the mode of the key; at the sandbox it has none', () => {
  const at = (secretKey: string, apiBase = 'https://api.stripe.com') =>
    Stripe.open({ ...settings, secretKey, apiBase }).pageOf('pi_1');
  expect(at('sk_live_1')).toBe('https://dashboard.stripe.com/payments/pi_1');
  expect(at('rk_test_1')).toBe('https://dashboard.stripe.com/test/payments/pi_1');
  expect([at('sk_test_1', sandbox.url), processor.pageOf('0xabc')]).toEqual([null, null]);
});

test('a processor that is away is told apart from a mistake of ours', async () => {
  const nobody = Stripe.open({ ...settings, apiBase: 'http://127.0.0.1:1', timeoutMs: 200 });
  await Promise.all([
    expect(nobody.readCheckout('cs_1')).rejects.toThrow(ProcessorAway),
    expect(nobody.chargesOf(order())).rejects.toThrow(ProcessorAway),
    expect(nobody.readPayment('pi_1')).rejects.toThrow(ProcessorAway),
    expect(charge(order(), undefined, nobody)).resolves.toEqual({ kind: 'unknown' }),
    expect(processor.readPayment('pi_nobody')).rejects.not.toThrow(ProcessorAway),
  ]);
});
