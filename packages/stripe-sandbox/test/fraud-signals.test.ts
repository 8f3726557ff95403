import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atOnce, type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
let stripe: Stripe;
beforeEach(async () => {
  network = await open();
  stripe = network.stripe;
});
afterEach(() => network.close());

function pay(payment_method = 'pm_card_visa'): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create({ ...atOnce, payment_method });
}

async function types(prefix: string): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  return data.map(({ type }) => type).filter((type) => type.startsWith(prefix));
}

describe('an early fraud warning', () => {
  it('follows a payment by its test card, and moves no money', async () => {
    const { id: payment_intent, status } = await pay('pm_card_createIssuerFraudRecord');
    expect(status).toBe('succeeded');
    const { data } = await stripe.radar.earlyFraudWarnings.list({ payment_intent, expand: ['data.charge'] });
    expect(data).toMatchObject([{ actionable: true, payment_intent, charge: { disputed: false } }]);
    expect(await stripe.radar.earlyFraudWarnings.retrieve(data[0]?.id ?? '')).toMatchObject({
      object: 'radar.early_fraud_warning',
      fraud_type: 'made_with_stolen_card',
    });
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(455);
    expect(await types('radar.')).toEqual(['radar.early_fraud_warning.created']);
  });

  it.each(['refund', 'dispute'])('is no longer actionable after a full %s', async (what) => {
    const { id: payment_intent } = await pay();
    await network.order('/early-fraud-warnings', { payment_intent, fraud_type: 'misc' });
    if (what === 'dispute') await network.order('/disputes', { payment_intent });
    else {
      await stripe.refunds.create({ payment_intent, amount: 200 });
      const { data } = await stripe.radar.earlyFraudWarnings.list({ payment_intent });
      expect(data).toMatchObject([{ actionable: true }]);
      await stripe.refunds.create({ payment_intent });
    }
    const { data } = await stripe.radar.earlyFraudWarnings.list({ payment_intent });
    expect(data).toMatchObject([{ actionable: false, fraud_type: 'misc' }]);
    expect(await types('radar.')).toEqual([
      'radar.early_fraud_warning.updated',
      'radar.early_fraud_warning.created',
    ]);
  });
});

describe('a review', () => {
  it('is opened for the card with an elevated risk, and closed by an approval', async () => {
    const intent = await pay('pm_card_riskLevelElevated');
    expect(intent.status).toBe('succeeded');
    const review = String(intent.review);
    expect(await stripe.charges.retrieve(String(intent.latest_charge))).toMatchObject({
      review,
      outcome: { risk_level: 'elevated' },
    });
    expect((await stripe.reviews.list()).data).toMatchObject([
      { id: review, open: true, opened_reason: 'rule', payment_intent: intent.id },
    ]);
    expect(await stripe.reviews.approve(review)).toMatchObject({ open: false, closed_reason: 'approved' });
    expect((await stripe.reviews.list()).data).toEqual([]);
    expect(await stripe.reviews.retrieve(review)).toMatchObject({ reason: 'approved' });
    expect((await stripe.paymentIntents.retrieve(intent.id)).review).toBeNull();
    expect(await errorOf(stripe.reviews.approve(review))).toMatchObject({ statusCode: 400 });
    expect(await types('review.')).toEqual(['review.closed', 'review.opened']);
  });

  it.each([
    ['refunded', { reason: 'requested_by_customer' }],
    ['refunded_as_fraud', { reason: 'fraudulent' }],
    ['disputed', null],
  ] as const)('that the seller opened is closed as %s', async (reason, refund) => {
    const { id: payment_intent } = await pay();
    await network.order('/reviews', { payment_intent });
    const [review] = (await stripe.reviews.list()).data;
    expect(review).toMatchObject({ opened_reason: 'manual' });
    if (refund === null) await network.order('/disputes', { payment_intent });
    else await stripe.refunds.create({ payment_intent, ...refund });
    expect(await stripe.reviews.retrieve(review?.id ?? '')).toMatchObject({
      open: false,
      closed_reason: reason,
    });
  });
});

describe('a refund above the available balance', () => {
  beforeEach(async () => {
    await pay();
    await network.order('/payouts');
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(0);
  });

  async function refund(): Promise<Stripe.Refund> {
    const [paid] = (await stripe.paymentIntents.list()).data;
    return stripe.refunds.create({ payment_intent: paid?.id ?? '' });
  }

  it('makes the balance negative, as for an account with a bank account to debit', async () => {
    expect((await refund()).status).toBe('succeeded');
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(-500);
  });

  it('waits as pending until the balance covers it', async () => {
    await network.order('/account', { refunds_above_balance: 'pending' });
    const { id, ...waiting } = await refund();
    expect(waiting).toMatchObject({
      status: 'pending',
      pending_reason: 'insufficient_funds',
      balance_transaction: null,
    });
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(0);
    await pay();
    await pay();
    await network.order('/clock', { advance_seconds: 0 });
    const paid = await stripe.refunds.retrieve(id);
    expect(paid).toMatchObject({ status: 'succeeded', balance_transaction: expect.stringMatching(/^txn_/) });
    expect(paid.pending_reason).toBeUndefined();
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(2 * 455 - 500);
    expect(await types('refund.')).toEqual(['refund.updated', 'refund.created']);
  });

  it('fails with insufficient_funds, and can be made again', async () => {
    await network.order('/account', { refunds_above_balance: 'fail' });
    const { id } = await refund();
    expect(await stripe.refunds.retrieve(id)).toMatchObject({
      status: 'failed',
      failure_reason: 'insufficient_funds',
    });
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(0);
    expect(await types('refund.failed')).toHaveLength(1);
    await network.order('/account', { refunds_above_balance: 'debit' });
    expect((await refund()).status).toBe('succeeded');
    expect(await stripe.accounts.retrieveCurrent()).not.toHaveProperty('refunds_above_balance');
  });
});

it('the minimum charge follows the currency that the account settles in', async () => {
  const charge = () =>
    stripe.paymentIntents.create({ ...atOnce, amount: 50, payment_method: 'pm_card_visa' });
  expect((await charge()).status).toBe('succeeded');
  await network.order('/account', { default_currency: 'eur' });
  const error = await errorOf(charge());
  expect(error).toMatchObject({ statusCode: 400, code: 'amount_too_small' });
  expect(error.message).toMatch(/convert to at least 50 eur/);
  expect((await pay()).status).toBe('succeeded');
});
