import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Account from './books.ts';
import * as World from './world.ts';

const runs = 40;
const paid = Money.ofCents(50);

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Returns a paid and granted sale, and the id of its payment. */
async function bought(): Promise<{ sale: World.Sale; payment: string }> {
  const sale = await world.sale(null);
  await sale.openPage(0);
  await sale.payPage();
  const [payment] = sale.processor.taken;
  if (!payment) throw new Error('the page took nothing');
  return { sale, payment: payment.id };
}

/** Returns every order of `items`. */
function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) =>
    permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
  );
}

test('every order and repetition of the notices of one purchase ends in the same books', async () => {
  // Paid, a fifth refunded, a failed refund, disputed and won: six webhook events.
  const orders = permutations([0, 1, 2, 3, 4, 5]);
  const ends = new Set<string>();
  const play = async (order: readonly number[], turn: number) => {
    const { sale, payment } = await bought();
    sale.processor.goBack('refund', payment, Money.ofCents(10), 'succeeded', true);
    const failed = sale.processor.goBack('refund', payment, Money.ofCents(5), 'pending', true);
    sale.processor.turn(failed.id, 'failed', false);
    sale.processor.goBack('dispute', payment, paid, 'won', false);
    expect(sale.processor.notices()).toHaveLength(6);
    // One of them arrives twice, at the same time in two processes.
    for (const which of order)
      await Promise.all([sale.notice(0, which), sale.notice(1, order[turn % 6] ?? 0)]);
    ends.add(JSON.stringify(await sale.books()));
  };
  for (let at = 0; at < orders.length; at += 6)
    await Promise.all(orders.slice(at, at + 6).map((order, offset) => play(order, at + offset)));
  expect([...ends]).toEqual([JSON.stringify({ remaining: 400_000, owed: 0, processor: 400_000 })]);
  await Account.proves(world.sql);
});

test('credit follows the money through any life of refunds and disputes, whatever is heard of it and when', async () => {
  const act = fc.oneof(
    fc.record({ does: fc.constant('refund' as const), cents: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ does: fc.constant('dispute' as const), cents: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ does: fc.constant('turn' as const), which: fc.nat(9), counts: fc.boolean() }),
    fc.record({ does: fc.constant('notice' as const), which: fc.nat(20), at: fc.nat(1) }),
  );
  const life = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 6, maxLength: 6 }), (lives) =>
      Promise.all(lives.map(live)).then(() => {}),
    ),
    { numRuns: runs },
  );
  await Account.proves(world.sql);

  async function live(steps: (typeof act extends fc.Arbitrary<infer T> ? T : never)[][]): Promise<void> {
    const { sale, payment } = await bought();
    const ids: string[] = [];
    for (const step of steps) {
      await Promise.all(
        step.map(async (one) => {
          const known = one.does === 'turn' ? ids[one.which % Math.max(1, ids.length)] : undefined;
          if (one.does === 'notice') await sale.notice(one.at, one.which);
          else if (one.does !== 'turn')
            ids.push(sale.processor.goBack(one.does, payment, Money.ofCents(one.cents), 'new', true).id);
          else if (known !== undefined)
            sale.processor.turn(known, `turn ${sale.processor.notices().length}`, one.counts);
        }),
      );
    }
    const notices = sale.processor.notices();
    await Promise.all(notices.map((_, which) => sale.notice(which % 2, which)));
    const gone = (await sale.processor.reversalsOf(payment)).reduce(
      (sum, { amount, isEffective }) => sum + (isEffective ? amount : 0),
      0,
    );
    const left = Math.max(0, paid - gone);
    expect(await sale.books()).toEqual({ remaining: left, owed: 0, processor: left });
  }
});
