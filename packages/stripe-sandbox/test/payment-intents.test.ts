import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
beforeAll(async () => {
  network = await open();
});
afterAll(() => network.close());

describe('a payment intent', () => {
  it('takes the money at once and keeps what it is about', async () => {
    const paid = await network.stripe.paymentIntents.create({
      ...atOnce,
      payment_method: 'pm_card_visa',
      metadata: { order: 'ord_1', _private: 'kept' },
      description: 'Credit',
      receipt_email: 'buyer@example.com',
      expand: ['latest_charge.balance_transaction', 'payment_method'],
    });
    expect(paid).toMatchObject({ object: 'payment_intent', status: 'succeeded', amount_received: 500 });
    expect(paid.metadata).toEqual({ order: 'ord_1', _private: 'kept' });
    expect(paid.latest_charge).toMatchObject({
      paid: true,
      metadata: { order: 'ord_1' },
      receipt_email: 'buyer@example.com',
      balance_transaction: { amount: 500, fee: 45, net: 455 },
    });
    expect(paid.payment_method).toMatchObject({ card: { brand: 'visa', last4: '4242' } });
    expect(Object.keys(paid).filter((name) => name.startsWith('_'))).toEqual([]);
    const chargeId = typeof paid.latest_charge === 'object' ? (paid.latest_charge?.id ?? '') : '';
    expect(await network.stripe.charges.retrieve(chargeId)).toMatchObject({
      payment_intent: paid.id,
      amount: 500,
    });
  });

  it.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
  ])('declines %s, keeps the intent and its failed charge', async (payment_method, code, decline_code) => {
    const error = await errorOf(network.stripe.paymentIntents.create({ ...atOnce, payment_method }));
    expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code, decline_code });
    const intent = await network.stripe.paymentIntents.retrieve(error.payment_intent?.id ?? '');
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code, decline_code },
    });
    expect(await network.stripe.charges.retrieve(error.charge ?? '')).toMatchObject({
      status: 'failed',
      paid: false,
    });
  });

  it('asks for 3-D Secure on session, and declines off session', async () => {
    const payment_method = 'pm_card_authenticationRequired';
    const waiting = await network.stripe.paymentIntents.create({ ...atOnce, payment_method });
    expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    const error = await errorOf(
      network.stripe.paymentIntents.create({ ...atOnce, payment_method, off_session: true }),
    );
    expect(error).toMatchObject({ type: 'StripeCardError', code: 'authentication_required' });
  });

  it('succeeds in a second try after a decline, and never a third time', async () => {
    const { stripe } = network;
    const intent = await stripe.paymentIntents.create({
      amount: 700,
      currency: 'usd',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    });
    expect(intent.status).toBe('requires_payment_method');
    await errorOf(stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' }));
    const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null });
    const error = await errorOf(stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }));
    expect(error).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id: intent.id },
    });
  });

  it('is cancelled while open only', async () => {
    const { stripe } = network;
    const open = await stripe.paymentIntents.create({
      amount: 700,
      currency: 'usd',
      payment_method: 'pm_card_visa',
    });
    expect(open.status).toBe('requires_confirmation');
    const cancelled = await stripe.paymentIntents.cancel(open.id, { cancellation_reason: 'abandoned' });
    expect(cancelled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect(await errorOf(stripe.paymentIntents.cancel(open.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  });

  it('charges a saved card later, without its owner, once 3-D Secure was passed to set it up', async () => {
    const { stripe } = network;
    const customer = await stripe.customers.create({ email: 'buyer@example.com' });
    const waiting = await stripe.paymentIntents.create({
      ...atOnce,
      customer: customer.id,
      payment_method: 'pm_card_authenticationRequiredOnSetup',
      setup_future_usage: 'off_session',
      return_url: 'http://localhost:9/back',
    });
    const challenge = waiting.next_action?.redirect_to_url?.url ?? '';
    const answer = await fetch(challenge, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain('redirect_status=succeeded');
    const saved = await stripe.paymentMethods.list({ customer: customer.id, type: 'card' });
    const later = await stripe.paymentIntents.create({
      ...atOnce,
      customer: customer.id,
      payment_method: saved.data[0]?.id ?? '',
      off_session: true,
    });
    expect(later.status).toBe('succeeded');
    expect((await stripe.paymentIntents.list({ customer: customer.id })).data).toHaveLength(2);
  });

  it('does not charge a kept card for another, nor a loose one twice', async () => {
    const { stripe } = network;
    const { id: customer } = await stripe.customers.create();
    const kept = await stripe.paymentMethods.attach('pm_card_visa', { customer });
    const { id: other } = await stripe.customers.create();
    for (const over of [{}, { customer: other }]) {
      const error = await errorOf(
        stripe.paymentIntents.create({ ...atOnce, ...over, payment_method: kept.id }),
      );
      expect(error.param).toBe('payment_method');
    }
    const loose = await stripe.paymentMethods.retrieve('pm_card_visa');
    await stripe.paymentIntents.create({ ...atOnce, payment_method: loose.id });
    expect((await errorOf(stripe.paymentIntents.create({ ...atOnce, payment_method: loose.id }))).param).toBe(
      'payment_method',
    );
    expect((await errorOf(stripe.paymentMethods.attach(loose.id, { customer }))).statusCode).toBe(400);
  });

  it.each([
    [{ amount: 49 }, 'amount_too_small', 'amount'],
    [{ amount: 100_000_000 }, 'amount_too_large', 'amount'],
    [{ amount: 'much' as unknown as number }, 'parameter_invalid_integer', 'amount'],
    [{ currency: '' }, undefined, 'currency'],
    [{ currency: 'zzz' }, undefined, 'currency'],
    [{ receipt_email: 'nobody' }, undefined, 'receipt_email'],
    [{ customer: 'cus_unknown' }, 'resource_missing', 'customer'],
    [{ payment_method: 'pm_unknown' }, 'resource_missing', 'payment_method'],
    [{ off_session: true, confirm: false }, undefined, 'off_session'],
  ])('refuses %o', async (over, code, param) => {
    const error = await errorOf(
      network.stripe.paymentIntents.create({ ...atOnce, payment_method: 'pm_card_visa', ...over }),
    );
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400, param });
    expect(error.code).toBe(code);
  });

  it('needs an address to come back to where redirects are allowed', async () => {
    const error = await errorOf(
      network.stripe.paymentIntents.create({
        amount: 500,
        currency: 'usd',
        confirm: true,
        payment_method: 'pm_card_visa',
      }),
    );
    expect(error.param).toBe('return_url');
  });

  it('changes metadata key by key', async () => {
    const { stripe } = network;
    const intent = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      metadata: { a: '1', b: '2' },
    });
    const changed = await stripe.paymentIntents.update(intent.id, {
      metadata: { b: '', c: '3' },
      description: 'new',
    });
    expect(changed).toMatchObject({ description: 'new', metadata: { a: '1', c: '3' } });
    expect(changed.metadata).not.toHaveProperty('b');
    expect((await stripe.paymentIntents.update(intent.id, { metadata: '' })).metadata).toEqual({});
  });

  it('is found by its metadata', async () => {
    const { stripe } = network;
    const order = `ord_'quoted'`;
    const mine = await stripe.paymentIntents.create({
      ...atOnce,
      payment_method: 'pm_card_visa',
      metadata: { order },
    });
    await stripe.paymentIntents.create({
      ...atOnce,
      payment_method: 'pm_card_visa',
      metadata: { order: 'other' },
    });
    const query = `metadata['order']:'ord_\\'quoted\\'' AND status:"succeeded" AND amount>499`;
    const found = await stripe.paymentIntents.search({ query });
    expect(found.data.map(({ id }) => id)).toEqual([mine.id]);
    expect(await errorOf(stripe.paymentIntents.search({ query: 'colour:"red"' }))).toMatchObject({
      param: 'query',
    });
  });
});
