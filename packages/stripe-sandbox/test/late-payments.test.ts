import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance, customerWith, first, newYearMs, payer, startPlan, submit } from './billing.ts';
import { atOnce, type CardNetwork, errorOf, fiveDollars, open } from './card-network.ts';

let network: CardNetwork;
let stripe: Stripe;
beforeEach(async () => {
  network = await open({}, () => newYearMs);
  stripe = network.stripe;
});
afterEach(() => network.close());

const late = { ...payer, number: '4000000000007080' };

async function types(): Promise<string[]> {
  return (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
}

describe('a payment that settles later', () => {
  it('is on its way, and has brought nothing, until it arrives by itself', async () => {
    const { id, status } = await stripe.paymentIntents.create({
      ...atOnce,
      payment_method: 'pm_card_settlesLater',
    });
    expect(status).toBe('processing');
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(0);
    expect((await stripe.charges.list()).data).toMatchObject([{ status: 'pending', paid: false }]);
    expect((await errorOf(stripe.paymentIntents.confirm(id))).code).toBe('payment_intent_unexpected_state');
    await advance(network, 4);
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: 'succeeded',
      amount_received: 500,
    });
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(455);
  });

  it.each([
    ['succeeded', 'succeeded', 455],
    ['failed', 'requires_payment_method', 0],
  ])('ends as ordered: %s', async (outcome, status, balance) => {
    const { id: payment_intent } = await stripe.paymentIntents.create({
      ...atOnce,
      payment_method: 'pm_card_settlesLater',
    });
    await network.order('/payments', { payment_intent, outcome });
    expect((await stripe.paymentIntents.retrieve(payment_intent)).status).toBe(status);
    await advance(network, 10);
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(balance);
    await expect(network.order('/payments', { payment_intent, outcome })).rejects.toThrow('not on its way');
  });

  it.each([
    ['succeeded', 'checkout.session.async_payment_succeeded', 'paid'],
    ['failed', 'checkout.session.async_payment_failed', 'unpaid'],
  ])('closes its page unpaid, and tells when it has %s', async (outcome, type, payment_status) => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    expect((await submit(network, session.url, late)).status).toBe(303);
    const open = await stripe.checkout.sessions.retrieve(session.id);
    expect(open).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    expect(await types()).toContain('checkout.session.completed');
    await network.order('/payments', { payment_intent: open.payment_intent, outcome });
    expect((await stripe.checkout.sessions.retrieve(session.id)).payment_status).toBe(payment_status);
    expect(await types()).toContain(type);
  });

  it('keeps a subscription waiting', async () => {
    const session = await stripe.checkout.sessions.create(startPlan());
    await submit(network, session.url, late);
    const { id, status, customer } = first(await stripe.subscriptions.list({ status: 'all' }));
    expect(status).toBe('incomplete');
    const { id: payment_intent } = first(await stripe.paymentIntents.list({ customer: String(customer) }));
    await advance(network, 3);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete');
    await network.order('/payments', { payment_intent, outcome: 'succeeded' });
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
    expect((await stripe.checkout.sessions.retrieve(session.id)).payment_status).toBe('paid');
  });
});

describe('a payment without its payer', () => {
  const topUp = { amount: 500, currency: 'usd', off_session: true, confirm: true } as const;

  it('goes by the card that the customer keeps', async () => {
    const { customer, method: payment_method } = await customerWith(network);
    const paid = await stripe.paymentIntents.create({ ...topUp, customer, payment_method });
    expect(await stripe.paymentIntents.retrieve(paid.id)).toMatchObject({
      status: 'succeeded',
      customer,
      payment_method,
    });
  });

  it.each([
    ['pm_card_authenticationRequired', 'authentication_required'],
    ['pm_card_chargeCustomerFail', 'card_declined'],
  ])('by %s is declined: %s', async (card, code) => {
    const { customer, method: payment_method } = await customerWith(network, card);
    const error = await errorOf(stripe.paymentIntents.create({ ...topUp, customer, payment_method }));
    expect(error).toMatchObject({ statusCode: 402, code, payment_intent: { customer } });
  });
});
