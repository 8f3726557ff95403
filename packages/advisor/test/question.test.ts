import { describe, expect, test } from 'vitest';
import * as Question from '../src/question.ts';

const fields = (body: unknown) => {
  const read = Question.read(body);
  return read.ok ? [] : read.faults.map(({ field }) => field);
};

describe('a question', () => {
  test('needs a goal of 1 to 2,000 characters, and nothing else', () => {
    expect(Question.read({ goal: ' CTOs ' })).toMatchObject({
      ok: true,
      question: { goal: 'CTOs', quantity: null, requirements: [] },
    });
    expect(fields({ goal: 'x'.repeat(2000) })).toEqual([]);
    for (const goal of [undefined, null, '', '  ', 7, 'x'.repeat(2001)])
      expect(fields({ goal })).toEqual(['goal']);
    for (const body of [null, [], 'goal', 1]) expect(fields(body)).toEqual(['body']);
  });

  test('takes every field of the contract, and null for none', () => {
    const all = {
      goal: 'x',
      quantity: 5,
      budgetUsd: '5.00',
      budgetExclusive: true,
      reviewAfterCalls: 3,
      requirements: ['in Spain'],
      humanAvailable: false,
      payment: 'mpp',
    };
    expect(Question.read(all)).toEqual({ ok: true, question: { ...all, budgetUsd: 5 } });
    expect(
      fields(Object.fromEntries(Object.keys(all).map((name) => [name, name === 'goal' ? 'x' : null]))),
    ).toEqual([]);
  });

  test('takes requirements as one text or as up to 300, with 10,000 characters in all', () => {
    expect(fields({ goal: 'x', requirements: 'r'.repeat(300) })).toEqual([]);
    expect(fields({ goal: 'x', requirements: Array(300).fill('r') })).toEqual([]);
    for (const requirements of [
      'r'.repeat(301),
      Array(301).fill('r'),
      Array(34).fill('r'.repeat(300)),
      [1],
      {},
    ])
      expect(fields({ goal: 'x', requirements })).toEqual(['requirements']);
  });

  test('names each field that is wrong, and the nearest one for a name that is none', () => {
    const wrong = {
      goal: 'x',
      quantity: 1.5,
      budgetUsd: -1,
      budgetExclusive: 'yes',
      reviewAfterCalls: 0,
      humanAvailable: 1,
      payment: 'cash',
    };
    expect(fields(wrong)).toEqual([
      'quantity',
      'budgetUsd',
      'budgetExclusive',
      'reviewAfterCalls',
      'humanAvailable',
      'payment',
    ]);
    const read = Question.read({ goal: 'x', budgetUSD: 1 });
    expect(read).toMatchObject({
      ok: false,
      faults: [{ field: 'body', message: expect.stringContaining('"budgetUsd"') }],
    });
  });

  test('means the same as a query', () => {
    const query = new URLSearchParams(
      'goal=x&quantity=5&budgetUsd=5.00&budgetExclusive=true&requirements=a&requirements=b&payment=card',
    );
    expect(Question.read(Question.ofQuery(query))).toMatchObject({
      ok: true,
      question: {
        quantity: 5,
        budgetUsd: 5,
        budgetExclusive: true,
        requirements: ['a', 'b'],
        payment: 'card',
      },
    });
    expect(fields(Question.ofQuery(new URLSearchParams('goal=a&goal=b')))).toEqual(['goal']);
    expect(fields(Question.ofQuery(new URLSearchParams('goal=a&__proto__=b')))).toEqual(['body']);
  });
});
