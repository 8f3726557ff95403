import * as Money from '@sluice/kernel/money';
import { costPlaces, type Meter } from './meter-prices.ts';

/**
 * Exact prices and costs. Amounts are whole numbers of 10^-30 USD, so that no price, quantity or markup is ever rounded;
 * only the cost of a whole call is rounded, once, up to a micro-dollar.
 */

/** Decimal places of an exact amount. */
const places = 30;
/** 10^-30 USD in a micro-dollar. */
const perMicro = 10n ** BigInt(places - 6);
/** A markup is in hundredths of a percent. */
const whole = 10_000;

type Parts = readonly Pick<Meter, 'outer'>[];

/** Returns the exact price of one unit, for a price in USD (a decimal) for `per` units: a power of ten up to 10^18. */
export function rateOf(usd: string, per: number): bigint {
  const [integer = '', fraction = ''] = usd.split('.');
  const exact = BigInt(integer + fraction) * 10n ** BigInt(places - fraction.length);
  return exact / BigInt(per);
}

/** Returns the exact price of 10^-24 USD of an upstream's own price, with a markup in hundredths of a percent. */
export function rateOfCost(markup: number): bigint {
  return BigInt(whole + markup) * 10n ** BigInt(places - costPlaces - 4);
}

/**
 * Returns the cost of a call: quantity times rate over all meters, rounded up once to a micro-dollar. The parts of a meter are subtracted
 * from it first, never below zero. Returns null when the cost exceeds what an amount of money may be.
 */
export function costOf(
  meters: Parts,
  rates: readonly bigint[],
  quantities: readonly bigint[],
): Money.Money | null {
  const billed = [...quantities];
  for (const [at, { outer }] of meters.entries())
    if (outer >= 0) billed[outer] = (billed[outer] ?? 0n) - (quantities[at] ?? 0n);
  const exact = billed.reduce(
    (sum, quantity, at) => (quantity > 0n ? sum + quantity * (rates[at] ?? 0n) : sum),
    0n,
  );
  return roundedUp(exact);
}

/**
 * Returns the highest cost of any call whose quantities are at most `maxima`, however a meter is split into its parts: a part may cost more or
 * less than the meter it is subtracted from.
 */
export function worstCost(
  meters: Parts,
  rates: readonly bigint[],
  maxima: readonly bigint[],
): Money.Money | null {
  const roots = meters.flatMap(({ outer }, at) => (outer < 0 ? [at] : []));
  return roundedUp(roots.reduce((sum, at) => sum + dearest(at, 0n), 0n));

  /**
   * The cost is a sum of max(0, quantity minus parts) times rate: it is convex, so it is highest where each quantity is zero or its maximum,
   * and where each meter is either charged for its rest or used up by its parts.
   * @param saved the price that a unit of this meter saves in the meter around it
   */
  function dearest(at: number, saved: bigint): bigint {
    const rate = rates[at] ?? 0n;
    const parts = meters.flatMap(({ outer }, part) => (outer === at ? [part] : []));
    const most = maxima[at] ?? 0n;
    const charged =
      most * positive(rate - saved) + parts.reduce((sum, part) => sum + dearest(part, rate), 0n);
    if (parts.length === 0) return charged;
    // Used up by its parts, this meter itself costs nothing, and what it saves in the meter around it does not raise the cost.
    const usedUp = parts.reduce((sum, part) => sum + dearest(part, 0n), 0n);
    return charged > usedUp ? charged : usedUp;
  }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

function roundedUp(exact: bigint): Money.Money | null {
  const micro = (exact + perMicro - 1n) / perMicro;
  return micro <= BigInt(Money.usdMax) * 1_000_000n ? Money.ofMicro(Number(micro)) : null;
}

/** Reads a JSON number as a quantity of 10^-24 USD, exactly; digits beyond that are rounded up. Returns null when it is negative or too large. */
export function exactUsd(number: string): bigint | null {
  const read = /^(\d{1,40})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,4}))?$/.exec(number);
  if (read === null) return null;
  const [, integer = '', fraction = '', exponent = '0'] = read;
  const digits = BigInt(integer + fraction);
  const shift = costPlaces + Number(exponent) - fraction.length;
  if (digits === 0n) return 0n;
  if (shift > 100) return null;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
}
