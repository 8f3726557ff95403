import { expect, test } from 'vitest';
import { retireInstead } from '../../src/catalog/retire-instead.ts';

const plans = (...lines: string[]) => ['plans:', ...lines.map((line) => `  - ${line}`), ''].join('\n');
const credit = '{ id: credit, kind: credit, covers: "*" }';
const small = '{ id: small, kind: subscription, covers: [lists], price_usd: "1.00", recommended: true }';
const old = '{ id: old, kind: credit, covers: "*", retired: true }';
const trial = '{ id: trial, kind: trial, covers: "*", included: 1 }';

test('a paid plan that an edit leaves out is kept as a retired one, which is not highlighted', () => {
  expect(retireInstead(plans(credit, small, trial), plans(credit))).toBe(
    plans(
      credit,
      '{ id: "small", kind: "subscription", covers: ["lists"], price_usd: "1.00", retired: true }',
    ),
  );
});

test('a plan that is no longer sold is left out by a revert, and one that is sold is retired first', () => {
  const reverted = retireInstead(plans(credit, small, old), plans(credit), ({ isSold }) => isSold);
  expect(reverted).toContain('id: "small"');
  expect(reverted).not.toContain('old');
});

test('nothing is added to an edit that leaves no paid plan out, or has no list of plans', () => {
  expect(retireInstead(plans(credit, trial), plans(credit))).toBe(null);
  expect(retireInstead(plans(credit, small), 'storefront: {}\n')).toBe(null);
});
