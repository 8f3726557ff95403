import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ProcessorUnavailable } from '../../src/payment/processor.ts';
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
    sale.pass(5 * minuteMs + 2_000);
    expect(await sale.submit(0, 'spt_one')).toMatchObject({
      kind: 'payment_required',
      problem: { type: 'https://paymentauth.org/problems/payment-expired' },
    });
    expect(sale.processor.taken).toEqual([]);
  });

  test('that was paid in time is answered after it has expired', async () => {
    expect(await sale.submit(0, 'spt_one')).toMatchObject({ kind: 'granted' });
    sale.pass(60 * minuteMs);
    expect(await sale.submit(1, 'spt_one')).toMatchObject({ kind: 'granted' });
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

  test('is not forgotten when another payment for the order arrives meanwhile', async () => {
    sale.processor.fate = 'taken, answer lost';
    await sale.submit(0, 'spt_one');
    sale.processor.payLate(await sale.read());
    for (const which of sale.processor.notices().keys()) if (which > 0) await sale.notice(1, which);
    expect(await sale.credit()).toBe(500_000);
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(1_000_000);
  });

  test('begins when the hosted page is closed: nobody pays on it afterwards', async () => {
    sale.processor.fate = 'taken, answer lost';
    await sale.openPage(0);
    await sale.submit(0, 'spt_one');
    await sale.payPage();
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(500_000);
    expect(sale.processor.taken).toHaveLength(1);
  });

  test('that arrives long after it was given up closes the page that was opened since', async () => {
    sale.processor.fate = 'never arrives';
    await sale.submit(0, 'spt_one');
    sale.pass(21 * minuteMs);
    await sale.reconcile(0);
    expect(await sale.openPage(0)).toMatchObject({ kind: 'redirect' });
    sale.processor.fate = 'taken, answer lost';
    const order = await sale.read();
    await sale.processor.charge(order, order.challengeId ?? '', 'nobody');
    await sale.notice(1, 0);
    expect(await sale.credit()).toBe(500_000);
    await sale.payPage();
    expect(sale.processor.taken).toHaveLength(1);
  });

  test('is not begun while nobody knows whether the page was paid, and the same credential goes on with it', async () => {
    await sale.openPage(0);
    const { closeCheckout } = sale.processor;
    sale.processor.closeCheckout = async () => {
      throw new ProcessorUnavailable('away');
    };
    expect((await sale.submit(0, 'spt_one'))?.kind).toBe('pending');
    expect(sale.processor.taken).toEqual([]);
    sale.processor.closeCheckout = closeCheckout;
    expect((await sale.submit(1, 'spt_one'))?.kind).toBe('granted');
    expect(sale.processor.taken).toHaveLength(1);
  });
});

describe('a slow payment on the page', () => {
  const dayMs = 24 * 60 * minuteMs;

  async function begun(): Promise<void> {
    await sale.openPage(0);
    sale.processor.payPage(await sale.read(), true);
  }

  test('keeps its order for as long as it takes, and is granted when it arrives', async () => {
    await begun();
    sale.pass(4 * dayMs);
    sale.processor.isClosed = true;
    // The buyer did not return and no webhook event arrived, so the page is read after it has closed.
    await sale.reconcile(0);
    expect(await state()).toBe('claimed');
    expect(await sale.openPage(1)).toEqual({ kind: 'pending', isSlow: true });
    for (let day = 0; day < 10; day++) {
      sale.pass(dayMs);
      await sale.reconcile(day % 2);
    }
    expect(await state()).toBe('claimed');
    sale.processor.settle((await sale.read()).id, 'succeeded');
    await sale.notice(1, 0);
    expect(await sale.credit()).toBe(500_000);
    expect((await sale.compare(false)).differences).toEqual([]);
  });

  test('brings its payer the tokens once, days later, also where reconciliation found it and its page is over', async () => {
    await begun();
    expect(await sale.comeBack(0)).toBe(false);
    sale.pass(4 * dayMs);
    sale.processor.isClosed = true;
    sale.processor.settle((await sale.read()).id, 'succeeded');
    await world.sql`UPDATE shop.purchase SET page_read_at = now() - interval '11 minutes' WHERE id = ${(await sale.read()).id}`;
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(500_000);
    await world.sql`UPDATE shop.purchase SET granted_at = granted_at - interval '6 days' WHERE id = ${(await sale.read()).id}`;
    await sale.reconcile(1);
    expect(await sale.comeBack(1, 1)).toBe(false);
    expect(await sale.comeBack(0)).toBe(true);
    expect(await sale.comeBack(1)).toBe(false);
  });

  test('is found by reconciliation alone, when no event of its end is heard', async () => {
    await begun();
    sale.pass(4 * dayMs);
    await sale.comeBack(0);
    sale.processor.settle((await sale.read()).id, 'succeeded');
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(0);
    await world.sql`UPDATE shop.purchase SET page_read_at = now() - interval '11 minutes' WHERE id = ${(await sale.read()).id}`;
    await sale.reconcile(0);
    expect(await sale.credit()).toBe(500_000);
  });

  test('that fails leaves an order that can be paid on another page', async () => {
    await begun();
    await sale.comeBack(0);
    expect((await sale.submit(1, 'spt_one'))?.kind).toBe('pending');
    sale.processor.settle((await sale.read()).id, 'failed');
    for (const which of sale.processor.notices().keys()) await sale.notice(0, which);
    expect(await sale.read()).toMatchObject({ state: 'declined', checkoutSession: null, pagesClosed: 1 });
    expect(await sale.openPage(0)).toMatchObject({ kind: 'redirect' });
    await sale.payPage();
    await sale.comeBack(1);
    expect(await sale.credit()).toBe(500_000);
    expect(sale.processor.taken).toHaveLength(1);
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
