import type { Money } from '@sluice/kernel/money';

/** An account in the seller's search results. */
export type FoundAccount = {
  id: string;
  /** The address to which mails about it go: that of the person whose own account it is, otherwise of its first owner. */
  email: string | null;
  /** The address of the person whose card pays for a plan of it, which was not confirmed here. */
  payerEmail: string | null;
  createdMs: number;
  /** Time since which the account is frozen (read-only); null when it is not. */
  frozenMs: number | null;
  /** The account that this one was joined to, or null. */
  joinedTo: string | null;
  /** Total of its payments, and what refunds and disputes returned of it. */
  paid: Money;
  returned: Money;
};

/** The search terms that the seller can enter. */
export type AccountQuery =
  | { kind: 'id'; id: string }
  | { kind: 'call'; call: string }
  /** Accounts whose id starts with `prefix`. */
  | { kind: 'account'; prefix: string }
  /**
   * Accounts of which a person has an address that starts with `prefix`, accounts whose plan is paid with exactly this address, and accounts
   * whose id starts with `account`, which is null for text that no id contains.
   */
  | { kind: 'email'; prefix: string; account: string | null }
  /** The own account of the person with exactly this address. */
  | { kind: 'owner'; email: string };

const textCharsMax = 200;
/** The digits of the id of an account, after `acc_`. */
const idDigits = 32;
/** Fewer digits are more likely the start of an address. */
const digitsMin = 6;

/**
 * Reads a search term: the id of a call; any other id (`acc_`, `pur_`, `pi_`, `cus_`, `sub_`, `re_`, `key_`, a wallet); the
 * start of an account's id, as lists show it, or of its digits; else the start of an email address. Returns null when it is empty.
 */
export function read(typed: string): AccountQuery | null {
  const text = typed.trim().slice(0, textCharsMax).replace(/…$/, '');
  if (text === '') return null;
  const call = /^(?:call_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text)?.[1];
  if (call !== undefined) return { kind: 'call', call };
  const digits = /^acc_([0-9a-f]+)$/.exec(text)?.[1];
  if (digits !== undefined && digits.length < idDigits) return { kind: 'account', prefix: text };
  if (/^[a-z]{2,6}_\w+(:\w+)?$/.test(text)) return { kind: 'id', id: text };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { kind: 'id', id: text.toLowerCase() };
  const prefix = text.toLowerCase();
  const isId = /^[0-9a-f]+$/.test(prefix) && prefix.length >= digitsMin && prefix.length <= idDigits;
  return { kind: 'email', prefix, account: isId ? `acc_${prefix}` : null };
}

/** A kind of account to list. */
export const accountKinds = ['frozen', 'claimed', 'paying', 'unpaid'] as const;
export type AccountKind = (typeof accountKinds)[number];

/** The accounts to list. Absent members do not restrict the result. */
export type AccountFilter = {
  kind?: AccountKind;
  /** The first and the last day (UTC) of the creation, such as `2026-11-22`. */
  from?: string;
  to?: string;
};

/** The activity of an account in a period. */
export type AccountActivity = { lastMs: number | null; spent: Money };

/** Searches all accounts. */
export interface AccountSearch {
  /** Returns at most `max` accounts, newest first, that follow the account `after`. */
  newest(filter: AccountFilter, after: string | null, max: number): Promise<FoundAccount[]>;
  /** Returns the last call and the dollars spent since `sinceMs`, by account. Accounts without calls are absent. */
  activity(accounts: readonly string[], sinceMs: number): Promise<ReadonlyMap<string, AccountActivity>>;
  /** Returns the unspent credit of each account, without the dollars that plans include. */
  balances(accounts: readonly string[]): Promise<ReadonlyMap<string, Money>>;
  find(query: AccountQuery, max: number): Promise<FoundAccount[]>;
  /** Number of accounts created since `sinceMs`, by registration or purchase. */
  madeSince(sinceMs: number): Promise<number>;
}
