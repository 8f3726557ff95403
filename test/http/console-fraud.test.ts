import { expect, test } from 'vitest';
import { payment } from '../../src/http/console/pages/payment.ts';
import { boughtMs, factsOf, orderOf, textOf, usd } from './console-fixtures.ts';

const signal = { id: 'prv_1', kind: 'review' as const, payment: 'pi_1', isOpen: true, reason: 'rule' };
const charge = {
  ...{ id: 'ch_1', payment: 'pi_1', succeeded: true, riskLevel: 'elevated', riskScore: 70 },
  ...{ networkStatus: null, outcome: null, reason: null, createdMs: boughtMs },
};
const shown = (more: Parameters<typeof factsOf>[1]) =>
  textOf(payment(factsOf(orderOf(), { signals: [signal], charges: [charge], ...more })));

test('an open review names its cause and the two ways to end it', () => {
  const text = shown({});
  expect(text).toContain('in review');
  expect(text).toContain('Review: approve or refund A rule of yours at the card processor');
  expect(text).toContain('(elevated risk, score 70). Approve it at the processor, or refund it.');
  expect(text).toMatch(/Refund 5\.00 USD Freeze account/);
  expect(text).toContain('Review by the card processor');
  expect(text).toContain('a rule of yours at the processor needs attention');
  expect(shown({ page: 'https://processor.example/pi_1' })).toContain('Approve at the card processor');
});

test('a review that is closed, and a payment that is refunded in full, ask for nothing', () => {
  expect(shown({ signals: [{ ...signal, isOpen: false, reason: 'approved' }] })).not.toContain(
    'approve or refund',
  );
  const warning = { ...signal, id: 'issfr_1', kind: 'early_fraud_warning' as const };
  expect(shown({ signals: [warning] })).toContain('Fraud warning: refund 5.00 USD now');
  expect(shown({ signals: [warning], left: usd(0) })).not.toContain('avoids the dispute');
});
