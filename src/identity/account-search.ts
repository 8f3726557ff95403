import type { Money } from '../kernel/money.ts';

/** An account as the seller finds it. */
export type Found = {
  id: string;
  email: string | null;
  createdMs: number;
  /** Since when it may do nothing but look; null where it may. */
  frozenMs: number | null;
  /** The account that it is a part of by now. */
  joinedTo: string | null;
  /** What it paid in all. */
  paid: Money;
};

/** What the seller may type to find an account. */
export type Query =
  | { kind: 'id'; id: string }
  | { kind: 'call'; call: string }
  | { kind: 'email'; prefix: string };

const textCharsMax = 200;

/**
 * Reads what was typed: a call's id; any other id (`acc_`, `pur_`, `pi_`, `cus_`, `sub_`, `re_`, `key_`, a wallet); else the beginning of
 * an email address. Null for nothing.
 */
export function read(typed: string): Query | null {
  const text = typed.trim().slice(0, textCharsMax);
  if (text === '') return null;
  const call = /^(?:call_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text)?.[1];
  if (call !== undefined) return { kind: 'call', call };
  if (/^[a-z]{2,6}_\w+(:\w+)?$/.test(text)) return { kind: 'id', id: text };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { kind: 'id', id: text.toLowerCase() };
  return { kind: 'email', prefix: text.toLowerCase() };
}

/** Accounts, over all of them. */
export interface AccountSearch {
  /** The newest first, at most `max`, after the account `after`. */
  newest(after: string | null, max: number): Promise<Found[]>;
  find(query: Query, max: number): Promise<Found[]>;
  /** How many were made since a moment, by registration or purchase. */
  madeSince(sinceMs: number): Promise<number>;
}
