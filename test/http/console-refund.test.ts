import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { payment } from '../../src/http/console/pages/payment.ts';
import { confirm, type Question } from '../../src/http/console/pages/refund.ts';
import { resultOf } from '../../src/http/console/routes/refund-form.ts';
import type { PossibleRefund } from '../../src/journeys/refund-preview.ts';
import type { SubscriptionEnd } from '../../src/journeys/refunded-subscription.ts';
import type { Order } from '../../src/payment/order.ts';
import {
  boughtMs,
  endMs,
  factsOf,
  orderOf,
  periodOf,
  planName,
  reversalOf,
  textOf,
  usd,
} from './console-fixtures.ts';

const previewOf = (more: Partial<PossibleRefund>): PossibleRefund => ({
  ...{ kind: 'possible', refunded: usd(5), tax: Money.zero, returned: Money.zero, returnedMs: null },
  ...{ effect: { asset: 'usd', taken: 4_950_000, missing: 50_000 }, kept: 0 },
  ...{ wanted: null, closesInquiry: false, topUp: null, ending: null, replaced: null },
  ...more,
});
const ending: SubscriptionEnd = {
  ...{ subscription: 'sub_1', plan: 'start', when: 'now', endMs, renewsAs: 'start', isOwed: false },
};
const ofPlan = (more: Partial<PossibleRefund> = {}) =>
  previewOf({
    ...{ refunded: usd(99), effect: { asset: 'unit', taken: 4_998, missing: 2 }, ending },
    ...more,
  });
const questionOf = (order: Order, preview: PossibleRefund): Question & { key: string } => ({
  ...{ ...preview, order, planName, email: null, key: 'k' },
});
const asked = (order: Order, preview: PossibleRefund) => textOf(confirm(questionOf(order, preview)));

test('the form of a refund shows what it removes before its button', () => {
  const page = textOf(payment(factsOf(orderOf(), { preview: previewOf({ kept: 0 }) })));
  const [before = '', after] = page.split('Review refund');
  expect(after).toBeDefined();
  expect(before).toContain('A refund of 5.00 USD: 4.95 USD of the purchased credit is removed');
  expect(before).toContain('0.05 USD is already spent: that part is your loss');
});

test('the form of a refund of a plan names the two ways for the plan, before its button', () => {
  const page = textOf(payment(factsOf(periodOf(), { preview: ofPlan() })));
  const [before = ''] = page.split('Review refund');
  expect(before).toContain('4,998 results that the plan includes are removed');
  expect(before).toContain(
    'The Start plan ends now, or stays and renews on 27 Dec 2026: you choose on the next page.',
  );
});

test('a refund offers to end the plan now or to keep it, each with its day and without an id', () => {
  const text = asked(periodOf(), ofPlan());
  expect(text).toContain('End the Start plan now. It is not charged again.');
  expect(text).toContain('Keep the plan. It renews on 27 Dec 2026, and the card is charged again.');
  expect(text).not.toContain('sub_1');
  const smaller = asked(periodOf(), ofPlan({ ending: { ...ending, renewsAs: 'credit' } }));
  expect(smaller).toContain('It renews on 27 Dec 2026 as Pay as you go, and');
  const page = String(confirm(questionOf(periodOf(), ofPlan())));
  expect(page.match(/<input type="radio"[^>]*>/g)).toEqual([
    expect.stringMatching(/name="subscription" value="end" checked/),
    expect.stringMatching(/name="subscription" value="keep"/),
  ]);
});

test('a refund of a part ends the plan with its period', () => {
  const text = asked(periodOf(), ofPlan({ ending: { ...ending, when: 'period_end' } }));
  expect(text).toContain('End the Start plan on 27 Dec 2026, with its period. It is not charged again.');
});

test('a plan that does not renew is kept without another charge', () => {
  const text = asked(periodOf(), ofPlan({ ending: { ...ending, renewsAs: null } }));
  expect(text).toContain('Keep the plan until 27 Dec 2026. It does not renew.');
});

test('a refund that changes no plan says what becomes of it', () => {
  expect(asked(periodOf(), ofPlan({ ending: null }))).toContain(
    'The Start plan does not renew, so there is nothing to cancel.',
  );
  expect(asked(orderOf(), previewOf({}))).not.toContain('renew');
});

test('a refund says what is left of the purchase, and the tax that is returned with it', () => {
  const text = asked(
    orderOf({ tax: usd(0.95) }),
    previewOf({ refunded: usd(2), tax: usd(0.38), kept: 2_950_000 }),
  );
  expect(text).toContain('2.00 USD + 0.38 USD tax');
  expect(text).toContain('2.38 USD reaches the buyer’s card within 5 to 10 days.');
  expect(text).toContain('2.95 USD of this purchase is left to the buyer.');
  expect(asked(orderOf(), previewOf({}))).toContain('Nothing of this purchase is left to the buyer.');
  expect(boughtMs).toBeLessThan(endMs);
});

test('the question of a refund says what becomes of auto top-up, and only while it is on', () => {
  const said = (topUp: PossibleRefund['topUp']) => asked(orderOf(), previewOf({ topUp }));
  expect(said(null)).not.toContain('Auto top-up');
  expect(said('ends')).toContain('Auto top-up of the account is turned off. ');
  expect(said('stops')).toContain('turned off: with the credit that is left, it would charge the card again');
  expect(said('stays')).toContain('Auto top-up of the account stays on.');
});

test('the question of a refund compares it with what the buyer asked for', () => {
  const said = (wanted: PossibleRefund['wanted']) => asked(orderOf(), previewOf({ wanted }));
  expect(said(usd(5))).toContain('This is what the buyer asked for, and closes the request.');
  expect(said(usd(9))).toContain(
    'The buyer asked for 9.00 USD. This answers the request with 5.00 USD and closes it. The buyer sees the amount, without a reason.',
  );
  expect(said(null)).not.toContain('request');
  expect(asked(orderOf(), previewOf({ closesInquiry: true }))).toContain('The inquiry is closed');
});

test('a request that was answered with less than the buyer asked for says so', () => {
  const request = {
    ...{
      purchase: 'pur_1',
      account: 'acc_1',
      plan: 'credit',
      amount: usd(4),
      reason: 'Late',
      unspent: usd(4),
    },
    ...{ paid: usd(5), paidTax: usd(0), tax: usd(0), refunded: usd(1), refundedTax: usd(0) },
    ...{ state: 'refunded' as const, answer: null, askedMs: boughtMs, declinedMs: null },
  };
  const shown = (more: object) =>
    textOf(
      payment(
        factsOf(orderOf(), { request: { ...request, ...more }, reversals: [reversalOf({ amount: usd(1) })] }),
      ),
    );
  expect(shown({})).toContain('Refund request: 4.00 USD answered with 1.00 USD');
  expect(shown({})).toContain('Request answered');
  expect(shown({ refunded: usd(4) })).toContain('Refund request: 4.00 USD refunded');
});

test('the result of a refund that is pending does not say that it is done', () => {
  const refunded = {
    ...{ kind: 'refunded' as const, order: orderOf(), left: usd(3), ended: null },
    ...{
      loss: { certain: usd(0), pending: usd(0) },
      reversal: reversalOf({ amount: usd(2), status: 'pending' }),
    },
  };
  expect(resultOf(refunded, planName).text).toBe(
    'The refund of 2.00 USD has started and is pending at the processor. 3.00 USD of this payment remains.',
  );
  const again = resultOf({ ...refunded, isRepeated: true }, planName).text;
  expect(again).toContain(
    'was started already and is pending at the processor. Nothing more was refunded now.',
  );
  const known = { returned: usd(2), left: usd(3), isPending: true };
  expect(resultOf({ kind: 'changed', ...known }, planName).text).toContain(
    'the refund of 2.00 USD of this payment was started already, and is pending at the processor.',
  );
});

test('the result of a refund says what became of the plan, by its name and day', () => {
  const refunded = {
    ...{
      kind: 'refunded' as const,
      order: periodOf(),
      left: usd(0),
      loss: { certain: usd(0.04), pending: usd(0) },
    },
    reversal: reversalOf({ amount: usd(99) }),
  };
  const said = (ended: SubscriptionEnd & { isDone: boolean }) =>
    resultOf({ ...refunded, ended }, planName).text;
  expect(said({ ...ending, isDone: true })).toBe(
    '99.00 USD was refunded. Nothing of this payment remains. 0.04 USD of it had been spent: that part is your loss. The Start plan has ended. It is not charged again.',
  );
  expect(said({ ...ending, when: 'period_end', isDone: true })).toContain(
    'The Start plan ends on 27 Dec 2026.',
  );
  expect(said({ ...ending, isDone: false })).toContain(
    'The Start plan could not be ended and still renews. End sub_1 at the card processor.',
  );
});

test('a refund of a replaced plan names what is removed from the plan that replaced it', () => {
  const replaced = { plan: 'credit', spent: [{ plan: 'start', asset: 'unit' as const, missing: 20 }] };
  const effect = { asset: 'unit' as const, taken: 991_884, missing: 0 };
  const preview = ofPlan({ ending: null, effect, replaced, kept: 4_008_116 });
  const text = asked(periodOf(), preview);
  expect(text).toContain('991,884 results of Pay as you go are removed from the account immediately');
  expect(text).toContain('20 results of Start are already spent: that part is your loss.');
  expect(text).toContain('4,008,116 results of Pay as you go are left to the buyer.');
  expect(text).toContain('The Pay as you go plan does not renew');
  expect(text).not.toContain('that the plan includes');
  const replacement = { order: 'pur_2', plan: 'credit', credit: usd(98.99), atMs: boughtMs };
  const page = textOf(payment(factsOf(periodOf(), { preview, replacement })));
  expect(page).toContain('98.99 USD of this payment was deducted from its price');
});
