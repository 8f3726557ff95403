import { expect, test } from 'vitest';
import { payment } from '../../src/http/console/pages/payment.ts';
import { boughtMs, factsOf, orderOf, reversalOf, textOf, usd } from './console-fixtures.ts';

const inquiry = reversalOf({
  ...{ id: 'dp_1', kind: 'dispute', amount: usd(8), status: 'warning_needs_response', isEffective: false },
  ...{ reason: 'fraudulent', dueMs: boughtMs + 9 * 86_400_000 },
});
const fee = {
  ...{ id: 'txn_1', payment: 'pi_1', kind: 'charge' as const, currency: 'usd', tax: usd(0) },
  ...{ amount: usd(8), fee: usd(0.53), net: usd(7.47), atMs: boughtMs },
};
const asked = { reversals: [inquiry], fees: [fee] };
const shown = (more: Parameters<typeof factsOf>[1]) =>
  textOf(payment(factsOf(orderOf({ amount: usd(8) }), more)));

test('an inquiry is not shown as money that was taken and can return', () => {
  const text = shown(asked);
  expect(text).toMatch(/8\.00 USD for Pay as you go paid inquiry/);
  expect(text).toContain('At stake 8.00 USD not taken yet');
  expect(text).toContain('8.53 USD plus the fee of the dispute');
  expect(text).toContain('Inquiry about 8.00 USD needs response no credit removed fraudulent');
  for (const wrong of ['returns if you win', 'Dispute of', 'credit restored', 'warning'])
    expect(text).not.toContain(wrong);
  const closed = shown({ reversals: [{ ...inquiry, status: 'warning_closed' }] });
  expect(closed).toContain('Inquiry about 8.00 USD inquiry closed no credit removed');
  expect(closed).not.toMatch(/paid inquiry|Respond to/);
});

test('an inquiry offers the full refund that ends it, to those who can refund', () => {
  expect(shown(asked)).toMatch(/refund it in full: that closes the inquiry.* Refund 8\.00 USD /);
  expect(shown({ ...asked, canRefund: false })).not.toContain('Refund 8.00 USD');
  const dispute = { ...inquiry, status: 'needs_response', isEffective: true };
  expect(shown({ ...asked, reversals: [dispute], left: usd(0) })).not.toContain('closes the inquiry');
});
