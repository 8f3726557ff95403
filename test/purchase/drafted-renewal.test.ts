import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { advance, customerWith, newYearMs, subscribe } from '../../packages/stripe-sandbox/test/billing.ts';
import { type CardNetwork, open } from '../../packages/stripe-sandbox/test/card-network.ts';
import { openStripe } from '../../src/adapters/stripe/processor.ts';
import { type Processor, ProcessorUnavailable } from '../../src/payment/processor.ts';

/** Each request of the client, with its repetitions. */
const attempts = 3;

let network: CardNetwork;
let stripe: Stripe;
let processor: Processor;
let subscription: string;
let draft: string;
beforeEach(async () => {
  network = await open({}, () => newYearMs);
  stripe = network.stripe;
  processor = openStripe({
    secretKey: 'sk_test_sandbox',
    webhookSecrets: ['whsec_test'],
    apiBase: network.url,
    mark: { origin: 'https://shop.example', former: [] },
  });
  const { customer } = await customerWith(network);
  ({ id: subscription } = await subscribe(network, customer));
  await advance(network, 28);
  draft = (await stripe.invoices.list({ subscription, status: 'draft' })).data[0]?.id ?? '';
});
afterEach(() => network.close());

/** Cancels as the shop does: a subscription that has ended has its unpaid invoices voided when it is read. */
async function cancel(): Promise<void> {
  await processor.cancelNow(subscription);
  await processor.voidUnpaid(subscription);
}

async function hoursLater(): Promise<[string | null, number]> {
  await advance(network, 0, 3 * 3_600);
  const { status, amount_paid } = await stripe.invoices.retrieve(draft);
  return [status, amount_paid];
}

describe('a plan that is cancelled while its renewal is a draft', () => {
  test('is not charged, and leaves no invoice that can be paid', async () => {
    await cancel();
    expect(await hoursLater()).toEqual(['void', 0]);
  });

  test('is not charged although only the cancellation was made', async () => {
    await processor.cancelNow(subscription);
    expect(await hoursLater()).toEqual(['draft', 0]);
    await cancel();
    expect(await hoursLater()).toEqual(['void', 0]);
  });

  test('that was ended by other means is not charged after it was read', async () => {
    await stripe.subscriptions.cancel(subscription);
    await processor.voidUnpaid(subscription);
    expect(await hoursLater()).toEqual(['void', 0]);
  });

  test.each([
    'POST /v1/invoices/:id',
    'DELETE /v1/subscriptions/:id',
    'POST /v1/invoices/:id/finalize',
    'POST /v1/invoices/:id/void',
  ])('is settled by a repetition after %s failed', async (route) => {
    await network.order('/faults', { route, kind: '500_before', times: attempts });
    await expect(cancel()).rejects.toThrow(ProcessorUnavailable);
    await cancel();
    expect(await hoursLater()).toEqual(['void', 0]);
  });
});
