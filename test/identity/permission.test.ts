import { expect, test } from 'vitest';
import { type AccountAction, denial } from '../../src/identity/permission.ts';

const all: AccountAction[] = ['read', 'read_keys', 'spend', 'end_charges', 'change', 'change_keys'];
const allowed = (caller: { isFrozen: boolean; isKey: boolean }) =>
  all.filter((action) => denial(caller, action) === null);

test('the token of an account that is not frozen allows everything', () => {
  expect(allowed({ isFrozen: false, isKey: false })).toEqual(all);
});

test('a frozen account can only read and end charges', () => {
  expect(allowed({ isFrozen: true, isKey: false })).toEqual(['read', 'read_keys', 'end_charges']);
  expect(denial({ isFrozen: true, isKey: false }, 'spend')).toBe('frozen');
});

test('a key reads, spends and ends charges, but never manages keys', () => {
  expect(allowed({ isFrozen: false, isKey: true })).toEqual(['read', 'spend', 'end_charges']);
  expect(denial({ isFrozen: false, isKey: true }, 'read_keys')).toBe('key_not_allowed');
});

test('a key of a frozen account reads and ends charges', () => {
  expect(allowed({ isFrozen: true, isKey: true })).toEqual(['read', 'end_charges']);
  expect(denial({ isFrozen: true, isKey: true }, 'change_keys')).toBe('frozen');
});
