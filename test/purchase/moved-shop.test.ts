import { systemClock as clock } from '@sluice/kernel/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Running, start } from '../../packages/stripe-sandbox/src/server.ts';
import { openStripe } from '../../src/adapters/stripe/processor.ts';
import * as RestoreOrders from '../../src/journeys/restore-orders.ts';
import type { Order } from '../../src/payment/order.ts';
import type { ListedPayment, Processor } from '../../src/payment/processor.ts';
import * as Network from './network.ts';
import { unpaidOrder } from './unpaid-order.ts';

const former = 'https://former.example';
const present = 'https://present.example';

let sandbox: Running;
let network: Network.Network;
beforeAll(async () => {
  sandbox = await start(
    { host: '127.0.0.1', port: 0, webhook: null, dataDir: null, publicUrl: null, businessName: null },
    clock,
  );
  network = Network.of(sandbox.url);
});
afterAll(() => sandbox.close());

function processorOf(origin: string, ...formerOrigins: string[]): Processor {
  return openStripe({
    secretKey: 'sk_test_sandbox',
    webhookSecrets: ['whsec_test'],
    apiBase: sandbox.url,
    mark: { origin, former: formerOrigins },
  });
}

async function paidUnder(origin: string): Promise<Order> {
  const order = unpaidOrder({ plan: 'credit' });
  const charged = await processorOf(origin).charge(order, order.challengeId ?? '', await network.mint());
  expect(charged).toMatchObject({ kind: 'succeeded' });
  return order;
}

async function paymentOf(order: Order, processor: Processor): Promise<ListedPayment | undefined> {
  for await (const payment of processor.payments(order.createdMs - 1_000))
    if (payment.order === order.id) return payment;
  return undefined;
}

/** Restores orders into an empty database and returns them. */
async function restored(processor: Processor): Promise<string[]> {
  const entered: Order[] = [];
  const orders = {
    offer: async (order: Partial<Order>) => void entered.push(unpaidOrder(order)),
    find: async (id: string) => entered.find((order) => order.id === id) ?? null,
  };
  const accounts = { find: async () => null, register: async () => undefined };
  const paymentContext = { orders, processor, clock } as unknown as Parameters<
    typeof RestoreOrders.restore
  >[0];
  return RestoreOrders.restore(
    paymentContext,
    accounts as unknown as Parameters<typeof RestoreOrders.restore>[1],
    new Map([['credit', 'credit']]),
    Date.now() - 60_000,
  );
}

describe('a payment that was taken under a former public URL', () => {
  test('is the shop’s own where FORMER_PUBLIC_URLS names that address, and is entered again after a restore', async () => {
    const order = await paidUnder(former);
    const moved = processorOf(present, former);
    expect(await paymentOf(order, moved)).toMatchObject({ isForeign: false, shop: former });
    expect(await restored(moved)).toContain(order.id);
  });

  test('is another shop’s otherwise, and says whose', async () => {
    const order = await paidUnder(former);
    const stranger = processorOf(present);
    expect(await paymentOf(order, stranger)).toMatchObject({ isForeign: true, shop: former });
    expect(await restored(stranger)).not.toContain(order.id);
  });

  test('does not change what new payments are marked with', async () => {
    const order = unpaidOrder({ plan: 'credit' });
    const moved = processorOf(present, former);
    await moved.charge(order, order.challengeId ?? '', await network.mint());
    expect(await paymentOf(order, moved)).toMatchObject({ isForeign: false, shop: present });
  });
});
