import * as Money from '@sluice/kernel/money';
import { ofMicro } from '@sluice/kernel/money';
import { expect, test } from 'vitest';
import * as Refund from '../../src/journeys/refund.ts';
import { ProcessorUnavailable } from '../../src/payment/processor.ts';
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
      withoutOutcome: async () => [],
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

test('a refund that depends on what was returned before is not made beside another one, nor after it', async () => {
  const order = unpaidOrder({ state: 'granted', payment: 'pi_1' });
  const first = { id: 're_1', kind: 'refund', amount: ofMicro(100_000), isEffective: true, key: 'other' };
  const outcomes: unknown[] = [];
  const shop = (returned: readonly unknown[][], isBusy: boolean) => {
    let looks = 0;
    return {
      orders: { find: async () => order, paidBy: async () => null },
      processor: {
        reversalsOf: async () => returned[Math.min(looks++, returned.length - 1)],
        refund: () => expect.unreachable('money was sent'),
      },
      audit: {
        open: async () => 7,
        close: async (_: number, after: object) => outcomes.push(after),
        withoutOutcome: async () =>
          isBusy ? [{ id: 6, atMs: 0, before: { key: 'rival' }, isRunning: true }] : [],
      },
    } as unknown as Refund.RefundContext;
  };
  const instruction = {
    ...{ order: order.id, amount: ofMicro(100_000), key: 'own' },
    subscription: 'keep',
    returnedBefore: ofMicro(0),
  } as const;
  const changed = { kind: 'changed', returned: ofMicro(100_000) };
  expect(await Refund.refund(shop([[]], true), instruction, 'seller')).toEqual({ kind: 'busy' });
  expect(await Refund.refund(shop([[first]], false), instruction, 'seller')).toMatchObject(changed);
  // It was made between the two looks.
  expect(await Refund.refund(shop([[], [first]], false), instruction, 'seller')).toMatchObject(changed);
  expect(outcomes).toMatchObject([{ kind: 'busy' }, changed]);
});

test('no other refund is made while it is not known whether one was made', async () => {
  const order = unpaidOrder({ state: 'granted', payment: 'pi_1' });
  const sent: unknown[] = [];
  const shop = (listed: readonly object[]) =>
    ({
      orders: {
        find: async () => order,
        paidBy: async () => null,
        reversalsOf: async () => [],
        lossOf: async () => ({ certain: 0, pending: 0 }),
      },
      processor: {
        reversalsOf: async () => listed,
        refund: async (...request: unknown[]) => {
          sent.push(request.at(-1));
          return { kind: 'unknown' };
        },
      },
      audit: {
        open: async () => 7,
        close: async () => undefined,
        withoutOutcome: async () => [
          { id: 6, atMs: 0, before: { key: 'first', amount_usd: '0.10' }, isRunning: false },
        ],
      },
    }) as unknown as Refund.RefundContext;
  const asked = (key: string | null, returnedBefore: number | null) =>
    ({
      ...{ order: order.id, amount: ofMicro(50_000), key },
      subscription: 'keep',
      returnedBefore: returnedBefore === null ? null : ofMicro(returnedBefore),
    }) as const;
  const ask = (key: string | null, returnedBefore: number | null, listed: readonly object[] = []) =>
    Refund.refund(shop(listed), asked(key, returnedBefore), 'seller');
  expect(await ask('second', 0)).toEqual({ kind: 'busy' });
  expect(await ask('second', null)).toEqual({ kind: 'busy' });
  expect(await ask(null, null)).toEqual({ kind: 'busy' });
  expect(sent).toEqual([]);
  // The same refund may be sent again, and another one once the processor lists the first.
  expect(await ask('first', 0)).toEqual({ kind: 'pending' });
  const made = { id: 're_1', kind: 'refund', amount: ofMicro(10_000), isEffective: true, key: 'first' };
  expect(await ask('second', 10_000, [made])).toEqual({ kind: 'pending' });
  expect(sent).toEqual(['first', 'second']);
});

test('a refund without a key is not repeated as another one while it is not known whether it was made', async () => {
  const order = unpaidOrder({ state: 'granted', payment: 'pi_1' });
  const paid = Money.format(order.amount);
  const sent: unknown[] = [];
  const shop = (listed: readonly object[], left: string, isRunning: boolean) =>
    ({
      orders: { find: async () => order, paidBy: async () => null },
      processor: {
        reversalsOf: async () => listed,
        refund: async (...request: unknown[]) => {
          sent.push(request[2]);
          return { kind: 'unknown' };
        },
      },
      audit: {
        open: async () => 7,
        close: async () => undefined,
        withoutOutcome: async () => [
          { id: 6, atMs: 0, before: { key: null, amount_usd: '0.01', left_usd: left }, isRunning },
        ],
      },
    }) as unknown as Refund.RefundContext;
  const instruction = { order: order.id, amount: ofMicro(10_000), key: null, subscription: 'keep' } as const;
  const made = { id: 're_1', kind: 'refund', amount: ofMicro(10_000), isEffective: true, key: null };
  for (const isRunning of [false, true]) {
    // The processor lists it meanwhile: the same request would be the second refund.
    expect(await Refund.refund(shop([made], paid, isRunning), instruction, 'seller')).toEqual({
      kind: 'busy',
    });
    expect(sent).toEqual([]);
    // It does not: the request has the same idempotency key.
    expect(await Refund.refund(shop([], paid, isRunning), instruction, 'seller')).toEqual({
      kind: 'pending',
    });
    expect(sent.splice(0)).toEqual([`refund_${order.id}_0`]);
  }
});

test('a refund that was not sent because the processor was unavailable delays no other one', async () => {
  const order = unpaidOrder({ state: 'granted', payment: 'pi_1' });
  const outcomes: object[] = [];
  let reads = 0;
  const shop = {
    orders: { find: async () => order },
    processor: {
      reversalsOf: async () => {
        reads += 1;
        if (reads > 1) throw new ProcessorUnavailable('no response');
        return [];
      },
    },
    audit: {
      open: async () => 7,
      close: async (_: number, after: object) => outcomes.push(after),
      withoutOutcome: async () => [],
    },
  } as unknown as Refund.RefundContext;
  const instruction = {
    ...{ order: order.id, amount: null, key: 'one', subscription: 'keep' as const },
    returnedBefore: ofMicro(0),
  };
  await expect(Refund.refund(shop, instruction, 'seller')).rejects.toThrow(ProcessorUnavailable);
  expect(outcomes).toEqual([{ kind: 'not_sent' }]);
});
