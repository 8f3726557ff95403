import type { Charge } from './burn.ts';
import type { Hold, Outcome } from './hold.ts';

/** One row of usage: what one lot bore of one call. `lot` is null for a call that cost nothing. */
export type Usage = {
  callId: string;
  draw: number;
  account: string;
  lot: number | null;
  plan: string | null;
  service: string;
  operation: string;
  status: number;
  units: number;
  price: number;
  amount: number;
};

/** The rows of a finished call: one for each lot that bore of it, or the one that says that it cost nothing. */
export function rows(hold: Hold, charges: readonly Charge[], outcome: Outcome): Usage[] {
  const { callId, account, price } = hold;
  const { service, operation, status } = outcome;
  const call = { callId, account, service, operation, status, price };
  if (charges.length === 0) return [{ ...call, draw: 0, lot: null, plan: null, units: 0, amount: 0 }];
  return charges.map(({ lot, units, amount }, draw) => ({
    ...call,
    draw,
    lot: lot.id,
    plan: lot.plan,
    units,
    amount,
  }));
}
