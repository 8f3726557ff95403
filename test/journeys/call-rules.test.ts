import { ofMicro } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import { keyCharsMax, lowestCeiling, readCeiling, readKey } from '../../src/journeys/call-request.ts';
import type { ServedResponse } from '../../src/journeys/call-result.ts';
import { endUnsent, endUnstarted } from '../../src/journeys/delivery.ts';
import { parsePurchase } from '../../src/journeys/purchase-request.ts';
import { buyerEmail } from '../../src/journeys/receipts.ts';
import { requestable } from '../../src/journeys/refund-requests.ts';
import { english } from '../../src/text/texts.ts';
import { shop as todoShop } from '../catalog/todo.ts';

test('a ceiling is a decimal amount in USD, and the lowest one applies', () => {
  expect(readCeiling(undefined)).toBeNull();
  expect(readCeiling('0.010')).toBe(10_000);
  for (const sent of [null, 5, '', '1e3', ['1', '2']]) expect(readCeiling(sent)).toBe('malformed');
  expect(lowestCeiling([])).toBeNull();
  expect(lowestCeiling([null, ofMicro(20), null, ofMicro(10), ofMicro(30)])).toBe(10);
  expect(lowestCeiling([ofMicro(0), null])).toBe(0);
});

test('an idempotency key has 1 to 255 characters', () => {
  expect(readKey(undefined)).toBeNull();
  expect(readKey(null)).toBeNull();
  expect(readKey('k'.repeat(keyCharsMax))).toHaveLength(255);
  for (const sent of ['', 'k'.repeat(256), 7, ['a', 'b']]) expect(readKey(sent)).toBe('malformed');
});

test('an unsent response is free when we failed, and counted when its caller left', () => {
  const ended: string[] = [];
  const paid = (kept: readonly string[] | null) =>
    ({
      kept,
      delivered: () => ended.push('delivered'),
      brokenOff: () => ended.push('broken off'),
      callerLeft: () => ended.push('left'),
    }) as unknown as ServedResponse;
  endUnsent(paid(null), true);
  endUnsent(paid(['stored']), false);
  endUnstarted(paid(null), true);
  endUnstarted(paid(null), false);
  // A retry with its key returns it.
  endUnstarted(paid(['stored']), true);
  expect(ended).toEqual(['left', 'broken off', 'left', 'broken off', 'delivered']);
});

test('a refund can be requested once for a purchase, and not for one that was returned in full', () => {
  const purchase = (id: string, amount_usd: string, reversed_usd: string) => ({
    purchase: id,
    amount_usd,
    reversed_usd,
  });
  const paid = [
    purchase('pur_1', '5.00', '0.00'),
    purchase('pur_2', '5.00', '5.00'),
    purchase('pur_3', '5.00', '2.00'),
    purchase('pur_4', '5.00', '0.00'),
  ];
  const found = requestable(paid, [{ purchase: 'pur_4' }]);
  expect(found.map((one) => one.purchase)).toEqual(['pur_1', 'pur_3']);
});

test('only the buyer sees the address on a receipt', async () => {
  const accounts = { find: async () => ({ email: 'buyer@example.com' }) } as never;
  const signed = { account: 'acc_1' } as never;
  expect(await buyerEmail({ accounts }, signed, 'acc_1')).toBe('buyer@example.com');
  expect(await buyerEmail({ accounts }, signed, 'acc_2')).toBeNull();
  expect(await buyerEmail({ accounts }, signed, null)).toBeNull();
});

test('a trial cannot be purchased', async () => {
  const read = await parsePurchase({ catalog: todoShop(), texts: english }, 'trial', {}, async () => null);
  expect(read).toEqual({ kind: 'unknown_plan' });
});
