import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance } from './billing.ts';
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

async function available(): Promise<number | undefined> {
  return (await stripe.balance.retrieve()).available[0]?.amount;
}

describe('a refund', () => {
  it('gives back in parts, until nothing is left', async () => {
    const { id: payment_intent } = await pay();
    const part = await stripe.refunds.create({
      payment_intent,
      amount: 200,
      reason: 'duplicate',
      metadata: { order: 'o' },
    });
    expect(part).toMatchObject({
      amount: 200,
      status: 'succeeded',
      reason: 'duplicate',
      metadata: { order: 'o' },
    });
    expect(await errorOf(stripe.refunds.create({ payment_intent, amount: 301 }))).toMatchObject({
      param: 'amount',
    });
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 300 });
    expect(await errorOf(stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const listed = await stripe.refunds.list({ payment_intent, expand: ['data.charge'] });
    expect(listed.data).toHaveLength(2);
    expect(listed.data[0]?.charge).toMatchObject({ amount_refunded: 500, refunded: true });
    expect(await stripe.refunds.retrieve(part.id)).toMatchObject({ id: part.id, amount: 200 });
    expect(await available()).toBe(-45);
  });

  it('never gives back more than was paid, however many ask at once', async () => {
    const { latest_charge } = await pay();
    const asked = Array.from({ length: 5 }, () =>
      stripe.refunds.create({ charge: String(latest_charge), amount: 200 }),
    );
    const results = await Promise.allSettled(asked);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('is refused for what was never paid', async () => {
    const error = await errorOf(pay('pm_card_chargeDeclined'));
    expect((await errorOf(stripe.refunds.create({ charge: error.charge ?? '' }))).statusCode).toBe(400);
    expect(await errorOf(stripe.refunds.create({}))).toMatchObject({ code: 'parameter_missing' });
    expect(await errorOf(stripe.refunds.create({ payment_intent: 'pi_none' }))).toMatchObject({
      code: 'resource_missing',
    });
  });
});

describe('a slow refund', () => {
  it('is pending, and succeeds after some days', async () => {
    const { id: payment_intent } = await pay('pm_card_pendingRefund');
    const { id, status } = await stripe.refunds.create({ payment_intent });
    expect(status).toBe('pending');
    await advance(network, 5);
    expect(await stripe.refunds.retrieve(id)).toMatchObject({ status: 'succeeded' });
    expect((await stripe.events.list({ type: 'refund.updated' })).data).toHaveLength(1);
  });

  it('succeeds, then fails: the money comes back, and can be refunded anew', async () => {
    const { id: payment_intent, latest_charge } = await pay('pm_card_refundFail');
    const { id, status } = await stripe.refunds.create({ payment_intent });
    expect(status).toBe('succeeded');
    expect(await available()).toBe(-45);
    await advance(network, 5);
    const failed = await stripe.refunds.retrieve(id);
    expect(failed).toMatchObject({ status: 'failed', failure_reason: 'expired_or_canceled_card' });
    expect(failed.failure_balance_transaction).toMatch(/^txn_/);
    expect(await available()).toBe(455);
    expect(await stripe.charges.retrieve(String(latest_charge))).toMatchObject({
      amount_refunded: 0,
      refunded: false,
    });
    expect((await stripe.events.list({ type: 'refund.failed' })).data).toHaveLength(1);
    expect((await stripe.refunds.create({ payment_intent })).amount).toBe(500);
  });

  it('ends as ordered, once', async () => {
    const { id: payment_intent } = await pay('pm_card_pendingRefund');
    const { id: refund } = await stripe.refunds.create({ payment_intent, amount: 200 });
    await network.order('/refunds', { refund, status: 'failed' });
    expect((await stripe.refunds.retrieve(refund)).status).toBe('failed');
    await expect(network.order('/refunds', { refund, status: 'succeeded' })).rejects.toThrow('over');
    await advance(network, 5);
    expect((await stripe.refunds.retrieve(refund)).status).toBe('failed');
  });

  it('can be cancelled while it waits for the payer only', async () => {
    const { id: payment_intent } = await pay('pm_card_pendingRefund');
    const { id: refund } = await stripe.refunds.create({ payment_intent });
    expect((await errorOf(stripe.refunds.cancel(refund))).statusCode).toBe(400);
    await network.order('/refunds', { refund, status: 'requires_action' });
    expect((await stripe.refunds.cancel(refund)).status).toBe('canceled');
    expect(await available()).toBe(455);
  });
});

describe('a dispute', () => {
  async function disputed(): Promise<Stripe.Dispute> {
    const { id: payment_intent } = await pay('pm_card_createDispute');
    const [dispute] = (await stripe.disputes.list({ payment_intent, expand: ['data.charge'] })).data;
    if (dispute === undefined) throw new Error('the card did not lead to a dispute');
    return dispute;
  }

  it('opens over the whole charge, takes the money and its fee, and bars a refund', async () => {
    const dispute = await disputed();
    expect(dispute).toMatchObject({ amount: 500, status: 'needs_response', charge: { disputed: true } });
    expect(await available()).toBe(455 - 500 - 1_500);
    const refund = stripe.refunds.create({ payment_intent: String(dispute.payment_intent) });
    expect(await errorOf(refund)).toMatchObject({ code: 'charge_disputed' });
  });

  it('gives the money back when won', async () => {
    const { id } = await disputed();
    const won = await stripe.disputes.update(id, { evidence: { uncategorized_text: 'winning_evidence' } });
    expect(won.status).toBe('won');
    expect(await available()).toBe(455 - 1_500);
    expect((await stripe.events.list({ type: 'charge.dispute.funds_reinstated' })).data).toHaveLength(1);
  });

  it('is lost when accepted, and closes once', async () => {
    const { id } = await disputed();
    expect((await stripe.disputes.close(id)).status).toBe('lost');
    expect((await stripe.disputes.retrieve(id)).status).toBe('lost');
    expect((await errorOf(stripe.disputes.close(id))).statusCode).toBe(400);
  });

  it('is lost when nobody answers in time', async () => {
    const { id } = await disputed();
    await advance(network, 9);
    expect(await stripe.disputes.retrieve(id)).toMatchObject({
      status: 'lost',
      evidence_details: { past_due: true },
    });
  });

  it('opens on order over what a refund has left', async () => {
    const { id: payment_intent } = await pay();
    await stripe.refunds.create({ payment_intent, amount: 200 });
    await network.order('/disputes', { payment_intent, reason: 'product_not_received' });
    const [dispute] = (await stripe.disputes.list({ payment_intent })).data;
    expect(dispute).toMatchObject({ amount: 300, reason: 'product_not_received' });
    expect(await available()).toBe(485 - 30 - 200 - 300 - 1_500);
    await stripe.disputes.update(dispute?.id ?? '', { evidence: { uncategorized_text: 'winning_evidence' } });
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 300 });
  });
});

describe('an inquiry', () => {
  async function asked(): Promise<{ id: string; payment_intent: string }> {
    const { id: payment_intent } = await pay('pm_card_createDisputeInquiry');
    const [dispute] = (await stripe.disputes.list({ payment_intent })).data;
    return { id: dispute?.id ?? '', payment_intent };
  }

  it('takes no money, and ends by a refund', async () => {
    const { id, payment_intent } = await asked();
    expect(await stripe.disputes.retrieve(id)).toMatchObject({
      status: 'warning_needs_response',
      is_charge_refundable: true,
      balance_transactions: [],
    });
    expect(await available()).toBe(455);
    await stripe.refunds.create({ payment_intent });
    expect((await stripe.disputes.retrieve(id)).status).toBe('warning_closed');
    expect(await available()).toBe(-45);
  });

  it('ends by evidence, or by itself', async () => {
    const [one, other] = [await asked(), await asked()];
    await stripe.disputes.update(one.id, { evidence: { uncategorized_text: 'winning_evidence' } });
    expect((await stripe.disputes.retrieve(one.id)).status).toBe('warning_closed');
    await advance(network, 9);
    expect((await stripe.disputes.retrieve(other.id)).status).toBe('warning_closed');
    expect(await available()).toBe(2 * 455);
  });

  it('becomes a dispute, which takes the money', async () => {
    const { id, payment_intent } = await asked();
    await stripe.disputes.update(id, { evidence: { uncategorized_text: 'escalate_inquiry_evidence' } });
    expect((await stripe.disputes.retrieve(id)).status).toBe('needs_response');
    expect(await available()).toBe(455 - 500 - 1_500);
    expect(await errorOf(stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_disputed',
    });
    expect((await stripe.events.list({ type: 'charge.dispute.funds_withdrawn' })).data).toHaveLength(1);
  });
});

describe('the balance', () => {
  it('is what all its transactions come to, whatever happened', async () => {
    const cards = [
      'pm_card_visa',
      'pm_card_refundFail',
      'pm_card_createDispute',
      'pm_card_createDisputeInquiry',
    ];
    for (const card of cards) {
      const { id: payment_intent } = await pay(card);
      await stripe.refunds.create({ payment_intent, amount: 120 }).catch(() => null);
    }
    await network.order('/disputes', { payment_intent: (await pay()).id, amount: 100 });
    await advance(network, 10);
    const moved = await stripe.balanceTransactions
      .list({ currency: 'usd' })
      .autoPagingToArray({ limit: 1_000 });
    expect(moved.reduce((sum, { net }) => sum + net, 0)).toBe(await available());
    expect(new Set(moved.map(({ type }) => type))).toEqual(
      new Set(['charge', 'refund', 'refund_failure', 'adjustment']),
    );
  });
});

describe('a customer', () => {
  it('is made, found and changed', async () => {
    const made = await stripe.customers.create({
      email: 'a@example.com',
      name: 'Ada',
      metadata: { account: 'acc_1' },
    });
    const changed = await stripe.customers.update(made.id, {
      email: '',
      name: 'Ada L.',
      metadata: { account: '' },
    });
    expect(changed).toMatchObject({ id: made.id, email: null, name: 'Ada L.' });
    expect(await stripe.customers.retrieve(made.id)).toMatchObject({ metadata: {}, name: 'Ada L.' });
    expect(await errorOf(stripe.customers.retrieve('cus_none'))).toMatchObject({ statusCode: 404 });
  });

  it('keeps a card that is attached', async () => {
    const { id: customer } = await stripe.customers.create();
    const card = await stripe.paymentMethods.attach('pm_card_mastercard', { customer });
    expect(await stripe.paymentMethods.retrieve(card.id)).toMatchObject({
      customer,
      card: { last4: '4444' },
    });
  });
});
