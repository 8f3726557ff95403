import { expect, test } from 'vitest';
import { orders } from '../../src/http/console/pages/orders.ts';
import { payment } from '../../src/http/console/pages/payment.ts';
import { payments } from '../../src/http/console/pages/payments.ts';
import { changed } from '../../src/http/console/pages/refund.ts';
import { standingOf } from '../../src/payment/reversal.ts';
import { endMs, factsOf, periodOf, planName, reversalOf, textOf, usd } from './console-fixtures.ts';

const order = periodOf();

test('a purchase is named after its plan, and its id stands beside it once', () => {
  const text = textOf(payment(factsOf(order)));
  expect(text).toContain('99.00 USD for Start');
  expect(text).toContain('Plan Start start');
  expect(text).not.toContain('for start');
});

test('lists and questions name plans as buyers see them', () => {
  const listed = [{ order, reversed: usd(0), ...standingOf([]) }];
  expect(textOf(orders('Purchases', listed, planName))).toMatch(/Card Start 27 Nov/);
  expect(textOf(changed(order, [reversalOf({ amount: usd(1) })], planName))).toContain(
    '1.00 USD of 99.00 USD for Start was returned to the buyer already. Nothing more',
  );
  const slow = reversalOf({ amount: usd(1), status: 'pending' });
  expect(textOf(changed(order, [slow], planName))).toContain(
    'The refund of 1.00 USD of 99.00 USD for Start was started already, and is pending at the processor.',
  );
  const pastDue = {
    ...{ account: 'acc_1', email: null, price: usd(99), plan: 'start' },
    ...{ periodEndMs: endMs, accessUntilMs: endMs, open: null, subscription: 'sub_1' },
  };
  const lists = { requests: [], flagged: [], unfinished: [], returned: [], webhookEvents: [] };
  const facts = {
    ...lists,
    pastDue: [pastDue],
    declined: 0,
    all: listed.map((one) => ({ ...one, email: null })),
  };
  const page = (view: string | null) =>
    String(
      payments(
        {
          ...{ ...facts, view, next: null, isFirst: true, filter: { plan: 'start' }, canExport: false },
          ...{ plans: [{ id: 'start', name: 'Start' }], planName, nowMs: endMs },
        },
        () => null,
      ),
    );
  expect(textOf(page('past-due'))).toMatch(/99\.00 USD Start 27 Dec 2026/);
  expect(page(null)).toMatch(/<option value="start" selected[^>]*>Start</);
});
