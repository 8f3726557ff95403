import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { outlook, type Subscription } from '../../src/payment/subscription.ts';
import { parse, suggestedTerms } from '../../src/payment/top-up.ts';
import { stateAt } from '../../src/payment/top-up-consent.ts';
import { mayBeSigned } from '../../src/payment/webhook-signature.ts';
import { english } from '../../src/text/texts.ts';
import { shop } from '../catalog/todo.ts';

test('the outlook of a subscription', () => {
  const running: Subscription = {
    id: 'sub_1',
    account: 'acc_1',
    plan: 'start',
    status: 'active',
    renews: true,
    startMs: 0,
    endMs: 1,
    cancelAtPeriodEnd: false,
    nextPlan: null,
    payUrl: null,
  };
  expect(outlook(running)).toBe('renews');
  expect(outlook({ ...running, status: 'past_due' })).toBe('past_due');
  expect(outlook({ ...running, status: 'past_due', cancelAtPeriodEnd: true })).toBe('ends');
  expect(outlook({ ...running, status: 'canceled' })).toBe('ended');
  expect(outlook({ ...running, renews: false })).toBe('ended');
});

test('an offered consent expires; one that was agreed to does not', () => {
  expect(stateAt({ state: 'offered', expiresMs: 10 }, 9)).toBe('offered');
  expect(stateAt({ state: 'offered', expiresMs: 10 }, 10)).toBe('expired');
  expect(stateAt({ state: 'agreed', expiresMs: 10 }, 11)).toBe('agreed');
});

test('the suggested top-up is one that the form accepts', () => {
  const [, credit] = shop().plans;
  if (credit?.kind !== 'credit') throw new Error('the shop has other plans');
  const { below, amount, monthlyMax } = suggestedTerms;
  const sent = {
    below_usd: Money.format(below),
    amount_usd: Money.format(amount),
    monthly_max_usd: Money.format(monthlyMax),
  };
  expect(parse(english, sent, credit)).toEqual({ kind: 'on', terms: suggestedTerms });
});

test('a webhook body is read only when its signature header has the form and is recent', () => {
  const nowMs = 1_900_000_000_000;
  const digest = 'a'.repeat(64);
  const header = (ageMs: number) => `t=${(nowMs - ageMs) / 1_000},v1=${digest}`;
  expect(mayBeSigned(header(0), nowMs)).toBe(true);
  expect(mayBeSigned(header(600_000), nowMs)).toBe(true);
  expect(mayBeSigned(header(601_000), nowMs)).toBe(false);
  expect(mayBeSigned(header(-601_000), nowMs)).toBe(false);
  expect(mayBeSigned(`v1=${digest}`, nowMs)).toBe(false);
  expect(mayBeSigned(`t=${nowMs / 1_000},v1=short`, nowMs)).toBe(false);
});
