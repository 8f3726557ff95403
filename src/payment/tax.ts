import type { JsonObject } from './canonical-json.ts';

/** The buyer's location for tax: the billing address that they sent, or the IP address of their request. */
export type TaxLocation = { address: BillingAddress } | { ip: string };

/** The tax on an amount for a place, in micro-dollars. */
export type QuotedTax = { place: TaxLocation; tax: number };

export type BillingAddress = { country: string; postalCode: string | null; state: string | null };

/** Members of `billing_address` in the body of a purchase. */
const members = ['country', 'postal_code', 'state'];
const partCharsMax = 100;

/** Reads `billing_address`. Returns null when it is absent, undefined when it is invalid. */
export function readAddress(value: unknown): BillingAddress | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const given = value as JsonObject;
  if (Object.keys(given).some((name) => !members.includes(name))) return undefined;
  const { country, postal_code = null, state = null } = given;
  const isPart = (part: unknown) =>
    part === null || (typeof part === 'string' && part !== '' && part.length <= partCharsMax);
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return undefined;
  if (!isPart(postal_code) || !isPart(state)) return undefined;
  return { country, postalCode: postal_code as string | null, state: state as string | null };
}
