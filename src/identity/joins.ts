import { holdMs } from './revocation-list.ts';

const joinsMax = 100_000;

/**
 * Accounts that have become a part of another one, for as long as an access token can name them: whoever exchanges his
 * assertion later gets a token of the account that remains. The database keeps the record.
 */
export type Joins = {
  young: Map<string, string>;
  old: Map<string, string>;
  turnedMs: number;
  readonly joinsMax: number;
};

/** A join on record. */
export type Join = { from: string; to: string };

export function create(nowMs: number, max: number = joinsMax): Joins {
  return { young: new Map(), old: new Map(), turnedMs: nowMs, joinsMax: max };
}

/** From now on `from` is a part of `to`. False where the list is full, and has forgotten what it knew before. */
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

/** The account that remains of `account`. What joined twice is followed: a join is never undone, so there is no circle. */
export function resolve(joins: Joins, account: string): string {
  const next = joins.young.get(account) ?? joins.old.get(account);
  return next === undefined ? account : resolve(joins, next);
}
