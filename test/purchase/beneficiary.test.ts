import { expect, test } from 'vitest';
import { type BeneficiaryContext, beneficiary } from '../../src/journeys/purchase-beneficiary.ts';
import * as AccountReference from '../../src/payment/account-reference.ts';

const secrets = { current: 'c'.repeat(40), previous: 'p'.repeat(40) };
const joined: Readonly<Record<string, string>> = { acc_old: 'acc_new' };
const accounts = {
  resolveAccount: async (account: string) => joined[account] ?? account,
  isFrozen: async (account: string) => account === 'acc_frozen',
};
const shop = { challengeSecrets: secrets, accounts } as unknown as BeneficiaryContext;
const reference = (account: string, current = secrets.current) =>
  AccountReference.issue(account, { current });

test('a purchase pays for the bearer, for the account of a reference, or for a new account', async () => {
  expect(await beneficiary(shop, null, undefined)).toEqual({ kind: 'account', account: null });
  expect(await beneficiary(shop, 'acc_1', undefined)).toEqual({ kind: 'account', account: 'acc_1' });
  expect(await beneficiary(shop, null, [reference('acc_1')])).toEqual({ kind: 'account', account: 'acc_1' });
  expect(await beneficiary(shop, 'acc_1', [reference('acc_1')])).toEqual({
    kind: 'account',
    account: 'acc_1',
  });
});

test('a reference to an account that was joined pays for the remaining one', async () => {
  expect(await beneficiary(shop, null, [reference('acc_old')])).toEqual({
    kind: 'account',
    account: 'acc_new',
  });
  expect(await beneficiary(shop, 'acc_new', [reference('acc_old')])).toEqual({
    kind: 'account',
    account: 'acc_new',
  });
});

test('a frozen account and the account of another bearer are not paid for', async () => {
  expect(await beneficiary(shop, null, [reference('acc_frozen')])).toEqual({ kind: 'frozen' });
  expect(await beneficiary(shop, 'acc_2', [reference('acc_1')])).toEqual({ kind: 'other' });
});

test('a reference outlives one replacement of the secret, and no other text is one', async () => {
  expect(await beneficiary(shop, null, [reference('acc_1', secrets.previous)])).toMatchObject({
    account: 'acc_1',
  });
  const [one = '', other = ''] = [reference('acc_1'), reference('acc_2')];
  const forged = `acc_1.${other.split('.')[1]}`;
  const stale = reference('acc_1', 's'.repeat(40));
  for (const texts of [[''], ['.'], ['acc_1'], [forged], [stale], [`${one}x`], ['x'.repeat(300)], [one, one]])
    expect(await beneficiary(shop, null, texts), texts[0]).toEqual({ kind: 'unknown' });
});
