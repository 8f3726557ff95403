import * as Money from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { highestText } from '../../src/http/pages/request-price.ts';
import { english } from '../../src/text/texts.ts';
import { shop } from '../catalog/todo.ts';

const [operation] = shop().operations;

test('the highest price of a request names the units that a plan or trial pays, and the price where they do not suffice', () => {
  if (operation === undefined) throw new Error('the shop sells nothing');
  const text = (units: number | null, left = 0, isFree = false, usd = 0) => {
    const cost = Money.ofMicro(2_000 * (units ?? 5));
    return highestText(english, operation, { cost, units }, { left, isFree, usd: Money.ofMicro(usd) });
  };
  expect(text(20, 25)).toBe('This request uses at most 20 of the 25 todos left in your plan.');
  expect(text(20, 25, true)).toBe('This request uses at most 20 of your 25 free todos.');
  expect(text(26, 25, true)).toBe('This request costs at most 0.052 USD (26 todos).');
  expect(text(26, 25)).toBe(
    'This request uses the 25 todos left in your plan, and costs at most 0.002 USD more.',
  );
  const usage = 'This request uses at most 0.01 USD of ';
  expect(text(5, 0, false, 50_000)).toBe(`${usage}the 0.05 USD of usage left in your plan.`);
  expect(text(null, 0, true, 50_000)).toBe(`${usage}your 0.05 USD of free usage.`);
  expect(text(5, 0, false, 9_999)).toBe('This request costs at most 0.01 USD (5 todos).');
  expect(text(1)).toBe('This request costs at most 0.002 USD (1 todo).');
  expect(text(null, 25)).toBe('This request costs at most 0.01 USD.');
  expect(text(0, 25)).toBe('This request is free.');
});
