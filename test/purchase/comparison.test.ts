import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as ReconciliationReport from '../../src/journeys/reconciliation-report.ts';
import type { Invoice } from '../../src/payment/subscription.ts';
import * as Books from './books.ts';
import * as World from './world.ts';

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const hourMs = 60 * 60_000;

test('says which payments have no credit and which credit no payment, and mends what it can', async () => {
  const sale = await world.sale(null);
  await sale.openPage(0);
  await sale.payPage();
  const before = await sale.compare(false);
  expect(before.differences).toMatchObject([{ kind: 'not_granted', state: 'repairable' }]);
  expect(await sale.credit()).toBe(0);
  const mended = await sale.compare(true);
  expect(mended.differences.map(({ state }) => state)).not.toContain('person');
  expect(await sale.credit()).toBe(500_000);
  expect((await sale.compare(false)).differences).toEqual([]);

  const [payment] = sale.processor.taken;
  sale.processor.goBack('refund', payment?.id ?? '', Money.ofCents(20), 'succeeded', true);
  expect((await sale.compare(false)).differences).toMatchObject([
    { kind: 'not_reversed', state: 'repairable' },
  ]);
  expect((await sale.compare(true)).differences).toMatchObject([{ kind: 'not_reversed', state: 'repaired' }]);
  expect(await sale.books()).toEqual({ remaining: 300_000, owed: 0, processor: 300_000 });

  sale.processor.forget();
  expect((await sale.compare(true)).differences).toMatchObject([{ kind: 'not_paid', state: 'person' }]);
  await Books.proves(world.sql);
});

test('an order that is in no book is entered again by what its payment says, and granted', async () => {
  const sale = await world.sale(null);
  await sale.openPage(0);
  await sale.payPage();
  await world.sql`DELETE FROM shop.purchase WHERE id = ${(await sale.read()).id}`;
  expect((await sale.compare(false)).differences).toMatchObject([{ kind: 'nobodys', state: 'person' }]);
  expect((await sale.compare(true)).differences).toMatchObject([{ kind: 'not_granted', state: 'repaired' }]);
  expect(await sale.credit()).toBe(500_000);
  expect((await sale.compare(true)).differences).toEqual([]);
});

test('a subscription of another shop on the same account of the processor is left alone; an unmarked order of ours is not', async () => {
  const sale = await world.sale(null);
  const invoice: Invoice = {
    id: 'in_other',
    order: 'pur_of_another_shop',
    isForeign: true,
    currency: 'usd',
    isFirst: true,
    change: null,
    subscription: 'sub_other',
    payment: 'pi_other',
    paid: Money.ofCents(100),
    tax: Money.zero,
    plan: 'small',
    units: 100,
    terms: { every: 'month', price: Money.ofCents(100), units: 100, rollover: false, graceDays: 0 },
    startMs: Date.now(),
    endMs: Date.now() + 720 * hourMs,
  };
  sale.processor.invoices.push(invoice);
  expect((await sale.compare(true)).differences).toEqual([]);
  const { id: order } = await sale.read();
  sale.processor.invoices.push({ ...invoice, id: 'in_ours', payment: 'pi_ours', order });
  expect((await sale.compare(false)).differences).toMatchObject([{ kind: 'not_granted', order }]);
});

test('whatever was lost on the way, one repair makes both sides agree', async () => {
  const act = fc.constantFrom('page', 'agent', 'lost', 'killed', 'refund', 'dispute', 'won', 'hear');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { maxLength: 8 }), { minLength: 6, maxLength: 6 }),
      async (lives) => {
        await Promise.all(lives.map(live));
      },
    ),
    { numRuns: 25 },
  );
  await Books.proves(world.sql);

  async function live(acts: string[]): Promise<void> {
    const sale = await world.sale('acc_of_the_buyer');
    const disputes: string[] = [];
    for (const what of acts) {
      const paid = sale.processor.taken[0]?.id;
      if (what === 'page') await sale.openPage(0).then(() => sale.payPage());
      else if (what === 'refund' && paid)
        sale.processor.goBack('refund', paid, Money.ofCents(7), 'succeeded', true);
      else if (what === 'dispute' && paid)
        disputes.push(sale.processor.goBack('dispute', paid, Money.ofCents(50), 'needs_response', true).id);
      else if (what === 'won') for (const id of disputes) sale.processor.turn(id, 'won', false);
      else if (what === 'hear') await sale.notice(1, acts.length);
      else if (['agent', 'lost', 'killed'].includes(what)) {
        sale.processor.fate =
          what === 'agent' ? 'taken' : what === 'lost' ? 'taken, answer lost' : 'taken, asker killed';
        await sale.submit(0, 'spt_one');
      }
    }
    await Promise.all([sale.restart(0), sale.restart(1)]);
    sale.pass(25 * hourMs);
    sale.processor.isClosed = true;
    const mended = await sale.compare(true);
    expect(mended.differences.filter(({ state }) => state !== 'repaired')).toEqual([]);
    const again: ReconciliationReport.Comparison = await sale.compare(false);
    expect(again.differences).toEqual([]);
    expect(again.taken.books).toBe(again.taken.processor);
    expect(again.reversed.books).toBe(again.reversed.processor);
  }
});
