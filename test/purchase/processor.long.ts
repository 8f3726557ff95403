import { systemClock as clock } from '@sluice/kernel/clock';
import * as Money from '@sluice/kernel/money';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Running, start } from '../../packages/stripe-sandbox/src/server.ts';
import * as Stripe from '../../src/adapters/stripe/processor.ts';
import { lifeMs, type Order } from '../../src/payment/order.ts';
import { CheckoutMismatch, type Processor, ProcessorUnavailable } from '../../src/payment/processor.ts';
import * as Network from './network.ts';
import { unpaidOrder as order } from './unpaid-order.ts';

const intents = 'POST /v1/payment_intents';
const origin = 'https://shop.example';
const settings = {
  secretKey: 'sk_test_sandbox',
  webhookSecrets: ['whsec_test'],
  mark: { origin, former: [] },
};
/** More than the client's three attempts. */
const always = 10;

let sandbox: Running;
let network: Network.Network;
let processor: Processor;
beforeAll(async () => {
  sandbox = await start(
    { host: '127.0.0.1', port: 0, webhook: null, dataDir: null, publicUrl: null, businessName: null },
    clock,
  );
  network = Network.of(sandbox.url);
  processor = Stripe.openStripe({ ...settings, apiBase: sandbox.url, timeoutMs: 200 });
});
afterEach(() => network.clearFaults());
afterAll(() => sandbox.close());

async function charge(given: Order, card?: string, by = processor) {
  return by.charge(given, given.challengeId ?? '', await network.mint(card));
}

const pages = {
  isTaxed: false,
  title: 'Credit',
  product: 'Credit',
  success: 'https://shop.test/return',
  cancel: 'https://shop.test/',
};

test('a page is opened by clocks that are far apart', async () => {
  for (const apartMs of [-23 * 3_600_000, 2 * 3_600_000]) {
    const given = order({ expiresMs: Date.now() + lifeMs + apartMs });
    const [page, again] = [
      await processor.openCheckout(given, pages),
      await processor.openCheckout(given, pages),
    ];
    expect(page.url).toContain('/c/pay/');
    expect(again.session).toBe(page.session);
  }
});

test('a page opens although Stripe has stored the failure of the first requests for it, and is the same page for all', async () => {
  const given = order({ expiresMs: Date.now() + lifeMs });
  await network.fault('POST /v1/checkout/sessions', '500_after', 2);
  const opened = await Promise.all([
    processor.openCheckout(given, pages),
    processor.openCheckout(given, pages),
  ]);
  const again = await processor.openCheckout(given, pages);
  expect(new Set([...opened, again].map(({ session }) => session)).size).toBe(1);
  expect(again.url).toContain('/c/pay/');
});

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
    await expect.poll(() => network.takenFor(given.id)).toBe(1);
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

  test('with a key that is refused is no decline, and nothing was charged', async () => {
    const stranger = Stripe.openStripe({ ...settings, secretKey: 'nonsense', apiBase: sandbox.url });
    const given = order();
    expect(await charge(given, undefined, stranger)).toEqual({
      kind: 'unavailable',
      retries: false,
      detail: expect.stringContaining('Invalid API key'),
    });
    expect(await network.takenFor(given.id)).toBe(0);
  });

  const invalid = 'invalid_request_error';
  test.each([
    [
      'an amount below the minimum',
      { status: 400, type: invalid, code: 'amount_too_small', param: 'amount' },
    ],
    [
      'a parameter of another version',
      { status: 400, type: invalid, code: 'parameter_unknown', param: 'confirm' },
    ],
    ['an account that may not charge', { status: 400, type: invalid, code: 'account_invalid' }],
    ['a feature that is not enabled', { status: 400, type: invalid }],
    ['a restricted key', { status: 403, type: invalid, code: 'secret_key_required' }],
    ['a rate limit', { status: 429, type: invalid, code: 'rate_limit' }],
    ['a lock', { status: 429, type: invalid, code: 'lock_timeout' }],
  ])('refused for %s is the seller’s to fix, no decline of the buyer', async (_, error) => {
    const given = order();
    await network.refuse(intents, always, { ...error, message: 'No, for a reason.' });
    expect(await charge(given)).toEqual({
      kind: 'unavailable',
      retries: false,
      detail: expect.stringContaining('No, for a reason.'),
    });
    await network.clearFaults();
    // Stripe does not store the refusal: the same challenge can be charged once the cause is fixed.
    expect(await charge(given)).toMatchObject({ kind: 'succeeded' });
    expect(await network.takenFor(given.id)).toBe(1);
  });

  test('puts the token where it is known, and remembers the place', async () => {
    const unknown = (param: string) => ({
      status: 400,
      type: invalid,
      code: 'parameter_unknown',
      param,
      message: `Received unknown parameter: ${param}`,
    });
    const documented = 'payment_method_data[shared_payment_granted_token]';
    const fresh = Stripe.openStripe({ ...settings, apiBase: sandbox.url });
    await network.refuse(intents, 1, unknown(documented));
    const first = order();
    expect(await charge(first, undefined, fresh)).toMatchObject({ kind: 'succeeded' });
    expect(await network.takenFor(first.id)).toBe(1);
    await network.refuse(intents, 1, unknown('shared_payment_granted_token'));
    const second = order();
    expect(await charge(second, undefined, fresh)).toMatchObject({ kind: 'succeeded' });
    const third = order();
    await network.refuse(intents, 2, unknown(documented));
    expect(await charge(third, undefined, fresh)).toMatchObject({ kind: 'unavailable' });
    expect(await network.takenFor(third.id)).toBe(0);
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

describe('a refund', () => {
  const refunds = 'POST /v1/refunds';
  const type = 'invalid_request_error';
  test.each([
    ['a revoked key', { status: 401, type }, 'refused', 1],
    ['a restricted key', { status: 403, type }, 'refused', 1],
    ['a balance that is too low', { status: 400, type, code: 'balance_insufficient' }, 'refused', 0],
    ['a rate limit', { status: 429, type, code: 'rate_limit' }, 'unknown', 0],
  ])('refused for %s says so, and can be made once that is fixed', async (_, error, kind, reports) => {
    const reported: unknown[] = [];
    const report = (event: string, detail: unknown) => reported.push([event, detail]);
    const teller = Stripe.openStripe({ ...settings, apiBase: sandbox.url, report });
    const given = order();
    const paid = await charge(given);
    if (paid.kind !== 'succeeded') throw new Error(paid.kind);
    const refund = () =>
      teller.refund(paid.payment.id, { amount: given.amount, tax: Money.zero }, `refund_${given.id}`, null);
    await network.refuse(refunds, always, { ...error, message: 'No, for a reason.' });
    expect(await refund()).toEqual(kind === 'refused' ? { kind, reason: 'No, for a reason.' } : { kind });
    const refusal = ['processor_refuses', { reason: expect.stringContaining('No, for a reason.') }];
    expect(reported).toEqual(Array(reports).fill(refusal));
    await network.clearFaults();
    expect(await refund()).toMatchObject({ kind: 'refunded', reversal: { amount: given.amount } });
  });

  test('above the balance is pending, and its money counts as gone until it fails', async () => {
    const given = order();
    const paid = await charge(given);
    if (paid.kind !== 'succeeded') throw new Error(paid.kind);
    const { id } = paid.payment;
    await network.control('/payouts');
    await network.control('/account', { refunds_above_balance: 'pending' });
    const made = await processor.refund(id, { amount: given.amount, tax: Money.zero }, `r_${given.id}`, null);
    await network.control('/account', { refunds_above_balance: 'debit' });
    if (made.kind !== 'refunded') throw new Error(made.kind);
    expect(made.reversal).toMatchObject({ status: 'pending', isEffective: true });
    await network.control('/refunds', { refund: made.reversal.id, status: 'failed' });
    expect(await processor.reversalsOf(id)).toMatchObject([{ status: 'failed', isEffective: false }]);
  });
});

describe('a dispute', () => {
  /** A paid charge that is disputed or inquired about, and whether it counts at each stage. */
  async function disputed(isInquiry: boolean) {
    const given = order();
    const paid = await charge(given);
    if (paid.kind !== 'succeeded') throw new Error(paid.kind);
    const payment = paid.payment.id;
    const { id: dispute } = (await network.control('/disputes', {
      payment_intent: payment,
      is_inquiry: isInquiry,
    })) as { id: string };
    const counts = async () => {
      const [found] = await processor.reversalsOf(payment);
      return [found?.status, found?.isEffective];
    };
    const stage = (status: string) => network.control('/disputes/status', { dispute, status });
    const answer = (verdict: string) =>
      network.stripe.disputes.update(dispute, { evidence: { uncategorized_text: verdict } });
    return { counts, stage, answer };
  }

  test('counts from its first day, through its loss and every stage of an appeal', async () => {
    const { counts, stage, answer } = await disputed(false);
    expect(await counts()).toEqual(['needs_response', true]);
    await answer('losing_evidence');
    expect(await counts()).toEqual(['lost', true]);
    await stage('appeal_needs_response');
    expect(await counts()).toEqual(['appeal_needs_response', true]);
    await stage('appeal_under_review');
    expect(await counts()).toEqual(['appeal_under_review', true]);
  });

  test('that is won counts no more', async () => {
    const { counts, answer } = await disputed(false);
    await answer('winning_evidence');
    expect(await counts()).toEqual(['won', false]);
  });

  test('that is only asked about, or prevented, takes no money', async () => {
    const { counts, stage } = await disputed(true);
    expect(await counts()).toEqual(['warning_needs_response', false]);
    await stage('prevented');
    expect(await counts()).toEqual(['prevented', false]);
  });
});

describe('a hosted page', () => {
  const pages = {
    isTaxed: false,
    title: 'Credit',
    product: 'Credit',
    success: 'http://shop.test/done',
    cancel: 'http://shop.test/',
  };

  test('is the same one when it is opened again', async () => {
    const given = order();
    const [first, second] = await Promise.all([1, 2].map(() => processor.openCheckout(given, pages)));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ order: given.id, payment: null, url: expect.stringContaining('/c/pay/') });
  });

  test('is not opened with other facts than it was requested with', async () => {
    const given = order();
    const first = await processor.openCheckout(given, { ...pages, email: 'ada@example.com' });
    for (const email of [null, 'bob@example.com'])
      await expect(processor.openCheckout(given, { ...pages, email })).rejects.toThrow(CheckoutMismatch);
    expect(await processor.openCheckout(given, { ...pages, email: 'ada@example.com' })).toEqual(first);
  });

  test('is another one under another number, and each can be closed while it is unpaid', async () => {
    const given = order();
    const first = await processor.openCheckout(given, pages);
    const second = await processor.openCheckout({ ...given, pagesClosed: 1 }, pages);
    expect(second.url).not.toBe(first.url);
    expect(first.state).toBe('open');
    for (const _ of ['closed', 'closed again'])
      expect(await processor.closeCheckout(first.session)).toMatchObject({ url: null, state: 'expired' });
    expect((await processor.readCheckout(second.session)).url).not.toBeNull();
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
    Stripe.openStripe({ ...settings, secretKey, apiBase }).pageOf('pi_1');
  expect(at('sk_live_1')).toBe('https://dashboard.stripe.com/payments/pi_1');
  expect(at('rk_test_1')).toBe('https://dashboard.stripe.com/test/payments/pi_1');
  expect([at('sk_test_1', sandbox.url), processor.pageOf('0xabc')]).toEqual([null, null]);
});

test('a processor that is away is told apart from a mistake of ours', async () => {
  const nobody = Stripe.openStripe({ ...settings, apiBase: 'http://127.0.0.1:1', timeoutMs: 200 });
  await Promise.all([
    expect(nobody.readCheckout('cs_1')).rejects.toThrow(ProcessorUnavailable),
    expect(nobody.chargesOf(order())).rejects.toThrow(ProcessorUnavailable),
    expect(nobody.readPayment('pi_1')).rejects.toThrow(ProcessorUnavailable),
    expect(charge(order(), undefined, nobody)).resolves.toEqual({ kind: 'unknown' }),
    expect(processor.readPayment('pi_nobody')).rejects.not.toThrow(ProcessorUnavailable),
  ]);
});
