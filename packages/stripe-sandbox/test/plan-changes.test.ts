import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance, customerWith, first, monthly, newYearMs, periodOf, subscribe } from './billing.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
let stripe: Stripe;
beforeEach(async () => {
  network = await open({}, () => newYearMs);
  stripe = network.stripe;
});
afterEach(() => network.close());

/** A subscription that began fourteen days ago, in a month of twenty-eight. */
async function halfway(): Promise<{ id: string; customer: string; method: string }> {
  const { customer, method } = await customerWith(network);
  const { id } = await subscribe(network, customer);
  await advance(network, 14);
  return { id, customer, method };
}

async function change(
  id: string,
  over: Stripe.SubscriptionUpdateParams,
  unit_amount = 19_900,
): Promise<Stripe.Subscription> {
  const { items } = await stripe.subscriptions.retrieve(id);
  const { id: product } = await stripe.products.create({ name: 'Grow' });
  const price_data = { ...monthly(unit_amount), product };
  return stripe.subscriptions.update(id, { items: [{ id: first(items).id, price_data }], ...over });
}

async function latest(id: string): Promise<Stripe.Invoice> {
  return first(await stripe.invoices.list({ subscription: id, limit: 1 }));
}

async function failCards(customer: string): Promise<void> {
  const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
}

describe('a change of plan', () => {
  it('with proration_behavior=none costs nothing until the next period', async () => {
    const { id } = await halfway();
    const changed = await change(id, { proration_behavior: 'none' });
    expect(first(changed.items).price.unit_amount).toBe(19_900);
    expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1);
    await advance(network, 15);
    expect(await latest(id)).toMatchObject({ billing_reason: 'subscription_cycle', amount_paid: 19_900 });
  });

  it('with always_invoice gives back what is left of the old price and takes that part of the new one now', async () => {
    const { id } = await halfway();
    const changed = await change(id, { proration_behavior: 'always_invoice' });
    expect(periodOf(changed)).toBe('2027-01-31 to 2027-02-28');
    const invoice = await latest(id);
    expect(invoice).toMatchObject({
      id: changed.latest_invoice,
      billing_reason: 'subscription_update',
      status: 'paid',
      amount_paid: 5_000,
    });
    expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-4_950, 9_950]);
    expect(invoice.lines.data[0]?.parent?.subscription_item_details?.proration).toBe(true);
  });

  it('with create_prorations puts that on the next invoice', async () => {
    const { id, customer } = await halfway();
    await change(id, { proration_behavior: 'create_prorations' });
    const { data } = await stripe.invoiceItems.list({ customer, pending: true });
    expect(data.map(({ amount, proration }) => [amount, proration])).toEqual([
      [9_950, true],
      [-4_950, true],
    ]);
    await advance(network, 15);
    expect(await latest(id)).toMatchObject({ amount_paid: 24_900 });
  });

  it('to a lesser plan leaves the rest as credit', async () => {
    const { id, customer } = await halfway();
    await change(id, { proration_behavior: 'always_invoice' }, 2_900);
    expect(await latest(id)).toMatchObject({ status: 'paid', amount_due: 0, total: -3_500 });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -3_500 });
  });

  it('can begin a new period now: the whole new price, less what is left of the old one', async () => {
    const { id } = await halfway();
    const changed = await change(id, {
      billing_cycle_anchor: { type: 'now' },
      proration_behavior: 'always_invoice',
    });
    expect(periodOf(changed)).toBe('2027-02-14 to 2027-03-14');
    expect(await latest(id)).toMatchObject({ amount_paid: 19_900 - 4_950 });
    await advance(network, 29);
    expect(periodOf(await stripe.subscriptions.retrieve(id))).toBe('2027-03-14 to 2027-04-14');
  });

  it('can begin a new period now and give nothing back', async () => {
    const { id } = await halfway();
    await change(id, { billing_cycle_anchor: { type: 'now' }, proration_behavior: 'none' });
    expect(await latest(id)).toMatchObject({ status: 'paid', amount_paid: 19_900 });
  });

  it('goes with a credit that the shop wrote', async () => {
    const { id, customer } = await halfway();
    await stripe.invoiceItems.create({ customer, subscription: id, amount: -3_000, currency: 'usd' });
    await change(id, { billing_cycle_anchor: { type: 'now' }, proration_behavior: 'none' });
    expect(await latest(id)).toMatchObject({ amount_paid: 16_900 });
  });

  it('can add an item, which shares the period', async () => {
    const { id } = await halfway();
    const { id: product } = await stripe.products.create({ name: 'Seats' });
    const price_data = { ...monthly(1_000), product };
    const changed = await stripe.subscriptions.update(id, {
      items: [{ price_data, quantity: 4 }],
      proration_behavior: 'always_invoice',
    });
    expect(new Set(changed.items.data.map((item) => item.current_period_start)).size).toBe(1);
    expect(await latest(id)).toMatchObject({ amount_paid: 2_000 });
    await advance(network, 15);
    expect(await latest(id)).toMatchObject({ amount_paid: 13_900 });
  });

  it('of the same price and quantity changes nothing', async () => {
    const { id } = await halfway();
    const { items } = await stripe.subscriptions.retrieve(id);
    const { id: item, price } = first(items);
    await stripe.subscriptions.update(id, {
      items: [{ id: item, price: price.id }],
      proration_behavior: 'always_invoice',
    });
    expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1);
  });
});

describe('a change of plan that cannot be paid', () => {
  it('is not made with error_if_incomplete', async () => {
    const { id, customer } = await halfway();
    await failCards(customer);
    const asked = change(id, {
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    });
    expect(await errorOf(asked)).toMatchObject({ statusCode: 402, code: 'card_declined' });
    const kept = await stripe.subscriptions.retrieve(id);
    expect(kept).toMatchObject({ status: 'active', pending_update: null });
    expect(first(kept.items).price.unit_amount).toBe(9_900);
    expect((await stripe.invoices.list({ subscription: id })).data).toHaveLength(1);
  });

  it('waits for its payment with pending_if_incomplete, and is then made', async () => {
    const { id, customer, method } = await halfway();
    await failCards(customer);
    const waiting = await change(id, {
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    });
    expect(waiting).toMatchObject({ status: 'active' });
    expect(first(waiting.items).price.unit_amount).toBe(9_900);
    expect(waiting.pending_update?.subscription_items?.[0]?.price.unit_amount).toBe(19_900);
    await stripe.invoices.pay(String(waiting.latest_invoice), { payment_method: method });
    const made = await stripe.subscriptions.retrieve(id);
    expect(made.pending_update).toBeNull();
    expect(first(made.items).price.unit_amount).toBe(19_900);
    const applied = await stripe.events.list({ type: 'customer.subscription.pending_update_applied' });
    expect(applied.data).toHaveLength(1);
  });

  it('is given up with pending_if_incomplete when nobody pays within 23 hours', async () => {
    const { id, customer } = await halfway();
    await failCards(customer);
    const waiting = await change(id, {
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    });
    await advance(network, 1);
    const kept = await stripe.subscriptions.retrieve(id);
    expect(kept).toMatchObject({ status: 'active', pending_update: null });
    expect((await stripe.invoices.retrieve(String(waiting.latest_invoice))).status).toBe('void');
  });

  it('is given up for a later one', async () => {
    const { id, customer, method } = await halfway();
    await failCards(customer);
    const over = { proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const;
    const waiting = await change(id, over);
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } });
    const made = await change(id, over, 29_900);
    expect(made.pending_update).toBeNull();
    expect(first(made.items).price.unit_amount).toBe(29_900);
    expect((await stripe.invoices.retrieve(String(waiting.latest_invoice))).status).toBe('void');
    expect(await latest(id)).toMatchObject({ status: 'paid', amount_paid: 10_000 });
  });

  it('is made, and past due, with allow_incomplete', async () => {
    const { id, customer } = await halfway();
    await failCards(customer);
    const changed = await change(id, { proration_behavior: 'always_invoice' });
    expect(changed.status).toBe('past_due');
    expect(first(changed.items).price.unit_amount).toBe(19_900);
  });

  it.each([
    [{ items: [{ id: 'si_none', quantity: 2 }] }, 'items[0][id]'],
    [{ items: [{ quantity: 2 }] }, 'items[0][price]'],
    [{ billing_cycle_anchor: 'now' }, 'billing_cycle_anchor'],
    [{ default_payment_method: 'pm_none' }, 'default_payment_method'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused: %o', async (params, param) => {
    const { id } = await halfway();
    const error = await errorOf(
      stripe.subscriptions.update(id, params as unknown as Stripe.SubscriptionUpdateParams),
    );
    expect(error).toMatchObject({ statusCode: 400, param });
  });
});
