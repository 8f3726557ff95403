import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CardNetwork, errorOf, fiveDollars, open } from './card-network.ts';

const nowMs = Date.UTC(2026, 10, 21);
let network: CardNetwork;
let stripe: Stripe;
let timeMs = nowMs;
beforeEach(async () => {
  timeMs = nowMs;
  network = await open({}, () => timeMs);
  stripe = network.stripe;
});
afterEach(() => network.close());

const valid = {
  email: 'buyer@example.com',
  number: '4242 4242 4242 4242',
  expiry: '11 / 26',
  cvc: '123',
  name: 'Ada Lovelace',
};

/** Sends the form of a page without following where it leads. */
function submit(url: string | null, fields: Record<string, string>): Promise<Response> {
  return fetch(new URL(new URL(url ?? '').pathname, network.url), {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
}

function visit(url: string | null): Promise<Response> {
  return fetch(new URL(new URL(url ?? '').pathname, network.url));
}

describe('a checkout session', () => {
  it('is paid on its page: the intent bears its data, the payer comes back, the shop is told', async () => {
    const session = await stripe.checkout.sessions.create(
      fiveDollars({
        client_reference_id: 'ord_1',
        metadata: { order: 'ord_1' },
        customer_creation: 'always',
        payment_intent_data: { metadata: { account: 'acc_1' }, setup_future_usage: 'off_session' },
      }),
    );
    expect(session).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      amount_total: 500,
    });
    const answer = await submit(session.url, valid);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`http://localhost:9/done?session=${session.id}`);

    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent.payment_method', 'customer', 'line_items'],
    });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      client_reference_id: 'ord_1',
      metadata: { order: 'ord_1' },
      customer: { email: valid.email, name: valid.name },
      customer_details: { email: valid.email, name: valid.name },
      payment_intent: {
        status: 'succeeded',
        metadata: { account: 'acc_1' },
        payment_method: { card: { last4: '4242' } },
      },
      line_items: { data: [{ description: 'Credit', amount_total: 500, price: { unit_amount: 500 } }] },
    });
    expect(JSON.stringify(await stripe.events.list({ limit: 100 }))).not.toContain('4242424242424242');
    const [completed] = (await stripe.events.list({ type: 'checkout.session.completed' })).data;
    expect(completed).toMatchObject({ data: { object: { id: session.id, payment_status: 'paid' } } });

    const intent = typeof paid.payment_intent === 'object' ? (paid.payment_intent?.id ?? '') : '';
    expect((await stripe.checkout.sessions.list({ payment_intent: intent })).data).toMatchObject([
      { id: session.id },
    ]);
  });

  it('charges a saved card later without its owner', async () => {
    const customer = await stripe.customers.create({ email: valid.email });
    const payment_intent_data = { setup_future_usage: 'off_session' } as const;
    const session = await stripe.checkout.sessions.create(
      fiveDollars({ customer: customer.id, payment_intent_data }),
    );
    await submit(session.url, { ...valid, number: '4000002500003155' });
    const [waiting] = (await stripe.paymentIntents.list({ customer: customer.id })).data;
    await submit(waiting?.next_action?.redirect_to_url?.url ?? null, { outcome: 'complete' });
    const again = await submit(waiting?.next_action?.redirect_to_url?.url ?? null, { outcome: 'fail' });
    expect(again.headers.get('location')).toBe(`/c/pay/${session.id}`);
    const paid = await stripe.paymentIntents.retrieve(waiting?.id ?? '');
    const topUp = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      customer: customer.id,
      payment_method: String(paid.payment_method),
      off_session: true,
      confirm: true,
    });
    expect(topUp.status).toBe('succeeded');
  });

  it('is paid once, however often the form is sent', async () => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    const answers = await Promise.all([1, 2, 3].map(() => submit(session.url, valid)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await stripe.charges.list()).data).toHaveLength(1);
    const again = await visit(session.url);
    expect(await again.text()).toContain('Already paid');
  });

  it('is declined, says why, and is paid by another card under the same intent', async () => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    const declined = await submit(session.url, { ...valid, number: '4000000000009995' });
    expect(declined.status).toBe(402);
    expect(await declined.text()).toContain('insufficient funds');
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('open');
    expect(await (await visit(session.url)).text()).toContain('insufficient funds');
    expect((await submit(session.url, valid)).status).toBe(303);
    expect((await stripe.paymentIntents.list()).data).toHaveLength(1);
    expect((await stripe.charges.list()).data.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });

  it('takes no real card', async () => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    const answer = await submit(session.url, { ...valid, number: '4111111111111111' });
    expect(answer.status).toBe(402);
    expect(await answer.text()).toContain('test cards only');
  });

  it('opens a dispute for the card that disputes', async () => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    expect((await submit(session.url, { ...valid, number: '4000000000000259' })).status).toBe(303);
    expect((await stripe.disputes.list()).data).toMatchObject([{ amount: 500, status: 'needs_response' }]);
  });

  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ number: '4242 4242 4242 4241' }, 'number'],
    [{ number: '' }, 'number'],
    [{ expiry: '10/26' }, 'expiry'],
    [{ expiry: '13/30' }, 'expiry'],
    [{ cvc: '12' }, 'cvc'],
    [{ number: '378282246310005', cvc: '123' }, 'cvc'],
    [{ name: ' ' }, 'name'],
  ])('names what is wrong with %o and charges nothing', async (over, field) => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    const answer = await submit(session.url, { ...valid, ...over });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(`id="${field}-fault"`);
    expect(page.match(/-fault"/g)?.length).toBe(2);
    expect((await stripe.charges.list()).data).toEqual([]);
  });

  it('shows what it is given as text, never as markup, and never the card again', async () => {
    const name = `<img src=x onerror="alert(1)">`;
    const price_data = { currency: 'usd', unit_amount: 500, product_data: { name } };
    const session = await stripe.checkout.sessions.create(
      fiveDollars({ line_items: [{ quantity: 1, price_data }] }),
    );
    const answer = await submit(session.url, { ...valid, name: `"><script>`, number: '4242424242424241' });
    const page = await answer.text();
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<script');
    expect(page).not.toContain('4242424242424241');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('is over after its time, by itself, and the shop is told', async () => {
    const expires_at = nowMs / 1_000 + 1_800;
    const session = await stripe.checkout.sessions.create(fiveDollars({ expires_at }));
    timeMs += 1_800_000;
    const page = await submit(session.url, valid);
    expect(page.status).toBe(410);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'expired',
      url: null,
    });
    expect((await stripe.events.list({ type: 'checkout.session.expired' })).data).toHaveLength(1);
  });

  it('is closed by the shop while open only', async () => {
    const session = await stripe.checkout.sessions.create(fiveDollars());
    await submit(session.url, { ...valid, number: '4000000000000002' });
    expect((await stripe.checkout.sessions.expire(session.id)).status).toBe('expired');
    expect((await stripe.paymentIntents.list()).data).toMatchObject([{ status: 'canceled' }]);
    expect((await errorOf(stripe.checkout.sessions.expire(session.id))).statusCode).toBe(400);
    expect((await submit(session.url, valid)).status).toBe(410);
  });

  it('holds its email where the shop gives it', async () => {
    const session = await stripe.checkout.sessions.create(
      fiveDollars({ customer_email: 'given@example.com' }),
    );
    await submit(session.url, { ...valid, email: 'other@example.com' });
    expect((await stripe.checkout.sessions.retrieve(session.id)).customer_details?.email).toBe(
      'given@example.com',
    );
  });

  const monthly = {
    currency: 'usd',
    unit_amount: 9_900,
    recurring: { interval: 'month' },
    product_data: { name: 'Start' },
  } as const;

  it.each([
    ['a subscription without a recurring price', { mode: 'subscription' }, 'line_items'],
    ['a recurring price in a payment', { line_items: [{ quantity: 1, price_data: monthly }] }, 'mode'],
    ['a customer and an email', { customer: 'cus_x', customer_email: 'a@example.com' }, 'customer_email'],
    ['an unknown customer', { customer: 'cus_x' }, 'customer'],
    ['an address that is none', { success_url: 'javascript:alert(1)' }, 'success_url'],
    ['a time too near', { expires_at: nowMs / 1_000 + 60 }, 'expires_at'],
    ['no lines', { line_items: [] }, 'line_items'],
  ] as [string, Stripe.Checkout.SessionCreateParams, string][])('refuses %s', async (_what, over, param) => {
    const error = await errorOf(stripe.checkout.sessions.create(fiveDollars(over)));
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', param });
  });

  it('lists its lines in their order', async () => {
    const line = (name: string) => ({
      quantity: 2,
      price_data: { currency: 'usd', unit_amount: 100, product_data: { name } },
    });
    const session = await stripe.checkout.sessions.create(
      fiveDollars({ line_items: [line('a'), line('b')] }),
    );
    const lines = await stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data.map(({ description }) => description)).toEqual(['a', 'b']);
    expect(session.amount_total).toBe(400);
  });
});
