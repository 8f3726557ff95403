import type { Money } from '@sluice/kernel/money';
import { type DrawTerms, type Lot, serves } from './lot.ts';

/** The part of a call that is drawn from one lot, in the lot's asset. */
export type Draw = { lot: Lot; amount: number };

/** The part of a finished call that was charged to one lot: `units` of the call's results, `amount` of the lot's asset. */
export type Charge = { lot: Lot; units: number; amount: number };

export type Drawn = { kind: 'drawn'; draws: Draw[] } | { kind: 'short'; units: number };

/**
 * Returns what a call of `units` on these terms draws from the writer's free leases. `lots` are in burn order: all units before any money, so that
 * the units that pay for a part of a call are whole ones (`grant_lot` sets the order). `short` is the
 * number of units to lease first. It is also returned if a later lot has enough, because an earlier lot with a balance must be used first.
 */
export function draw(lots: readonly Lot[], terms: DrawTerms, units: number, nowMs: number): Drawn {
  const { price } = terms;
  const draws: Draw[] = [];
  if (price === 0) return { kind: 'drawn', draws };
  let leftUnits = units;
  let leftMoney: number | null = null;
  for (const lot of lots) {
    if (leftUnits === 0 || leftMoney === 0) break;
    if (!serves(lot, terms, nowMs)) continue;
    if (lot.asset === 'usd') leftMoney ??= leftUnits * price;
    const left = leftMoney ?? leftUnits;
    const amount = Math.min(lot.free, left);
    if (amount < left && lot.avail > 0 && lot.paused !== true)
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
 * Splits the actual cost of a call over its hold, in the same order. Units that are paid with money are counted at the first lot of money
 * charged. Lots without a charge are left out. `units` is at most the number that was held.
 */
export function charge(draws: readonly Draw[], price: Money, units: number): Charge[] {
  const charges: Charge[] = [];
  let left = units;
  let money: number | null = null;
  for (const { lot, amount } of draws) {
    if (left === 0 && (money ?? 0) === 0) break;
    if (lot.asset === 'unit') {
      const charged = Math.min(amount, left);
      charges.push({ lot, units: charged, amount: charged });
      left -= charged;
      continue;
    }
    money ??= left * price;
    const charged = Math.min(amount, money);
    charges.push({ lot, units: left, amount: charged });
    left = 0;
    money -= charged;
  }
  if (left !== 0 || (money ?? 0) !== 0) throw new RangeError('a call cost more than it held');
  return charges;
}

/** Returns the worth of lots for calls at `price`: whole units, and their value in micro-dollars. */
export function worth(
  lots: readonly Lot[],
  terms: DrawTerms,
  nowMs: number,
  count: (lot: Lot) => number,
): { units: number; money: number } {
  const { price } = terms;
  let units = 0;
  let money = 0;
  for (const lot of lots) {
    if (!serves(lot, terms, nowMs)) continue;
    if (lot.asset === 'unit') units += count(lot);
    else money += count(lot);
  }
  return { units: units + (price === 0 ? 0 : Math.floor(money / price)), money: money + units * price };
}
