import type { Stripe } from 'stripe';

/** A place as tax is calculated for it. */
export type Place = { country: string; postal_code?: string | null | undefined };

/** Tax rates in percent by country; elsewhere the sandbox is not registered and collects none. */
const percentages: ReadonlyMap<string, number> = new Map([
  ['AT', 20],
  ['DE', 19],
  ['FR', 20],
  ['GB', 20],
  ['IE', 23],
]);
/** The addresses that are reserved for documentation, by the country that the sandbox takes them for. */
const documented: readonly [string, string][] = [
  ['203.0.113.', 'DE'],
  ['198.51.100.', 'FR'],
  ['192.0.2.', 'JP'],
];

export type Rate = {
  percentage: number;
  country: string;
  reason: 'standard_rated' | 'reverse_charge' | 'not_collecting';
};

/** The place of an internet address; null where it has none, as addresses of a private network. */
export function placeOfIp(address: string): Place | null {
  const country = documented.find(([prefix]) => address.startsWith(prefix))?.[1];
  return country === undefined ? null : { country };
}

/** Says whether a place is known well enough: in the United States tax depends on the postal code. */
export function isLocated(place: Place | null): place is Place {
  return place !== null && (place.country !== 'US' || Boolean(place.postal_code));
}

/** Returns the tax rate for a buyer in a place. A business with a tax id accounts for the tax itself. */
export function rateOf({ country }: Place, hasTaxId: boolean): Rate {
  const percentage = percentages.get(country);
  if (percentage === undefined) return { percentage: 0, country, reason: 'not_collecting' };
  if (hasTaxId) return { percentage: 0, country, reason: 'reverse_charge' };
  return { percentage, country, reason: 'standard_rated' };
}

/** Tax on an amount in minor units, which may be negative; rounded half away from zero. */
export function on(amount: number, { percentage }: Rate): number {
  return Math.sign(amount) * Math.round((Math.abs(amount) * percentage) / 100);
}

/** A place as the address of a customer. */
export function addressOf({ country, postal_code = null }: Place): Stripe.Address {
  return { city: null, country, line1: null, line2: null, postal_code, state: null };
}
