import { afterEach, beforeEach, expect, it } from 'vitest';
import { customerWith, submit, subscribe } from './billing.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
beforeEach(async () => {
  network = await open();
});
afterEach(() => network.close());

it('offers in the portal what its configuration allows, and nothing else', async () => {
  const { stripe } = network;
  const { customer } = await customerWith(network);
  const { id } = await subscribe(network, customer);
  const made = await stripe.billingPortal.configurations.create({
    features: {
      customer_update: { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] },
      invoice_history: { enabled: true },
      subscription_cancel: { enabled: false },
    },
    metadata: { shop: 'one' },
  });
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 10 });
  expect(data.map(({ metadata }) => metadata?.shop)).toEqual(['one']);
  const { url } = await stripe.billingPortal.sessions.create({ customer, configuration: made.id });
  const page = await (await fetch(url)).text();
  expect(page).toContain('99.00 USD, paid');
  expect(page).not.toContain('Cancel at its end');
  expect((await submit(network, `${url}/${id}`, { leaves: 'yes' })).status).toBe(404);
  expect((await stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(false);

  const details = { business: 'Acme GmbH', country: 'de', postal_code: '10115', tax_id: 'DE 123456789' };
  expect((await submit(network, `${url}/details`, details)).status).toBe(303);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    name: 'Acme GmbH',
    address: { country: 'DE', postal_code: '10115' },
  });
  expect(await (await fetch(url)).text()).toContain('DE123456789');

  const plain = await stripe.billingPortal.sessions.create({ customer });
  expect((await submit(network, `${plain.url}/details`, details)).status).toBe(404);
  const unknown = stripe.billingPortal.sessions.create({ customer, configuration: 'bpc_none' });
  expect(await errorOf(unknown)).toMatchObject({ param: 'configuration' });
});
