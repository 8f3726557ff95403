import { expect, test } from 'vitest';
import { faultWords } from '../../src/http/console/pages/catalogue-words.ts';

const faults = [
  {
    path: 'plans[0].price_usd',
    line: 1,
    reason: 'price_usd is "": write an amount of whole cents in quotes, such as 5.00',
  },
  {
    path: 'plans[0].included',
    line: 1,
    reason: 'included is missing: units in each period, or dollars as included_usd',
  },
  {
    path: 'plans[0].price_usd',
    line: 1,
    reason: 'price_usd "5.001" is wrong: write an amount of whole cents in quotes, such as 5.00',
  },
];
const reasons = (hasUsage: boolean) =>
  faultWords([], faults, 'plans[0]', hasUsage).faults.map(({ reason }) => reason);

test('the faults of a new plan name the fields that the form has, without the quotes of the file', () => {
  expect(reasons(false)).toEqual([
    'Enter a price, such as 5.00.',
    'Enter how many results the plan includes.',
    'Price 5.001 is wrong: enter an amount of whole cents, such as 5.00.',
  ]);
  expect(reasons(true)[1]).toBe('Enter how many results the plan includes, or its usage in USD.');
});
