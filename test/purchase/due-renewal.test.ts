import * as Money from '@sluice/kernel/money';
import { beforeEach, describe, expect, test } from 'vitest';
import * as PlanChange from '../../src/journeys/plan-change.ts';
import * as PlanHolder from '../../src/journeys/plan-holder.ts';
import { planOffers } from '../../src/journeys/plan-offers.ts';
import * as RefundedSubscription from '../../src/journeys/refunded-subscription.ts';
import * as Renewal from '../../src/journeys/renewal.ts';
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
let twice: Awaited<ReturnType<CheckoutContext['subscriptions']['renewingTwice']>>;
beforeEach(() => {
  stored = due;
  invoices = [];
  asked = [];
  twice = [];
});

const shop = {
  clock: () => nowMs,
  catalog: { plans: [plan('small', 1_000), plan('large', 4_000)], storefront: { name: 'Shop' } },
  orders: { periods: async () => [] },
  subscriptions: {
    of: async () => [stored],
    find: async () => stored,
    byKey: async () => stored,
    paidBy: async () => stored,
    storeState: async () => true,
    nextSyncSeq: async () => null,
    openChanges: async () => [],
    overdue: async () => [],
    renewingTwice: async () => twice,
    async book() {
      stored = { ...due, endMs: endMs + 720 * hourMs };
      return due.account;
    },
  },
  report() {},
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

  const order = { id: 'ord_1', account: due.account, periodEndMs: endMs };
  const left = Money.ofCents(100);

  test('ends without that charge when a part of its payment is refunded', async () => {
    const ending = await RefundedSubscription.endingOf(shop, order, left);
    expect(ending).toMatchObject({ when: 'now', isOwed: true });
    if (ending !== null) await RefundedSubscription.end(shop, ending);
    expect([asked, stored.status]).toEqual([['now'], 'canceled']);
  });

  test('ends without a further attempt to charge it when its payment is refunded, although it was to end with its period', async () => {
    stored = { ...due, status: 'past_due', cancelAtPeriodEnd: true };
    const ending = await RefundedSubscription.endingOf(shop, order, left);
    if (ending !== null) await RefundedSubscription.end(shop, ending);
    expect([asked, stored.status]).toEqual([['now'], 'canceled']);
  });

  test('ends without that charge when another subscription of its plan renews', async () => {
    twice = [{ id: due.id, account: due.account, plan: due.plan, earlier: 'sub_0' }];
    await Renewal.catchUp(shop, nowMs);
    expect([asked, stored.status]).toEqual([['now'], 'canceled']);
  });

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
