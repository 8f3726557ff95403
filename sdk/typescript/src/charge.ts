import type { CallRecord } from './account-records.ts';

/** The charge of a storefront for a response. Amounts are decimals in USD. */
export interface Charge {
  /** Id of the call, for receipts and `GET /account/calls/{id}`. */
  call: string;
  cost_usd: string | null;
  /** Credit after the call; null for a stream. */
  balance_usd: string | null;
  /** Counted units; null for a service with several meters. */
  units: number | null;
  /** The plans that paid. */
  plan: string | null;
}

const charges = new WeakMap<object, Charge>();

/**
 * Returns the charge of a storefront for a response or a page; null for any other object, and for responses of the data API.
 *
 * ```ts
 * import { charge, Sluice } from 'sluice-client';
 * const sluice = new Sluice();
 * const page = await sluice.jobs.search({ max_results: 10 });
 * console.log(charge(page)?.cost_usd, charge(page)?.balance_usd);
 * ```
 */
export function charge(response: object): Charge | null {
  return charges.get(response) ?? null;
}

/** Reads the charge that the headers of a response state; null if they state none. */
export function read(headers: Headers): Charge | null {
  const call = headers.get('storefront-call');
  if (call === null) return null;
  const units = headers.get('storefront-units');
  return {
    call,
    cost_usd: headers.get('storefront-cost-usd'),
    balance_usd: headers.get('storefront-balance-usd'),
    units: units === null ? null : Number(units),
    plan: headers.get('storefront-plan'),
  };
}

/** Returns the charge that a record of the call states. */
export function ofRecord({ call, cost_usd, units, quantities, plans }: CallRecord): Charge {
  return {
    call,
    cost_usd,
    balance_usd: null,
    units: quantities ? null : units,
    plan: plans.join(', ') || null,
  };
}

/** Keeps the charge of a response, for `charge`. */
export function keep(response: object, headers: Headers): void {
  const found = read(headers);
  if (found !== null) charges.set(response, found);
}
