import { ofMicro } from '@sluice/kernel/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as DrawDown from '../../src/ledger/draw-down.ts';
import * as Lot from '../../src/ledger/lot.ts';

const nowMs = 1_000_000;
const plans = ['p'];

/** Lots in burn order: units before money. */
const lots = fc
  .array(
    fc.record({
      asset: fc.constantFrom('unit' as const, 'usd' as const),
      plan: fc.constantFrom('p', 'p', 'p', 'q'),
      expiresMs: fc.constantFrom(null, null, nowMs - 1, nowMs, nowMs + 1),
      avail: fc.constantFrom(0, 0, 3, 5_000),
      others: fc.nat(5_000),
      free: fc.oneof(fc.nat(12), fc.nat(20_000)),
      held: fc.nat(50),
    }),
    { maxLength: 6 },
  )
  .map((some) =>
    some
      .sort((a, b) => Number(a.asset === 'usd') - Number(b.asset === 'usd'))
      .map((lot, id): Lot.Lot => ({ ...lot, id, kind: 'grant' })),
  );
const price = fc.constantFrom(0, 1, 7, 1_000).map(ofMicro);
const units = fc.nat(40);

/** Returns the value of draws in micro-dollars; a unit is worth the call's price. */
const worth = (parts: readonly { lot: Lot.Lot; amount: number }[], price: number) =>
  parts.reduce((sum, { lot, amount }) => sum + (lot.asset === 'unit' ? amount * price : amount), 0);
/** Lots whose whole remaining amount is leased to the writer: a call either fits in the lease or is refused. */
const closed = (some: readonly Lot.Lot[]) => some.map((lot) => ({ ...lot, avail: 0 }));

test('draws exactly what a call can cost, never more of a lot than is free, and only of lots that serve it', () => {
  fc.assert(
    fc.property(lots, price, units, (some, price, units) => {
      const drawn = DrawDown.draw(some, { plans, price }, units, nowMs);
      if (drawn.kind === 'short') return;
      expect(worth(drawn.draws, price)).toBe(units * price);
      expect(new Set(drawn.draws.map(({ lot }) => lot)).size).toBe(drawn.draws.length);
      for (const { lot, amount } of drawn.draws) {
        expect(amount).toBeGreaterThan(0);
        expect(amount).toBeLessThanOrEqual(lot.free);
        expect(Lot.serves(lot, { plans, price }, nowMs)).toBe(true);
      }
    }),
  );
});

test('is short only where the writer has too little of a lot that could give more, or of all', () => {
  fc.assert(
    fc.property(lots, price, units, (some, price, units) => {
      const free = DrawDown.worth(some, { plans, price }, nowMs, (lot) => lot.free);
      const alone = DrawDown.draw(closed(some), { plans, price }, units, nowMs);
      expect(alone.kind).toBe(free.money >= units * price ? 'drawn' : 'short');
      if (alone.kind === 'short') expect(alone.units).toBe(units - Math.floor(free.money / price));
      const drawn = DrawDown.draw(some, { plans, price }, units, nowMs);
      if (alone.kind === 'short') expect(drawn.kind).toBe('short');
      if (drawn.kind === 'short') expect(drawn.units).toBeGreaterThan(0);
    }),
  );
});

test('empties a lot before it draws on the next, in the books too', () => {
  fc.assert(
    fc.property(lots, price, units, (some, price, units) => {
      const drawn = DrawDown.draw(some, { plans, price }, units, nowMs);
      if (drawn.kind === 'short') return;
      const last = drawn.draws.at(-1)?.lot.id ?? -1;
      for (const lot of some) {
        if (lot.id >= last || !Lot.serves(lot, { plans, price }, nowMs)) continue;
        expect(lot.avail).toBe(0);
        expect(drawn.draws.find((draw) => draw.lot === lot)?.amount ?? 0).toBe(lot.free);
      }
    }),
  );
});

test('splits what a call cost over what it held, to the micro-dollar and in the same order', () => {
  fc.assert(
    fc.property(lots, price, units, fc.nat(40), (some, price, units, counted) => {
      const drawn = DrawDown.draw(closed(some), { plans, price }, units, nowMs);
      if (drawn.kind === 'short' || price === 0) return;
      const used = Math.min(counted, units);
      const charges = DrawDown.charge(drawn.draws, price, used);
      expect(worth(charges, price)).toBe(used * price);
      expect(charges.reduce((sum, { units }) => sum + units, 0)).toBe(used);
      const held = new Map(drawn.draws.map(({ lot, amount }) => [lot, amount]));
      for (const { lot, units, amount } of charges) {
        expect(amount).toBeGreaterThan(0);
        expect(amount).toBeLessThanOrEqual(held.get(lot) ?? 0);
        expect(Number.isInteger(units)).toBe(true);
        if (lot.asset === 'unit') expect(units).toBe(amount);
      }
      expect(charges.map(({ lot }) => lot)).toEqual(
        drawn.draws.map(({ lot }) => lot).slice(0, charges.length),
      );
    }),
  );
});

test('refuses to charge more than was held', () => {
  const lot: Lot.Lot = {
    id: 1,
    asset: 'usd',
    kind: 'credit',
    plan: 'p',
    expiresMs: null,
    avail: 0,
    others: 0,
    free: 0,
    held: 0,
  };
  expect(() => DrawDown.charge([{ lot, amount: 2_000 }], ofMicro(1_000), 3)).toThrow(RangeError);
});

test('pays a call that is priced in money with money only', () => {
  fc.assert(
    fc.property(lots, price, units, (some, price, units) => {
      const terms = { plans, price, moneyOnly: true };
      const money = some.filter(({ asset }) => asset === 'usd');
      expect(DrawDown.draw(some, terms, units, nowMs)).toEqual(DrawDown.draw(money, terms, units, nowMs));
      expect(DrawDown.worth(some, terms, nowMs, (lot) => lot.free)).toEqual(
        DrawDown.worth(money, terms, nowMs, (lot) => lot.free),
      );
    }),
  );
});

test('takes nothing for a call without a price', () => {
  fc.assert(
    fc.property(lots, units, (some, units) => {
      expect(DrawDown.draw(some, { plans, price: ofMicro(0) }, units, nowMs)).toEqual({
        kind: 'drawn',
        draws: [],
      });
    }),
  );
});
