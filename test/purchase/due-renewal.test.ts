import * as Money from '@sluice/kernel/money';
import { beforeEach, describe, expect, test } from 'vitest';
import * as PlanChange from '../../src/journeys/plan-change.ts';
import * as PlanHolder from '../../src/journeys/plan-holder.ts';
import { planOffers } from '../../src/journeys/plan-offers.ts';
import type { CheckoutContext } from '../../src/payment/payment-context.ts';
import type { Invoice, Subscription } from '../../src/payment/subscription.ts';

const endMs = Date.UTC(2026, 10, 27);
const hourMs = 60 * 60_000;
const nowMs = endMs + hourMs / 2;
const plan = (id: string, usd: number) => ({ kind: 'subscription', id, name: id, price: Money.ofCents(usd) });
const due: Subscription = {
  ...{ id: 'sub_1', account: 'acc_1', plan: 'small', status: 'active', renews: true },
  ...{ startMs: endMs - 720 * hourMs, endMs, cancelAtPeriodEnd: false, nextPlan: null, payUrl: null },
};
/** The invoice of the renewal, once it is paid. */
const paid = { currency: 'usd', isFirst: false, subscription: due.id } as Invoice;

let stored: Subscription;
let invoices: Invoice[];
let asked: string[];
beforeEach(() => {
  stored = due;
  invoices = [];
  asked = [];
});

const shop = {
  clock: () => nowMs,
  catalog: { plans: [plan('small', 1_000), plan('large', 4_000)], storefront: { name: 'Shop' } },
  orders: { periods: async () => [] },
  subscriptions: {
    of: async () => [stored],
    find: async () => stored,
    byKey: async () => stored,
    nextSyncSeq: async () => null,
    openChanges: async () => [],
    renewingTwice: async () => [],
    async book() {
      stored = { ...due, endMs: endMs + 720 * hourMs };
      return due.account;
    },
  },
  writer: { touch() {} },
  processor: {
    async *invoices() {
      yield* invoices;
    },
    async cancelNow() {
      asked.push('now');
      stored = { ...stored, status: 'canceled' };
    },
    async cancelAtPeriodEnd() {
      asked.push('at the end');
      stored = { ...stored, cancelAtPeriodEnd: true };
    },
    async changePlan() {
      asked.push('change');
    },
  },
} as unknown as CheckoutContext;

describe('a plan whose period is over and whose renewal is not charged yet', () => {
  for (const [name, cancel] of [
    ['its account', () => PlanChange.cancel(shop, 'acc_1', { plan: 'small' })],
    ['its payer', () => PlanHolder.cancel(shop, 'key')],
  ] as const) {
    test(`ends without that charge when ${name} cancels it`, async () => {
      await cancel();
      expect([asked, stored.status]).toEqual([['now'], 'canceled']);
    });

    test(`keeps a period that was paid without an event, when ${name} cancels it`, async () => {
      invoices = [paid];
      await cancel();
      expect([asked, stored.status]).toEqual([['at the end'], 'active']);
    });
  }

  test('is not changed, and no other plan is sold in its place', async () => {
    const changed = await PlanChange.change(shop, 'acc_1', { plan: 'small' }, 'large');
    expect([changed, asked]).toEqual([{ kind: 'unpaid', payUrl: null }, []]);
    expect(await planOffers(shop, 'acc_1')).toEqual(
      new Map([
        ['small', { kind: 'current' }],
        ['large', { kind: 'renewing' }],
      ]),
    );
  });
});
