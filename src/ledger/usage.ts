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
  /** The account's own key that the call was made with. */
  key: string | null;
};

/** The rows of a finished call: one for each lot that bore of it, or the one that says that it cost nothing; then that of its budget. */
export function rows(
  hold: Hold,
  charges: readonly Charge[],
  capped: readonly Charge[],
  outcome: Outcome,
): Usage[] {
  const { callId, account, price } = hold;
  const { service, operation, status } = outcome;
  const call = { callId, account, service, operation, status, price, key: hold.key?.id ?? null };
  if (charges.length === 0) return [{ ...call, draw: 0, lot: null, plan: null, units: 0, amount: 0 }];
  return [...charges, ...capped].map(({ lot, units, amount }, draw) => ({
    ...call,
    account: draw < charges.length ? account : (hold.cap?.account ?? account),
    draw,
    lot: lot.id,
    plan: lot.plan,
    units,
    amount,
  }));
}
