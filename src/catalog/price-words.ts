import * as Money from '@sluice/kernel/money';
import * as MeterPrices from './meter-prices.ts';
import type { Service } from './service.ts';

/** The fields of a JSON document that state the price of a unit: empty for a service with meters, whose price is not one number. */
export function unitPrice({ metering, price, unit }: Service): { unit?: string; price_usd?: string } {
  return metering === undefined ? { unit, price_usd: Money.format(price) } : {};
}

/** States the price of a service in words, in English: `0.001 USD a result`, `$0.15 per 1M input tokens, $0.60 per 1M output tokens`. */
export function priceInWords({ metering, price, unit }: Service): string {
  if (metering !== undefined) return MeterPrices.inWords(metering);
  return price === 0 ? 'free' : `${Money.format(price)} USD ${aUnit(unit)}`;
}

/** Returns a unit with the indefinite article: `a result`, `an image`. */
export function aUnit(unit: string): string {
  return `${/^[aeiou]/i.test(unit) ? 'an' : 'a'} ${unit}`;
}
