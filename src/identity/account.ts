/** A customer of the shop: who holds lots in the ledger and calls with tokens. */
export type Account = {
  id: string;
  createdMs: number;
  origin: 'anonymous' | 'purchase';
  /** When a person took it over, and where he reads his mail; null while none has. */
  claimedMs: number | null;
  email: string | null;
};

/** `same`: it was so before. `account`: the one that it stands in now. */
export type Frozen = { kind: 'done' | 'same'; account: string } | { kind: 'unknown_account' };

/** The record of accounts. */
export interface Accounts {
  /** Makes an anonymous account with its trial of `units`, in one statement. */
  register(id: string, plan: string, units: number): Promise<void>;
  find(id: string): Promise<Account | null>;
  /** The account that this one is a part of by now, or itself. */
  standing(id: string): Promise<string>;
  /** Whether its seller lets it do nothing but look. */
  isFrozen(id: string): Promise<boolean>;
  /** Freezes an account, or lets it go on; its money stays. Every process is told. `who` and `reason`: for the audit log. */
  freeze(id: string, isFrozen: boolean, reason: string | null, who: string): Promise<Frozen>;
  /** How many registered since a moment. */
  registeredSince(sinceMs: number): Promise<number>;
}
