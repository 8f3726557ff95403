import * as Money from '@sluice/kernel/money';
import type { Service } from '../../catalog/service.ts';
import type { Texts } from '../../text/texts.ts';

/** Prices below a cent are named by the thousand. */
const centMicroUsd = 10_000;
/** Smaller amounts are not rounded to cents. */
const roundedMicroUsdMin = 50_000;

/** The units that a price is for. */
type Size = 1 | 1_000;

/** Returns the number of units that a price is named by: 1,000 below a cent, and otherwise one. */
export function sizeOf(microUsd: number): Size {
  return microUsd < centMicroUsd ? 1_000 : 1;
}

/** The price of a service's unit: `1.00 USD per 1,000 results`, or `0.05 USD per result`. */
export function unitPrice(
  texts: Texts,
  { price, unit }: Pick<Service, 'price' | 'unit'>,
  by: Size = sizeOf(price),
): string {
  if (by === 1_000)
    return texts.text('shop.thousand', {
      amount: texts.usd(Money.format(Money.ofMicro(price * 1_000))),
      units: texts.units(unit),
    });
  return texts.text('plans.each', { amount: texts.usd(Money.format(price)), unit: texts.unit(unit) });
}

/**
 * The price of a unit when `quantity` units cost `price`. An amount that is not in whole cents is rounded up and marked as rounded, so that it
 * never promises less than is charged.
 */
export function effectivePrice(
  texts: Texts,
  price: number,
  quantity: number,
  unit: string,
  by: Size = sizeOf(price / quantity),
): string {
  if (by === 1_000) return thousand(texts, (price * 1_000) / quantity, unit);
  const { amount, isRounded } = rounded(texts, price / quantity);
  return texts.text(isRounded ? 'plans.each_about' : 'plans.each', { amount, unit: texts.unit(unit) });
}

function thousand(texts: Texts, microUsd: number, unit: string): string {
  const { amount, isRounded } = rounded(texts, microUsd);
  return texts.text(isRounded ? 'shop.thousand_about' : 'shop.thousand', {
    amount,
    units: texts.units(unit),
  });
}

function rounded(texts: Texts, microUsd: number): { amount: string; isRounded: boolean } {
  const step = microUsd < roundedMicroUsdMin ? 1 : centMicroUsd;
  // Quotients such as 0.1 / 3 are not exact; a millionth of a step is no difference.
  const whole = Math.ceil(Math.round((microUsd / step) * 1e6) / 1e6) * step;
  return {
    amount: texts.usd(Money.format(Money.ofMicro(whole))),
    isRounded: Math.abs(whole - microUsd) > 1e-3,
  };
}
