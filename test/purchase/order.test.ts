import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as World from './world.ts';

const minuteMs = 60_000;

let world: World.World;
let sale: World.Sale;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(async () => {
  sale = await world.sale(null);
});
afterAll(() => world.close());

const state = async () => (await sale.read()).state;

describe('a challenge', () => {
  test('that was not paid within five minutes is not paid any more', async () => {
    sale.pass(5 * minuteMs);
    expect(await sale.submit(0, 'spt_one')).toMatchObject({
      kind: 'payment_required',
      problem: { type: 'https://paymentauth.org/problems/payment-expired' },
    });
    expect(sale.processor.taken).toEqual([]);
  });

  test('that was paid in time is answered after it has expired', async () => {
    expect(await sale.submit(0, 'spt_one')).toMatchObject({ kind: 'granted', own: true });
    sale.pass(60 * minuteMs);
    expect(await sale.submit(1, 'spt_one')).toMatchObject({ kind: 'granted', own: true });
    expect(sale.processor.taken).toHaveLength(1);
  });

  test('whose charge was in doubt when it expired can still be brought to its end', async () => {
    sale.processor.fate = 'never arrives';
    expect((await sale.submit(0, 'spt_one'))?.kind).toBe('pending');
    sale.pass(6 * minuteMs);
    sale.processor.fate = 'taken';
    expect((await sale.submit(0, 'spt_one'))?.kind).toBe('granted');
  });
});

describe('a charge in doubt', () => {
  test('of which the processor never heard ends after twenty minutes, and not before', async () => {
    sale.processor.fate = 'never arrives';
    await sale.submit(0, 'spt_one');
    sale.pass(19 * minuteMs);
    await sale.reconcile(1);
    expect(await state()).toBe('claimed');
    sale.pass(2 * minuteMs);
    await sale.reconcile(1);
    expect(await state()).toBe('declined');
    sale.processor.fate = 'taken';
    expect(await sale.submit(0, 'spt_one')).toMatchObject({ kind: 'payment_required', declined: true });
    expect(sale.processor.taken).toEqual([]);
  });

  test('is nobody else’s to go on with: another token is told to wait', async () => {
    sale.processor.fate = 'taken, answer lost';
    await sale.submit(0, 'spt_one');
    expect((await sale.submit(1, 'spt_two'))?.kind).toBe('pending');
    expect(sale.processor.taken).toHaveLength(1);
  });

  test('of a process that was killed is known as such at once by its next start', async () => {
    sale.processor.fate = 'taken, asker killed';
    expect(await sale.submit(0, 'spt_one')).toBeNull();
    await sale.restart(0);
    await sale.reconcile(0);
    expect(await state()).toBe('granted');
  });

  test('is not forgotten when the hosted page is paid meanwhile', async () => {
    sale.processor.fate = 'taken, answer lost';
    await sale.openPage(0);
    await sale.submit(0, 'spt_one');
    await sale.payPage();
    await sale.comeBack(0);
    expect(await sale.credit()).toBe(500_000);
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(1_000_000);
  });
});

test('a charge that a live process waits for is left to it, however late it gets', async () => {
  const gate = Promise.withResolvers<void>();
  sale.processor.gate = gate.promise;
  const answer = sale.submit(0, 'spt_one');
  await expect.poll(state).toBe('claimed');
  sale.pass(60 * minuteMs);
  await sale.reconcile(1);
  expect(await state()).toBe('claimed');
  gate.resolve();
  expect((await answer)?.kind).toBe('granted');
});
