import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  advance,
  customerWith,
  first,
  monthly,
  newYearMs,
  payer,
  periodOf,
  startPlan,
  submit,
  subscribe,
  told,
} from './billing.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
let stripe: Stripe;
beforeEach(async () => {
  network = await open({}, () => newYearMs);
  stripe = network.stripe;
});
afterEach(() => network.close());

/** The invoices of a subscription, oldest first. */
async function invoicesOf(subscription: string): Promise<Stripe.Invoice[]> {
  const { data } = await stripe.invoices.list({ subscription });
  return data.reverse();
}

describe('a subscription from the hosted page', () => {
  it('is active and paid: the session, the invoice and the payment name each other', async () => {
    const session = await stripe.checkout.sessions.create(
      startPlan({ metadata: { order: 'o' }, subscription_data: { metadata: { account: 'acc_1' } } }),
    );
    expect((await submit(network, session.url, payer)).status).toBe(303);

    const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] });
    const subscription = paid.subscription as Stripe.Subscription;
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', payment_intent: null });
    expect(subscription).toMatchObject({
      status: 'active',
      customer: paid.customer,
      metadata: { account: 'acc_1' },
      items: { data: [{ quantity: 1, price: { unit_amount: 9_900, recurring: { interval: 'month' } } }] },
    });
    expect(periodOf(subscription)).toBe('2027-01-31 to 2027-02-28');
    expect(paid.invoice).toMatchObject({
      id: subscription.latest_invoice,
      status: 'paid',
      billing_reason: 'subscription_create',
      amount_paid: 9_900,
      parent: {
        subscription_details: { subscription: subscription.id, metadata: { account: 'acc_1' } },
      },
    });
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
      expand: ['payments.data.payment.payment_intent'],
    });
    const intent = invoice.payments?.data[0]?.payment.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({
      status: 'succeeded',
      amount: 9_900,
      customer: paid.customer,
      payment_method: subscription.default_payment_method,
    });
    const found = await stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: intent.id },
    });
    expect(first(found)).toMatchObject({ invoice: invoice.id, status: 'paid', amount_paid: 9_900 });
    expect(await told(network)).toEqual(
      expect.arrayContaining([
        'customer.created',
        'payment_intent.succeeded',
        'charge.succeeded',
        'customer.subscription.created',
        'invoice.created',
        'invoice.finalized',
        'invoice.paid',
        'invoice.payment_succeeded',
        'invoice_payment.paid',
        'customer.subscription.updated',
        'checkout.session.completed',
      ]),
    );
  });

  it('does not begin where the card is declined, and begins with another', async () => {
    const session = await stripe.checkout.sessions.create(startPlan());
    expect((await submit(network, session.url, { ...payer, number: '4000000000000002' })).status).toBe(402);
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([]);
    expect((await submit(network, session.url, payer)).status).toBe(303);
    expect((await stripe.subscriptions.list()).data).toMatchObject([{ status: 'active' }]);
    expect((await stripe.charges.list()).data.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });

  it('begins after 3-D Secure, and renews without it', async () => {
    const { id: customer } = await stripe.customers.create({ email: payer.email });
    const session = await stripe.checkout.sessions.create(startPlan({ customer }));
    const asked = await submit(network, session.url, { ...payer, number: '4000002500003155' });
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([]);
    await submit(network, asked.headers.get('location'), { outcome: 'complete' });
    const { id } = first(await stripe.subscriptions.list({ customer }));
    await advance(network, 29);
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  it('takes what is paid once beside it with the first invoice only', async () => {
    const session = await stripe.checkout.sessions.create(
      startPlan({
        line_items: [
          { quantity: 1, price_data: { ...monthly(9_900), product_data: { name: 'Start' } } },
          { quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Setup' } } },
        ],
      }),
    );
    await submit(network, session.url, payer);
    const { id } = first(await stripe.subscriptions.list());
    await advance(network, 29);
    expect((await invoicesOf(id)).map(({ amount_paid }) => amount_paid)).toEqual([10_400, 9_900]);
  });
});

describe('a subscription of the API', () => {
  it('is paid at once by the card of its customer', async () => {
    const { customer } = await customerWith(network);
    const subscription = await subscribe(network, customer, { expand: ['latest_invoice.payments'] });
    expect(subscription).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
    const invoice = subscription.latest_invoice as Stripe.Invoice;
    expect(invoice.payments?.data).toMatchObject([{ status: 'paid', is_default: true }]);
    expect(invoice.lines.data).toMatchObject([
      { amount: 9_900, parent: { subscription_item_details: { subscription: subscription.id } } },
    ]);
  });

  it('is refused without a card, or with the card of somebody else', async () => {
    const { id: customer } = await stripe.customers.create();
    expect((await errorOf(subscribe(network, customer))).statusCode).toBe(400);
    const { method } = await customerWith(network);
    const error = await errorOf(subscribe(network, customer, { default_payment_method: method }));
    expect(error).toMatchObject({ statusCode: 400, param: 'default_payment_method' });
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([]);
  });

  it('is incomplete after a decline, and active once its invoice is paid', async () => {
    const { customer } = await customerWith(network, 'pm_card_chargeCustomerFail');
    const { id, status, latest_invoice } = await subscribe(network, customer);
    expect(status).toBe('incomplete');
    const error = await errorOf(stripe.invoices.pay(String(latest_invoice)));
    expect(error).toMatchObject({ statusCode: 402, code: 'card_declined' });
    const { id: payment_method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
    await stripe.invoices.pay(String(latest_invoice), { payment_method });
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
  });

  it('leaves nothing but the failed charge where a failure is to be an error', async () => {
    const { customer } = await customerWith(network, 'pm_card_chargeCustomerFail');
    const error = await errorOf(subscribe(network, customer, { payment_behavior: 'error_if_incomplete' }));
    expect(error).toMatchObject({ statusCode: 402, code: 'card_declined' });
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([]);
    expect((await stripe.invoices.list()).data).toEqual([]);
  });

  it('expires where nobody pays the first invoice within 23 hours', async () => {
    const { customer } = await customerWith(network, 'pm_card_chargeCustomerFail');
    const { id } = await subscribe(network, customer);
    await advance(network, 1);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired');
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(['void']);
  });

  it('waits for the payer of 3-D Secure, who is shown the way by the payment', async () => {
    const { customer } = await customerWith(network, 'pm_card_authenticationRequired');
    const { id, status } = await subscribe(network, customer);
    expect(status).toBe('incomplete');
    const intent = first(await stripe.paymentIntents.list({ customer }));
    expect(intent.status).toBe('requires_action');
    await submit(network, `${network.url}/c/challenge/${intent.id}`, { outcome: 'complete' });
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
  });

  it('begins once, however often it is asked for under one key', async () => {
    const { customer } = await customerWith(network);
    const { id: product } = await stripe.products.create({ name: 'Start' });
    const asked = [1, 2].map(() =>
      stripe.subscriptions.create(
        { customer, items: [{ price_data: { ...monthly(9_900), product } }] },
        { idempotencyKey: 'k' },
      ),
    );
    await Promise.allSettled(asked);
    expect((await stripe.subscriptions.list()).data).toHaveLength(1);
  });

  it('is carried out once where the answer is lost, and found again by its key', async () => {
    const { customer } = await customerWith(network);
    const { id: product } = await stripe.products.create({ name: 'Start' });
    // The client repeats a call once by itself where the connection breaks.
    await network.order('/faults', { route: 'POST /v1/subscriptions', kind: 'cut_after', times: 2 });
    const begin = () =>
      stripe.subscriptions.create(
        { customer, items: [{ price_data: { ...monthly(9_900), product } }] },
        { idempotencyKey: 'k' },
      );
    expect(await errorOf(begin())).toMatchObject({ type: 'StripeConnectionError' });
    const { id } = await begin();
    expect((await stripe.subscriptions.list()).data.map((one) => one.id)).toEqual([id]);
    expect((await stripe.charges.list()).data).toHaveLength(1);
  });

  it('is shown with what it names, four levels deep and no deeper', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer, { expand: ['items.data.price.product', 'customer'] });
    const listed = await stripe.invoices.list({
      subscription: id,
      expand: ['data.payments', 'data.parent.subscription_details.subscription'],
    });
    expect(listed.data[0]).toMatchObject({
      payments: { data: [{ status: 'paid' }] },
      parent: { subscription_details: { subscription: { id, customer } } },
    });
    const shown = await stripe.subscriptions.retrieve(id, { expand: ['items.data.price.product'] });
    expect(first(shown.items).price.product).toMatchObject({ name: 'Start' });
    for (const path of ['data.payments.data.payment.payment_intent', 'data.parent', 'data.lines.data']) {
      const refused = errorOf(stripe.invoices.list({ expand: [path] }));
      expect((await refused).statusCode).toBe(400);
    }
  });

  it.each([
    [{ trial_period_days: 7 }, 'trial_period_days'],
    [{ items: [{ price_data: { currency: 'usd', unit_amount: 1 } }] }, 'items[0][price_data][product]'],
    [{ items: [{ price: 'price_none' }] }, 'items[0][price]'],
    [{ default_payment_method: 'pm_none' }, 'default_payment_method'],
  ])('refuses %o', async (over, param) => {
    const { customer } = await customerWith(network);
    const error = await errorOf(subscribe(network, customer, over as Stripe.SubscriptionCreateParams));
    expect(error).toMatchObject({ statusCode: 400, param });
  });

  it('is found by customer and status', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await customerWith(network);
    expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ id }]);
    await stripe.subscriptions.cancel(id);
    expect((await stripe.subscriptions.list({ customer })).data).toEqual([]);
    expect((await stripe.subscriptions.list({ customer, status: 'canceled' })).data).toMatchObject([{ id }]);
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(1);
  });
});
