import type { Measured } from './hold.ts';

/** The quantity of each meter. */
export type Quantities = Readonly<Record<string, number>>;

/** The measurements that a usage row stores. A further row of a call has its price key, no quantities, and an upstream cost of 0. */
export type Metered = { quantities: Quantities | null; priceKey: string | null; upstreamCost: number | null };

/** The price key may be text of the caller. */
const priceKeyCharsMax = 200;

/**
 * Returns the measurements that the first row of a call stores; null for a call that is not metered. One row that the database rejects would fail the calls of its
 * whole batch, so a text that it cannot store is changed, and a figure that is not a number of zero or more is left out.
 */
export function of({ quantities, priceKey, upstreamCost }: Measured): Metered | null {
  if (quantities === undefined && priceKey === undefined && upstreamCost === undefined) return null;
  return {
    quantities: quantities === undefined ? null : storable(quantities),
    priceKey: priceKey === undefined ? null : text(priceKey).slice(0, priceKeyCharsMax).toWellFormed(),
    upstreamCost:
      upstreamCost !== undefined && Number.isSafeInteger(upstreamCost) && upstreamCost >= 0
        ? upstreamCost
        : null,
  };
}

/** Returns the measurements that a further row of the call stores. */
export function further({ priceKey, upstreamCost }: Metered): Metered {
  return { quantities: null, priceKey, upstreamCost: upstreamCost === null ? null : 0 };
}

/** Returns the JSON of `ledger.usage_rows`. Missing members become null in SQL. */
export function encode({ quantities, priceKey, upstreamCost }: Metered): string {
  return JSON.stringify({
    quantities: quantities ?? undefined,
    price_key: priceKey ?? undefined,
    upstream_cost: upstreamCost ?? undefined,
  });
}

function storable(quantities: Quantities): Quantities {
  const found = Object.entries(quantities).filter(([, value]) => Number.isFinite(value) && value >= 0);
  return Object.fromEntries(found.map(([meter, value]) => [text(meter), value]));
}

/** Replaces characters that PostgreSQL cannot store in text: NUL, and halves of surrogate pairs. */
function text(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\ufffd');
}
