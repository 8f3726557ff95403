import * as Money from '@sluice/kernel/money';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../support/value-judge.ts';
import * as Books from './books.ts';
import * as World from './plan-world.ts';

const rounding = { unitPrice: World.dearestUnit, steps: 4 };
const usd = (cents: number) => Money.ofCents(cents);

let world: World.World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await Books.proves(world.sql);
  await world.close();
});

async function fair(buyer: World.Buyer): Promise<void> {
  expect(judge(await buyer.rest(), rounding)).toEqual([]);
}

async function paymentOf(buyer: World.Buyer, order: string): Promise<string> {
  return (await buyer.find(order))?.payment ?? '';
}

async function refund(buyer: World.Buyer, order: string, cents: number): Promise<void> {
  buyer.processor.goBack('refund', await paymentOf(buyer, order), usd(cents), 'succeeded', true);
  await buyer.notices(1);
}

describe('an order at a discount', () => {
  test('that is paid twice buys the second time what the money is worth, in either order of arrival', async () => {
    for (const isLateFirst of [false, true]) {
      const buyer = await world.buyer();
      await buyer.buy('small');
      await buyer.use(0, 40);
      const offer = await buyer.offer('large', 'small');
      const order = offer && (await buyer.find(offer.order));
      if (!offer || !order) throw new Error('no offer');
      if (isLateFirst) {
        buyer.processor.payLate(order);
        await buyer.notices(1);
        await buyer.processor.charge(order, 'late', 'a');
      } else {
        expect(await offer.pay(0, 'spt_1')).toBe('granted');
        buyer.processor.payLate(order);
      }
      await Promise.all([buyer.notices(0), buyer.notices(1), buyer.notices(0)]);
      // 34.00 USD, plus 6.00 USD for the unused part: a whole period. Another 34.00 USD: 850 of 1,000 units.
      expect(await buyer.left()).toEqual({ large: 1_850 });
      await fair(buyer);
    }
  });

  test('is not charged to a credential while its page takes a slow payment, and its page closes before a credential is charged', async () => {
    const buyer = await world.buyer();
    await buyer.buy('small');
    const slow = await buyer.offer('large', 'small');
    await buyer.openPage(0, slow?.order ?? '');
    await buyer.payPage(slow?.order ?? '', true);
    expect(await slow?.pay(1, 'spt_1')).toBe('pending');
    const charged = await buyer.offer('large', 'small');
    await buyer.openPage(0, charged?.order ?? '');
    expect(await charged?.pay(1, 'spt_2')).toBe('granted');
    expect(await buyer.payPage(charged?.order ?? '')).toBe(false);
    await fair(buyer);
    // The slow payment arrives after the small period was already replaced.
    expect(await buyer.left()).toEqual({ large: 1_000 + Math.floor(Number(slow?.amount) / 40_000) });
  });
});

describe('only a dearer plan takes the place of one that runs', () => {
  test.each(['small', 'mini'])('not %s', async (plan) => {
    const buyer = await world.buyer();
    await buyer.buy('small');
    await buyer.use(0, 90);
    expect(await buyer.offer(plan, 'small')).toBeNull();
  });

  test('whose units were lowered counts for no more than its money, through three tiers', async () => {
    const buyer = await world.buyer();
    await buyer.buy('mini');
    const offer = await buyer.offer('small', 'mini');
    await buyer.use(0, 40);
    expect(await offer?.pay(0, 'spt_1')).toBe('granted');
    // 5.01 USD were paid, and nothing of the first plan was left.
    expect(await buyer.left()).toEqual({ small: 50 });
    const last = await buyer.offer('large', 'small');
    expect(last?.amount).toBeGreaterThanOrEqual(usd(3_500));
    expect(await last?.pay(0, 'spt_2')).toBe('granted');
    expect(await buyer.left()).toEqual({ large: 1_000 });
    await fair(buyer);
  });

  test('by one of two offers; the other one buys what its money is worth', async () => {
    const buyer = await world.buyer();
    await buyer.buy('small');
    const offers = [await buyer.offer('large', 'small'), await buyer.offer('large', 'small')];
    await Promise.all(offers.map((offer, at) => offer?.pay(at, `spt_${at}`)));
    const { large } = await buyer.left();
    expect(large).toBe(1_000 + Math.floor(Number(offers[0]?.amount) / 40_000));
    await fair(buyer);
  });
});

test('a plan whose price and units changed since the offer is sold as it was offered', async () => {
  const buyer = await world.buyer();
  await buyer.buy('small');
  const offer = await buyer.offer('large', 'small');
  const now = { ...World.large, price: usd(9_000), included: { asset: 'unit' as const, amount: 5_000 } };
  expect(await offer?.pay(0, 'spt_1', now)).toBe('granted');
  expect(await buyer.left()).toEqual({ large: 1_000 });
  await fair(buyer);
});

test('time that passes between offer and payment is counted when it is paid', async () => {
  const buyer = await world.buyer();
  const first = await buyer.buy('small');
  const offer = await buyer.offer('large', 'small');
  await world.sql`WITH past AS (
      UPDATE shop.purchase SET period_start = period_start - interval '15 days', period_end = period_end - interval '15 days' WHERE id = ${first} RETURNING *
    ), renewed AS (
      UPDATE shop.subscription s SET period_start = p.period_start, period_end = p.period_end, anchor = p.period_start FROM past p WHERE s.id = p.subscription_id
    )
    UPDATE ledger.lot k SET resets_at = past.period_end, expires_at = past.period_end
      FROM past JOIN ledger.posting p ON p.key = 'purchase:' || past.id WHERE k.account_id = p.account_id AND k.id = p.lot_id`;
  expect(await offer?.pay(0, 'spt_1')).toBe('granted');
  const { large = 0 } = await buyer.left();
  // 30.01 USD were paid, and about half of the 10.00 USD is used up.
  expect(large).toBeGreaterThan(860);
  expect(large).toBeLessThan(890);
});

test('an upgrade that is in no book is entered again as it was offered, by what its payment says', async () => {
  const buyer = await world.buyer();
  await buyer.buy('small');
  await buyer.use(0, 40);
  const offer = await buyer.offer('large', 'small');
  const order = offer?.order ?? '';
  const offered = await buyer.find(order);
  await buyer.openPage(0, order);
  await buyer.payPage(order);
  await world.sql`DELETE FROM shop.purchase WHERE id = ${order}`;
  await buyer.notices(0);
  await buyer.enterAgain();
  const { account, plan, amount, period } = offered ?? {};
  expect(await buyer.find(order)).toMatchObject({ account, plan, amount, period, state: 'offered' });
  buyer.processor.payLate((await buyer.find(order)) ?? (offered as never));
  await buyer.notices(1);
  expect((await buyer.left()).large).toBeGreaterThanOrEqual(1_000);
});

describe('money that goes back', () => {
  async function upgraded(): Promise<{ buyer: World.Buyer; first: string; second: string; third: string }> {
    const buyer = await world.buyer();
    const first = await buyer.buy('mini');
    const second = await buyer.buy('small', 'mini');
    const third = await buyer.buy('large', 'small');
    expect(await buyer.left()).toEqual({ large: 1_000 });
    return { buyer, first, second, third };
  }

  test('of a period that was taken over takes its share of the new units, through three tiers', async () => {
    const { buyer, first, second } = await upgraded();
    await refund(buyer, first, 250);
    // The price of the replaced period was rounded down to the cent at each step.
    const { large = 0 } = await buyer.left();
    expect(large).toBeGreaterThanOrEqual(937);
    expect(large).toBeLessThanOrEqual(938);
    const paid = (await buyer.find(second))?.amount ?? 0;
    await refund(buyer, second, paid / 10_000);
    expect((await buyer.left()).large).toBeLessThanOrEqual(Math.ceil(large - paid / 40_000) + 1);
    await fair(buyer);
  });

  test('of the upgrade takes what was paid by it, and no more', async () => {
    const { buyer, third } = await upgraded();
    const paid = (await buyer.find(third))?.amount ?? 0;
    await refund(buyer, third, paid / 10_000);
    expect((await buyer.left()).large).toBe(1_000 - Math.floor(paid / 40_000));
    await fair(buyer);
  });

  test('and was spent is told as a loss of the payment that went back', async () => {
    const { buyer, first, third } = await upgraded();
    await buyer.use(0, 950);
    await refund(buyer, first, 500);
    const [loss] = await world.sql`SELECT loss, pending FROM shop.reversal_losses(${first})`;
    const [other] = await world.sql`SELECT loss, pending FROM shop.reversal_losses(${third})`;
    await fair(buyer);
    const account = await buyer.rest();
    expect(account.left).toBe(0);
    // Of 5.00 USD, 50 units of 0.04 USD were left.
    expect(account.lossTold).toBeGreaterThan(2_900_000);
    expect(account.lossTold).toBeLessThanOrEqual(3_000_000);
    expect(Number(loss?.loss) + Number(loss?.pending)).toBeGreaterThan(2_900_000);
    expect(other).toEqual({ loss: 0, pending: 0 });
  });

  test('after a dispute of a replaced period is won, is there again in the new one', async () => {
    const { buyer, first } = await upgraded();
    const dispute = buyer.processor.goBack(
      'dispute',
      await paymentOf(buyer, first),
      usd(500),
      'needs_response',
      true,
    );
    await buyer.notices(0);
    expect((await buyer.left()).large).toBeLessThan(880);
    buyer.processor.turn(dispute.id, 'won', false);
    await buyer.notices(1);
    expect(await buyer.left()).toEqual({ large: 1_000 });
    await fair(buyer);
  });

  test('before the upgrade and returned after it, is there in the new period', async () => {
    const buyer = await world.buyer();
    const first = await buyer.buy('small');
    const dispute = buyer.processor.goBack(
      'dispute',
      await paymentOf(buyer, first),
      usd(500),
      'needs_response',
      true,
    );
    await buyer.notices(0);
    expect(await buyer.left()).toEqual({ small: 50 });
    await buyer.buy('large', 'small');
    buyer.processor.turn(dispute.id, 'won', false);
    await buyer.notices(1);
    expect(await buyer.left()).toEqual({ large: 1_125 });
    await fair(buyer);
  });
});
