import type { Money } from '../kernel/money.ts';
import { type Lot, serves } from './lot.ts';

/** How one lot bears a part of a call, in the lot's asset. */
export type Draw = { lot: Lot; amount: number };

/** How one lot bore a part of a finished call: `units` of the call's results, `amount` of the lot's asset. */
export type Charge = { lot: Lot; units: number; amount: number };

export type Drawn = { kind: 'drawn'; draws: Draw[] } | { kind: 'short'; units: number };

/**
 * Finds what a call of `units` at `price` would draw, in burn order (`lots` stand in it: units before money), from what
 * the lane has free. `short` says how many units it must first set aside: also when a later lot could bear them,
 * as an earlier one that still has something must burn first.
 */
export function draw(
  lots: readonly Lot[],
  plans: readonly string[],
  price: Money,
  units: number,
  nowMs: number,
): Drawn {
  const draws: Draw[] = [];
  if (price === 0) return { kind: 'drawn', draws };
  let leftUnits = units;
  let leftMoney: number | null = null;
  for (const lot of lots) {
    if (leftUnits === 0 || leftMoney === 0) break;
    if (!serves(lot, plans, nowMs)) continue;
    if (lot.asset === 'usd') leftMoney ??= leftUnits * price;
    const left = leftMoney ?? leftUnits;
    const amount = Math.min(lot.free, left);
    if (amount < left && lot.avail > 0)
      return { kind: 'short', units: inUnits(left - amount, leftMoney, price) };
    if (amount > 0) draws.push({ lot, amount });
    if (leftMoney === null) leftUnits -= amount;
    else leftMoney -= amount;
  }
  const left = leftMoney ?? leftUnits;
  return left === 0 ? { kind: 'drawn', draws } : { kind: 'short', units: inUnits(left, leftMoney, price) };
}

function inUnits(left: number, leftMoney: number | null, price: Money): number {
  return leftMoney === null ? left : Math.ceil(left / price);
}

/**
 * Splits what a call really cost over what it held, in the same order. The units that money pays for are counted at the
 * first lot of money that bears them. Lots that bear nothing are left out. `units` is at most what was held for.
 */
export function charge(draws: readonly Draw[], price: Money, units: number): Charge[] {
  const charges: Charge[] = [];
  let left = units;
  let money: number | null = null;
  for (const { lot, amount } of draws) {
    if (left === 0 && (money ?? 0) === 0) break;
    if (lot.asset === 'unit') {
      const borne = Math.min(amount, left);
      charges.push({ lot, units: borne, amount: borne });
      left -= borne;
      continue;
    }
    money ??= left * price;
    const borne = Math.min(amount, money);
    charges.push({ lot, units: left, amount: borne });
    left = 0;
    money -= borne;
  }
  if (left !== 0 || (money ?? 0) !== 0) throw new RangeError('a call cost more than it held');
  return charges;
}

/** What lots are worth to a call at `price`: whole units, and their value in micro-dollars. */
export function worth(
  lots: readonly Lot[],
  plans: readonly string[],
  price: Money,
  nowMs: number,
  count: (lot: Lot) => number,
): { units: number; money: number } {
  let units = 0;
  let money = 0;
  for (const lot of lots) {
    if (!serves(lot, plans, nowMs)) continue;
    if (lot.asset === 'unit') units += count(lot);
    else money += count(lot);
  }
  return { units: units + (price === 0 ? 0 : Math.floor(money / price)), money: money + units * price };
}
