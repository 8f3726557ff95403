import * as Money from '@sluice/kernel/money';

/** The contents of a trial or of one period of a subscription: units, or usage in micro-dollars. A lot of that asset is granted. */
export type Included = { readonly asset: 'unit' | 'usd'; readonly amount: number };

/** Returns the included units; null when dollars are included. */
export function units({ asset, amount }: Included): number | null {
  return asset === 'unit' ? amount : null;
}

/** Returns the included dollars as a decimal, such as `20.00`; null when units are included. */
export function usd({ asset, amount }: Included): string | null {
  return asset === 'usd' ? Money.format(Money.ofMicro(amount)) : null;
}

/** Describes it in English: `25 units`, `200,000 results`, `20.00 USD of usage`. `unit` is in the singular. */
export function describe(included: Included, unit = 'unit'): string {
  const dollars = usd(included);
  if (dollars !== null) return `${dollars} USD of usage`;
  return `${included.amount.toLocaleString('en')} ${unit}${included.amount === 1 ? '' : 's'}`;
}

/** Returns an amount in the same asset. */
export function another({ asset }: Included, amount: number): Included {
  return { asset, amount };
}

/** Returns the members of an API response: `included` (units, or null), and `included_usd` when dollars are included. */
export function members(included: Included): { included: number | null; included_usd?: string } {
  const dollars = usd(included);
  return { included: units(included), ...(dollars !== null && { included_usd: dollars }) };
}

/** Returns what is left of a new trial, as the members of an API response. */
export function remainingMembers(included: Included) {
  const { included: left, included_usd: dollars } = members(included);
  return { included_remaining: left, ...(dollars !== undefined && { included_usd: dollars }) };
}
