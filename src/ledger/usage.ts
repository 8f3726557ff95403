import type { Money } from '../kernel/money.ts';
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

/** What may be asked for of what was used. */
export const groups = ['service', 'operation', 'plan', 'key', 'day'] as const;
export type Group = (typeof groups)[number];

/** What was used of one service, operation, plan, key or day; `name` is null for calls without a key, or that cost nothing of a plan. */
export type Sum = { name: string | null; calls: number; units: number; included: number; cost: Money };

/** Units of one service on one day (UTC, `2030-01-31`). */
export type Daily = { day: string; service: string; units: number };

/** One call as its account sees it. What was given back cost nothing. */
export type Call = {
  callId: string;
  atMs: number;
  service: string;
  operation: string;
  status: number;
  plans: string[];
  key: string | null;
  units: number;
  included: number;
  cost: Money;
  isReturned: boolean;
};

/** What accounts used, as the books have it. */
export interface UsageRecord {
  sums(account: string, fromMs: number, toMs: number, group: Group): Promise<Sum[]>;
  /** By day and service; days and services without units are left out. */
  daily(account: string, fromMs: number, toMs: number): Promise<Daily[]>;
  /** The newest first, from the one before `before`. */
  calls(account: string, fromMs: number, toMs: number, before: string | null, max: number): Promise<Call[]>;
}

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
