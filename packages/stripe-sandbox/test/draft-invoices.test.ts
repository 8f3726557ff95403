import type { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance, customerWith, newYearMs, subscribe } from './billing.ts';
import { type CardNetwork, errorOf, open } from './card-network.ts';

let network: CardNetwork;
let stripe: Stripe;
let subscription: string;
let draft: string;
beforeEach(async () => {
  network = await open({}, () => newYearMs);
  stripe = network.stripe;
  const { customer } = await customerWith(network);
  ({ id: subscription } = await subscribe(network, customer));
  await advance(network, 28);
  draft = (await stripe.invoices.list({ subscription, status: 'draft' })).data[0]?.id ?? '';
});
afterEach(() => network.close());

const statusOf = async () => (await stripe.invoices.retrieve(draft)).status;

describe('the draft of a renewal', () => {
  it('is finalized and charged although its subscription was cancelled: Stripe stops finalized invoices only', async () => {
    await stripe.subscriptions.cancel(subscription);
    await advance(network, 0, 3_600);
    expect(await statusOf()).toBe('paid');
  });

  it('stays a draft once its automatic collection is off', async () => {
    expect(await stripe.invoices.update(draft, { auto_advance: false })).toMatchObject({
      auto_advance: false,
      automatically_finalizes_at: null,
    });
    await advance(network, 30);
    expect(await statusOf()).toBe('draft');
  });

  it('is open and not charged when it is finalized without automatic collection, and can be voided then only', async () => {
    expect((await errorOf(stripe.invoices.voidInvoice(draft))).statusCode).toBe(400);
    expect(await stripe.invoices.finalizeInvoice(draft, { auto_advance: false })).toMatchObject({
      status: 'open',
      auto_advance: false,
    });
    await advance(network, 30);
    expect(await statusOf()).toBe('open');
    expect((await stripe.invoices.voidInvoice(draft)).status).toBe('void');
    expect((await errorOf(stripe.invoices.update(draft, { auto_advance: false }))).code).toBe(
      'invoice_not_editable',
    );
    expect((await errorOf(stripe.invoices.finalizeInvoice(draft))).statusCode).toBe(400);
  });
});
