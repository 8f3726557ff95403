import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customerWith, submit, subscribe } from './billing.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
beforeEach(async () => {
  network = await open();
});
afterEach(() => network.close());

describe('the portal', () => {
  it('ends a subscription with its period, and takes that back', async () => {
    const { stripe } = network;
    const { customer } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const { url } = await stripe.billingPortal.sessions.create({
      customer,
      return_url: 'http://localhost:9/',
    });
    const path = new URL(url).pathname;
    const page = await (await fetch(network.url + path)).text();
    expect(page).toContain('Start');
    expect(page).toContain('99.00 USD');
    expect((await submit(network, `${url}/${id}`, { leaves: 'yes' })).status).toBe(303);
    expect((await stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true);
    expect(await (await fetch(network.url + path)).text()).toContain('Keep it');
    await submit(network, `${url}/${id}`, { leaves: 'no' });
    expect((await stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(false);
  });

  it('replaces the card of a subscription, and keeps it when the form is refused', async () => {
    const { stripe } = network;
    const { customer, method } = await customerWith(network);
    const { id } = await subscribe(network, customer);
    const { url } = await stripe.billingPortal.sessions.create({ customer });
    const card = { email: 'buyer@example.com', expiry: '12 / 40', cvc: '123', name: 'Ann Buyer' };
    const refused = await submit(network, `${url}/card`, { ...card, number: '4242' });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('This card number is not valid');
    const cardOf = async () =>
      (await stripe.subscriptions.retrieve(id, { expand: ['default_payment_method'] }))
        .default_payment_method;
    const given = { ...card, number: '5555 5555 5555 4444' };
    expect((await submit(network, `${url}/card`, given)).status).toBe(303);
    expect(await cardOf()).toMatchObject({ card: { brand: 'mastercard', last4: '4444' }, customer });
    expect(await (await fetch(network.url + new URL(url).pathname)).text()).toContain('ending in 4444');
    expect((await stripe.customers.retrieve(customer)) as object).not.toMatchObject({
      invoice_settings: { default_payment_method: method },
    });
  });

  it('shows and changes nothing of another customer, and closes after an hour', async () => {
    const { stripe } = network;
    const { customer } = await customerWith(network);
    const foreign = await subscribe(network, (await customerWith(network)).customer);
    const { url } = await stripe.billingPortal.sessions.create({ customer });
    expect((await submit(network, `${url}/${foreign.id}`, { leaves: 'yes' })).status).toBe(404);
    expect((await stripe.subscriptions.retrieve(foreign.id)).cancel_at_period_end).toBe(false);
    await network.order('/clock', { advance_seconds: 3_600 });
    expect((await fetch(network.url + new URL(url).pathname)).status).toBe(404);
    const unknown = stripe.billingPortal.sessions.create({ customer: 'cus_none' });
    expect(await errorOf(unknown)).toMatchObject({ param: 'customer' });
  });
});
