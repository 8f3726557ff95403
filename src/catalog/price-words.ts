import * as Money from '@sluice/kernel/money';
import * as MeterPrices from './meter-prices.ts';
import type { Operation } from './operation.ts';
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

/** Returns true when no call of the operation can cost anything. */
export function isFreeCall({ service, units, unitsMax }: Operation): boolean {
  const most = unitsMax.kind === 'fixed' ? unitsMax.units : unitsMax.ceiling;
  return service.price === 0 || most === 0 || (units.kind === 'fixed' && units.units === 0);
}

/** States the price of a call in words, in English: the price of its service, or `free`. */
export function callInWords(operation: Operation): string {
  return isFreeCall(operation) ? 'free' : priceInWords(operation.service);
}
