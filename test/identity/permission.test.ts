import { expect, test } from 'vitest';
import { type AccountAction, type CallerRights, denial } from '../../src/identity/permission.ts';
import { manageable, type Role, roles } from '../../src/identity/team/role.ts';

const reads = ['read', 'read_billing', 'read_keys', 'read_results'] as const;
const changes = ['change_keys', 'call', 'buy', 'change_billing', 'connect'] as const;
const ofPersons = ['read_team', 'switch', 'leave', 'read_events', 'change_team', 'change_owners'] as const;
const all: AccountAction[] = [...reads, ...changes, 'end_charges', 'claim', ...ofPersons];

const nobody: CallerRights = { isFrozen: false, isKey: false, role: null, isApplication: false };
const allowed = (caller: Partial<CallerRights>) =>
  all.filter((action) => denial({ ...nobody, ...caller }, action) === null);

test('a token that belongs to no person allows everything but what persons do', () => {
  expect(allowed({})).toEqual([...reads, ...changes, 'end_charges', 'claim']);
  expect(denial(nobody, 'change_team')).toBe('person_required');
});

test('a frozen account can only read and end charges', () => {
  expect(allowed({ isFrozen: true })).toEqual([...reads, 'end_charges']);
  expect(denial({ ...nobody, isFrozen: true }, 'call')).toBe('frozen');
});

test('a key reads, calls, buys and ends charges, but never manages keys', () => {
  expect(allowed({ isKey: true })).toEqual([
    'read',
    'read_billing',
    'read_results',
    'call',
    'buy',
    'end_charges',
  ]);
  expect(denial({ ...nobody, isKey: true }, 'read_keys')).toBe('key_not_allowed');
});

test('a key of a frozen account reads and ends charges', () => {
  expect(allowed({ isFrozen: true, isKey: true })).toEqual([
    'read',
    'read_billing',
    'read_results',
    'end_charges',
  ]);
  expect(denial({ ...nobody, isFrozen: true, isKey: true }, 'change_keys')).toBe('frozen');
});

test('a key of a person calls and buys while their role includes calls, and beyond that has their role', () => {
  for (const role of ['billing', 'viewer'] as const) {
    expect(allowed({ isKey: true, role }), role).not.toEqual(expect.arrayContaining(['call']));
    expect(allowed({ isKey: true, role }), role).not.toEqual(expect.arrayContaining(['buy']));
  }
  expect(allowed({ isKey: true, role: 'viewer' })).toEqual(['read', 'read_billing']);
  expect(allowed({ isKey: true, role: 'developer' })).toEqual(['read', 'read_results', 'call', 'buy']);
  expect(allowed({ isKey: true, role: 'owner' })).toEqual(allowed({ isKey: true }));
});

test('each role has its rights, and no more', () => {
  const own: AccountAction[] = ['read_team', 'switch', 'leave'];
  const expected: Record<Role, AccountAction[]> = {
    owner: [...reads, ...changes, 'end_charges', ...ofPersons],
    admin: [...reads, ...changes, 'end_charges', ...own, 'read_events', 'change_team'],
    billing: ['read', 'read_billing', 'buy', 'change_billing', 'connect', 'end_charges', ...own],
    developer: ['read', 'read_keys', 'read_results', 'change_keys', 'call', 'connect', ...own],
    viewer: ['read', 'read_billing', 'connect', ...own],
  };
  for (const role of roles) expect(allowed({ role }), role).toEqual(expected[role]);
});

test('an application has the role of its person, but manages neither persons nor keys', () => {
  const undone = changes.filter((action) => action !== 'change_keys');
  for (const role of ['owner', null] as const)
    expect(allowed({ role, isApplication: true }), String(role)).toEqual([
      ...[...reads, ...undone, 'end_charges'],
      ...(role === null ? ['claim'] : []),
    ]);
});

test('only owners give and take the role of an owner', () => {
  expect(manageable('owner')).toEqual(roles);
  expect(manageable('admin')).toEqual(roles.filter((role) => role !== 'owner'));
  for (const role of ['billing', 'developer', 'viewer', null] as const) expect(manageable(role)).toEqual([]);
});
