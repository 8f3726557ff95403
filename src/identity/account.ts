import type { TrialOffer, TrialState } from './trial-proof.ts';

/** A customer of the shop: owns lots in the ledger and calls with tokens. */
export type Account = {
  id: string;
  createdMs: number;
  origin: 'anonymous' | 'purchase';
  /** Time when a person claimed the account; null before. */
  claimedMs: number | null;
  /** The address to which mails about it go: that of the person whose own account it is, otherwise of its first owner. Null without a person. */
  email: string | null;
};

/** `same`: nothing changed. `account`: the account that the given one was joined to, or itself. */
export type FreezeResult = { kind: 'done' | 'same'; account: string } | { kind: 'unknown_account' };

/** The store of accounts. */
export interface Accounts {
  /** Creates an anonymous account, in one statement with the trial, where that needs no proof. Without `trial`, the account alone. */
  register(id: string, trial: TrialOffer | null): Promise<TrialState>;
  /** Gives the trial to accounts whose card has paid, a few at a time. Each payment is decided once. Returns their number. */
  giveCardTrials(trial: TrialOffer): Promise<number>;
  find(id: string): Promise<Account | null>;
  /** Returns the account that this one was joined to, or the id itself. */
  resolveAccount(id: string): Promise<string>;
  /** Returns true when the seller has frozen the account: it can read and not spend. */
  isFrozen(id: string): Promise<boolean>;
  /** Freezes or unfreezes an account and notifies every process. Its balance does not change. `who` and `reason` go to the audit log. */
  freeze(id: string, isFrozen: boolean, reason: string | null, who: string): Promise<FreezeResult>;
}
