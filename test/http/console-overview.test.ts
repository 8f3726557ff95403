import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { type OverviewFacts, overview } from '../../src/http/console/pages/overview.ts';
import type { DailyRevenue } from '../../src/payment/revenue-report.ts';

const none = Money.zero;
const dayOf = (day: string, gross = none): DailyRevenue => ({
  ...{ day, gross, refunded: none, lost: none, tax: none, taxReturned: none },
});
const facts: OverviewFacts = {
  ...{ days: [dayOf('2026-11-26'), dayOf('2026-11-27')], rails: [], before: [], disputed: none, tasks: [] },
  ...{ callers: 0, made: 0, madeBefore: 0, services: [], models: [], low: new Set<string>(), unspent: null },
  ...{ isNew: true, canSetUp: true, done: {} },
};
const textOf = (some: Partial<OverviewFacts>) => String(overview({ ...facts, ...some }));

test('a shop that has never sold says so, to those who set it up and to those who read', () => {
  expect(textOf({})).toContain('No sales yet. These steps lead to the first.');
  expect(textOf({ canSetUp: false })).toContain('No sales yet. Owners set up plans');
});

test('a period without sales is named in place of an empty chart', () => {
  const quiet = textOf({ isNew: false });
  expect(quiet).toContain('No sales in the last 2 days.');
  expect(quiet).not.toContain('<svg');
  expect(quiet).not.toContain('First steps');
  const sold = textOf({ isNew: false, days: [dayOf('2026-11-27', Money.ofCents(500))] });
  expect(sold).toContain('<svg');
  expect(sold).not.toContain('No sales');
  const labels = (count: number) => {
    const days = Array.from({ length: count }, (_, nth) => dayOf(`2026-11-${10 + nth}`, Money.ofCents(500)));
    const [, axis = ''] = /<div class="axis"[^>]*>(.*?)<\/div>/.exec(textOf({ isNew: false, days })) ?? [];
    return axis.match(/<span/g)?.length;
  };
  // A phone hides every second label, so their number is odd: it keeps the first and the last.
  expect([labels(7), labels(12)]).toEqual([7, 5]);
  const refunded = { ...dayOf('2026-11-27'), refunded: Money.ofCents(500) };
  expect(textOf({ isNew: false, days: [refunded] })).toContain('<svg');
});
