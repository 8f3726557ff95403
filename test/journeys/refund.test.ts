import { ofMicro } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as Refund from '../../src/journeys/refund.ts';
import { unpaidOrder } from '../purchase/unpaid-order.ts';

test('a refund that was made and could not be recorded is reported as pending, so that no second one is made', async () => {
  const order = unpaidOrder({ state: 'granted', payment: 'pi_1' });
  const made: unknown[] = [];
  const reported: string[] = [];
  const reversal = { id: 're_1', kind: 'refund', amount: ofMicro(100_000), tax: ofMicro(0), key: null };
  const shop = {
    orders: { find: async () => order },
    processor: {
      reversalsOf: async () => [],
      refund: async () => {
        made.push(1);
        return { kind: 'refunded', reversal: { ...reversal, isEffective: true } };
      },
    },
    audit: {
      open: async () => 'entry',
      close: async () => {
        throw new Error('the database does not respond');
      },
    },
    report: (event: string) => reported.push(event),
  } as unknown as Refund.RefundContext;
  const instruction = {
    order: order.id,
    amount: ofMicro(100_000),
    key: null,
    subscription: 'keep',
    byHand: null,
  } as const;
  expect(await Refund.refund(shop, instruction, 'seller')).toEqual({ kind: 'pending' });
  expect([made.length, reported]).toEqual([1, ['refund_not_recorded']]);
});
