import { holdMs } from './revocation-list.ts';

const joinsMax = 100_000;

/**
 * Accounts that were joined to another account, kept in memory for the life of an access token: an assertion that is exchanged later
 * yields a token of the remaining account. The database keeps the joins permanently.
 */
export type Joins = {
  young: Map<string, string>;
  old: Map<string, string>;
  turnedMs: number;
  readonly joinsMax: number;
};

/** A join: `from` is part of `to`. */
export type Join = { from: string; to: string };

export function create(nowMs: number, max: number = joinsMax): Joins {
  return { young: new Map(), old: new Map(), turnedMs: nowMs, joinsMax: max };
}

/** Adds a join. Returns false when the list was full and older joins have been dropped. */
export function add(joins: Joins, { from, to }: Join, nowMs: number): boolean {
  const isFull = joins.young.size >= joins.joinsMax;
  if (isFull || nowMs - joins.turnedMs >= holdMs) {
    joins.old = isFull ? new Map() : joins.young;
    joins.young = new Map();
    joins.turnedMs = nowMs;
  }
  joins.young.set(from, to);
  return !isFull;
}

/** Returns the account that `account` was joined to, directly or over several joins. Joins are never undone, so there is no cycle. */
export function resolve(joins: Joins, account: string): string {
  const next = joins.young.get(account) ?? joins.old.get(account);
  return next === undefined ? account : resolve(joins, next);
}
