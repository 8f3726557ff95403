import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  advance,
  customerWith,
  daySeconds,
  first,
  newYearMs,
  payer,
  periodOf,
  startPlan,
  submit,
  subscribe,
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
  return (await stripe.invoices.list({ subscription, limit: 100 })).data.reverse();
}

describe('a renewal', () => {
  it('comes with each month, on the day of the first one or the last of a short month', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const seen: string[] = [];
    for (const days of [29, 31, 30]) {
      await advance(network, days);
      seen.push(periodOf(await stripe.subscriptions.retrieve(id)));
    }
    expect(seen).toEqual([
      '2027-02-28 to 2027-03-31',
      '2027-03-31 to 2027-04-30',
      '2027-04-30 to 2027-05-31',
    ]);
    expect((await invoicesOf(id)).map(({ billing_reason, status }) => `${billing_reason} ${status}`)).toEqual(
      [
        'subscription_create paid',
        'subscription_cycle paid',
        'subscription_cycle paid',
        'subscription_cycle paid',
      ],
    );
  });

  it('comes once for every period, however far the clock moves at once', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await advance(network, 365, 3_600);
    const invoices = await invoicesOf(id);
    expect(invoices).toHaveLength(13);
    const starts = invoices.map(({ lines }) => lines.data[0]?.period.start);
    expect(new Set(starts).size).toBe(13);
    expect((await stripe.balance.retrieve()).available[0]?.amount).toBe(13 * (9_900 - 317));
  });

  it('is a draft for an hour, to which the shop can add', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await advance(network, 28);
    const [, draft] = await invoicesOf(id);
    expect(draft).toMatchObject({ status: 'draft', auto_advance: true, amount_due: 9_900 });
    expect(draft?.automatically_finalizes_at).toBe((draft?.created ?? 0) + 3_600);
    await advance(network, 0, 3_599);
    expect((await invoicesOf(id))[1]?.status).toBe('draft');
    await advance(network, 0, 1);
    expect((await invoicesOf(id))[1]?.status).toBe('paid');
  });

  it('takes a snapshot of the metadata as they are when it is closed', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer, { metadata: { plan: 'start' } });
    await advance(network, 28);
    await stripe.subscriptions.update(id, { metadata: { plan: 'grow' } });
    await advance(network, 0, 3_600);
    const plans = (await invoicesOf(id)).map(({ parent }) => parent?.subscription_details?.metadata?.plan);
    expect(plans).toEqual(['start', 'grow']);
  });

  it('does not come where the subscription is to end, and the end is told', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const leaving = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect(leaving).toMatchObject({ status: 'active', cancel_at_period_end: true });
    expect(leaving.cancel_at).toBe(leaving.items.data[0]?.current_period_end);
    await advance(network, 27);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
    await advance(network, 1);
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      status: 'canceled',
      ended_at: leaving.cancel_at,
    });
    expect(await invoicesOf(id)).toHaveLength(1);
    expect((await stripe.events.list({ type: 'customer.subscription.deleted' })).data).toHaveLength(1);
  });

  it('comes after all where its owner stays', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    await stripe.subscriptions.update(id, { cancel_at_period_end: false });
    await advance(network, 29);
    expect(await invoicesOf(id)).toHaveLength(2);
  });

  it('does not come once the subscription is cancelled', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    expect((await stripe.subscriptions.cancel(id)).status).toBe('canceled');
    await advance(network, 60);
    expect(await invoicesOf(id)).toHaveLength(1);
    expect(await errorOf(stripe.subscriptions.cancel(id))).toMatchObject({ statusCode: 404 });
  });
});

describe('a renewal that fails', () => {
  async function failing(): Promise<{ id: string; customer: string }> {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const { id: bad } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
    await stripe.subscriptions.update(id, { default_payment_method: bad });
    await advance(network, 28, 3_600);
    return { id, customer };
  }

  it('makes the subscription past due, and is tried again after 3, 5 and 7 days, then it is cancelled', async () => {
    const { id } = await failing();
    const attempts: [string, number | undefined][] = [];
    for (const days of [0, 3, 5, 7]) {
      await advance(network, days);
      const { status } = await stripe.subscriptions.retrieve(id);
      attempts.push([status, (await invoicesOf(id))[1]?.attempt_count]);
    }
    expect(attempts).toEqual([
      ['past_due', 1],
      ['past_due', 2],
      ['past_due', 3],
      ['canceled', 4],
    ]);
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      cancellation_details: { reason: 'payment_failed' },
    });
    const failed = await stripe.events.list({ type: 'invoice.payment_failed' });
    expect(failed.data).toHaveLength(4);
    expect((await invoicesOf(id))[1]).toMatchObject({ status: 'open', next_payment_attempt: null });
  });

  it('comes of a card that pays by hand, and is declined once it is kept', async () => {
    const session = await stripe.checkout.sessions.create(startPlan());
    await submit(network, session.url, { ...payer, number: '4000000000000341' });
    const { id, status } = first(await stripe.subscriptions.list());
    expect(status).toBe('active');
    await advance(network, 29);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due');
  });

  it.each([
    ['unpaid', 'unpaid'],
    ['past_due', 'past_due'],
  ])('leaves the subscription %s in the end where that was ordered', async (after_retries, status) => {
    await network.order('/billing', { after_retries });
    const { id } = await failing();
    await advance(network, 15);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe(status);
  });

  it('is mended by another card: paid at the next try, and active again', async () => {
    const { id, customer } = await failing();
    const { id: good } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
    await stripe.subscriptions.update(id, { default_payment_method: good });
    await advance(network, 3);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
    expect((await invoicesOf(id))[1]).toMatchObject({ status: 'paid', amount_paid: 9_900 });
  });

  it('is paid by hand', async () => {
    const { id, customer } = await failing();
    const [, open] = await invoicesOf(id);
    const { id: payment_method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
    expect((await stripe.invoices.pay(open?.id ?? '', { payment_method })).status).toBe('paid');
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
    expect(await errorOf(stripe.invoices.pay(open?.id ?? ''))).toMatchObject({
      code: 'invoice_already_paid',
    });
  });

  it('is forgiven where its invoice is voided', async () => {
    const { id } = await failing();
    const [, open] = await invoicesOf(id);
    expect((await stripe.invoices.voidInvoice(open?.id ?? '')).status).toBe('void');
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('active');
    await advance(network, 15);
    expect((await stripe.events.list({ type: 'invoice.payment_failed' })).data).toHaveLength(1);
  });

  it('asks the payer where the card wants 3-D Secure', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const { id: careful } = await stripe.paymentMethods.attach('pm_card_authenticationRequired', {
      customer,
    });
    await stripe.subscriptions.update(id, { default_payment_method: careful });
    await advance(network, 28, 3_600);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('past_due');
    expect((await stripe.events.list({ type: 'invoice.payment_action_required' })).data).toHaveLength(1);
    const error = await errorOf(stripe.invoices.pay((await invoicesOf(id))[1]?.id ?? ''));
    expect(error).toMatchObject({ statusCode: 402, code: 'invoice_payment_intent_requires_action' });
  });
});

describe('an invoice item', () => {
  it('is on the next invoice, as a charge or a credit', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await stripe.invoiceItems.create({ customer, amount: -900, currency: 'usd', description: 'sorry' });
    const gone = await stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd' });
    await stripe.invoiceItems.del(gone.id);
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toHaveLength(1);
    await advance(network, 29);
    const [, renewal] = await invoicesOf(id);
    expect(renewal).toMatchObject({ status: 'paid', amount_paid: 9_000, total: 9_000 });
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([]);
    await advance(network, 31);
    expect((await invoicesOf(id))[2]).toMatchObject({ amount_paid: 9_900 });
  });

  it('never makes an invoice pay out: what is left is credit on the balance, used by the next', async () => {
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    await stripe.invoiceItems.create({ customer, amount: -12_000, currency: 'usd' });
    await advance(network, 29);
    const [, renewal] = await invoicesOf(id);
    expect(renewal).toMatchObject({ status: 'paid', amount_due: 0, total: -2_100, ending_balance: -2_100 });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -2_100 });
    await advance(network, 31);
    expect((await invoicesOf(id))[2]).toMatchObject({ amount_paid: 7_800, starting_balance: -2_100 });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 });
  });

  it('waits for the subscription that it names', async () => {
    const { customer } = await customerWith(network);
    const one = await subscribe(network, customer);
    const other = await subscribe(network, customer);
    await stripe.invoiceItems.create({ customer, subscription: other.id, amount: 100, currency: 'usd' });
    await advance(network, 29);
    expect((await invoicesOf(one.id))[1]?.amount_paid).toBe(9_900);
    expect((await invoicesOf(other.id))[1]?.amount_paid).toBe(10_000);
  });
});

describe('a test clock', () => {
  it('moves the subscriptions of its customers, and nobody else', async () => {
    const frozen_time = newYearMs / 1_000 + 1_000_000;
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time, name: 'ahead' });
    const { customer } = await customerWith(network, 'pm_card_visa', { test_clock: clock.id });
    const theirs = await subscribe(network, customer);
    const ours = await subscribe(network, (await customerWith(network)).customer);
    expect(theirs).toMatchObject({ created: frozen_time, test_clock: clock.id });
    const advanced = await stripe.testHelpers.testClocks.advance(clock.id, {
      frozen_time: frozen_time + 32 * daySeconds,
    });
    expect(advanced).toMatchObject({ status: 'ready', frozen_time: frozen_time + 32 * daySeconds });
    expect(await invoicesOf(theirs.id)).toHaveLength(2);
    expect(await invoicesOf(ours.id)).toHaveLength(1);
    await advance(network, 29);
    expect(await invoicesOf(theirs.id)).toHaveLength(2);
    expect(await invoicesOf(ours.id)).toHaveLength(2);
  });

  it('only moves forward, and takes its customers with it when it is deleted', async () => {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: newYearMs / 1_000 });
    const { customer } = await customerWith(network, 'pm_card_visa', { test_clock: clock.id });
    const back = stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: newYearMs / 1_000 - 1 });
    expect(await errorOf(back)).toMatchObject({ param: 'frozen_time' });
    expect(await stripe.testHelpers.testClocks.del(clock.id)).toMatchObject({ deleted: true });
    expect(await errorOf(stripe.customers.retrieve(customer))).toMatchObject({ statusCode: 404 });
    expect(await errorOf(stripe.testHelpers.testClocks.retrieve(clock.id))).toMatchObject({
      statusCode: 404,
    });
  });
});
