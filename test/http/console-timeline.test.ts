import { expect, test } from 'vitest';
import { timeline } from '../../src/http/console/pages/timeline.ts';
import { boughtMs, factsOf, orderOf, reversalOf, textOf, usd } from './console-fixtures.ts';

const minute = 60_000;
const dispute = { id: 'dp_1', kind: 'dispute' as const, createdMs: boughtMs + minute };
const shown = (more: Parameters<typeof factsOf>[1]) => textOf(timeline(factsOf(orderOf(), more)));

test('a timeline has the opening and the end of a dispute, each with its time', () => {
  const lost = reversalOf({ ...dispute, status: 'lost', updatedMs: boughtMs + 5 * minute });
  expect(shown({ reversals: [lost] })).toMatch(
    /Dispute lost 27 Nov 2026, 09:35 Dispute opened −5\.00 USD 27 Nov 2026, 09:31/,
  );
  const won = { ...lost, status: 'won', isEffective: false };
  expect(shown({ reversals: [won] })).toMatch(/Dispute won \+5\.00 USD 27 Nov 2026, 09:35/);
  const open = { ...lost, status: 'needs_response' };
  expect(shown({ reversals: [open] })).not.toMatch(/Dispute (lost|won)/);
});

test('an inquiry of the bank takes no money', () => {
  const inquiry = reversalOf({ ...dispute, status: 'warning_needs_response', isEffective: false });
  expect(shown({ reversals: [inquiry] })).toMatch(/Inquiry opened 27 Nov 2026, 09:31/);
  const closed = { ...inquiry, status: 'warning_closed', updatedMs: boughtMs + 5 * minute };
  expect(shown({ reversals: [closed] })).toMatch(/Inquiry closed 27 Nov 2026, 09:35 Inquiry opened 27/);
});

test('a refund that is not confirmed, or has failed, is in the timeline', () => {
  const unconfirmed = {
    ...{
      entry: 1,
      amount: usd(0.75),
      left: usd(5),
      key: 'k',
      subscription: 'end' as const,
      isRunning: false,
    },
    ...{ atMs: boughtMs + 2 * minute, untilMs: boughtMs + 12 * minute },
  };
  expect(shown({ unconfirmed })).toMatch(/Refund, not confirmed −0\.75 USD 27 Nov 2026, 09:32/);
  const failed = reversalOf({ status: 'failed', isEffective: false, updatedMs: boughtMs + 5 * minute });
  expect(shown({ reversals: [failed] })).toMatch(
    /Refund failed \+5\.00 USD 27 Nov 2026, 09:35 Refunded −5\.00/,
  );
});

test('a request of the buyer and its answer are in the timeline', () => {
  const request = {
    ...{
      purchase: 'pur_1',
      account: 'acc_1',
      plan: 'credit',
      amount: usd(2),
      reason: 'Late',
      unspent: usd(4),
    },
    ...{ paid: usd(5), paidTax: usd(0), tax: usd(0), refunded: usd(0), refundedTax: usd(0) },
    ...{
      state: 'declined' as const,
      answer: 'Used.',
      askedMs: boughtMs + minute,
      declinedMs: boughtMs + 3 * minute,
    },
  };
  expect(shown({ request })).toMatch(
    /Request declined 27 Nov 2026, 09:33 Refund requested 2\.00 USD 27 Nov 2026, 09:31/,
  );
});
