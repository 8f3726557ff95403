import { expect, test } from 'vitest';
import { account, type ConsoleAccountFacts } from '../../src/http/console/pages/account.ts';
import { row } from '../../src/http/console/pages/unpaid-renewals.ts';
import type { StatementLot } from '../../src/ledger/statement.ts';
import { standingOf } from '../../src/payment/reversal.ts';
import type { Subscription } from '../../src/payment/subscription.ts';
import { boughtMs, endMs, periodOf, planName, textOf, usd } from './console-fixtures.ts';

const day = 86_400_000;
const plan: Subscription = {
  ...{ id: 'sub_1', account: 'acc_1', plan: 'start', status: 'active', renews: true },
  ...{ startMs: boughtMs, endMs, cancelAtPeriodEnd: false, nextPlan: null, payUrl: null },
};
const lot: StatementLot = {
  ...{ lot: 1, asset: 'unit', kind: 'allowance', plan: 'start', given: 5_000, remaining: 5_000 },
  ...{ expiresMs: endMs + 3 * day, resetsMs: null, createdMs: boughtMs, source: null },
};

const shown = (
  one: Partial<Subscription>,
  rollover = false,
  nowMs = boughtMs,
  expiresMs: number | null = lot.expiresMs,
) => {
  const order = periodOf();
  if (order.period !== null) order.period.terms = { ...order.period.terms, rollover };
  const facts: ConsoleAccountFacts = {
    ...{ planName, lots: [{ ...lot, expiresMs }], subscriptions: [{ ...plan, ...one }], keys: [], calls: [] },
    account: {
      ...{ id: 'acc_1', email: null, createdMs: boughtMs, frozenMs: null, joinedTo: null, payerEmail: null },
      ...{ paid: usd(99), returned: usd(0), purchases: 1 },
    } as ConsoleAccountFacts['account'],
    orders: [{ order, reversed: usd(0), ...standingOf([]) }],
    ...{ acts: [], activity: null, requests: [], unconfirmed: [], canSupport: false, nowMs },
    ...{ formKey: 'k', result: null, draft: null },
  };
  return textOf(account(facts, []));
};

test('what a plan includes expires with its period, or with the grace period of an unpaid renewal', () => {
  expect(shown({})).toContain('on 27 Dec 2026 (30 Dec 2026 if the renewal is unpaid)');
});

test('what rolls over, or ends with its period, has one date of its end', () => {
  expect(shown({}, true)).toMatch(/27 Nov 2026 on 30 Dec 2026 /);
  expect(shown({ cancelAtPeriodEnd: true }, false, boughtMs, endMs)).toMatch(/27 Nov 2026 on 27 Dec 2026 /);
});

test('an unpaid renewal says when its access ends, or has ended', () => {
  expect(shown({ status: 'past_due' }, false, endMs + day)).toContain(
    'renewal unpaid since 27 Dec 2026, access ends 30 Dec 2026: unpaid renewals',
  );
  expect(shown({ status: 'past_due' }, false, endMs + 4 * day)).toContain('access ended 30 Dec 2026');
});

test('the list of unpaid renewals says when access ends and when the card is charged again', () => {
  const unpaid = {
    ...{ subscription: 'sub_1', account: 'acc_1', email: 'ada@example.com', plan: 'start', price: usd(99) },
    ...{ periodEndMs: endMs, accessUntilMs: endMs + 3 * day },
  };
  const listed = (nextAttemptMs: number | null, nowMs = endMs + day) =>
    textOf(row({ ...unpaid, open: { amount: usd(99), nextAttemptMs } }, planName, nowMs));
  expect(listed(endMs + 2 * day)).toContain('27 Dec 2026 30 Dec 2026 29 Dec 2026');
  expect(listed(null)).toContain('30 Dec 2026 none');
  expect(listed(null, endMs + 4 * day)).toContain('ended 30 Dec 2026');
  expect(textOf(row({ ...unpaid, open: null }, planName, endMs))).toContain('not known: see the processor');
});
