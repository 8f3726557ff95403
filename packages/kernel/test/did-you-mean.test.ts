import { expect, it } from 'vitest';
import { nearest } from '../src/did-you-mean.ts';

const fields = ['job_title', 'job_level', 'amount_usd', 'VP', 'C-Team'];

it.each([
  ['jobLevel', 'job_level'],
  ['job title', 'job_title'],
  ['ammount_usd', 'amount_usd'],
  ['amuont_usd', 'amount_usd'],
  ['vp', 'VP'],
  ['c team', 'C-Team'],
  ['Jöb_Titlé', 'job_title'],
])('takes %j for %j', (given, meant) => expect(nearest(given, fields)).toBe(meant));

it('guesses nothing where nothing is near', () => {
  expect(nearest('company_name', ['job_title'])).toBeNull();
  expect(nearest('x'.repeat(100_000), fields)).toBeNull();
  expect(nearest('anything', [])).toBeNull();
  expect(nearest('foo', ['job', 'company'])).toBeNull();
  expect(nearest('x', ['y'])).toBeNull();
});
