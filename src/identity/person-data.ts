/** The result of an erasure. All but `done` change nothing. */
export type Erasure = {
  kind:
    | 'done'
    | 'unknown_account'
    /** The card processor will or may charge for a subscription. */
    | 'subscription'
    /** A payment is in progress. */
    | 'payment'
    /** A refund request has no answer. */
    | 'request'
    /** Paid credit is unspent, and the erasure does not forfeit it. */
    | 'balance';
  account: string;
};

/** The stored data of the owner of an account, in it and in the accounts that were joined to it. */
export interface PersonData {
  /** Returns all of it by kind, for the owner. Secrets are not part of it. */
  read(account: string): Promise<Record<string, readonly unknown[]>>;
  /** Returns the card processor's customers and subscriptions that are stored. */
  atProcessor(account: string): Promise<{ customers: string[]; subscriptions: string[] }>;
  /** Returns why an erasure would be refused; null when it would not. */
  obstacle(account: string, forfeits: boolean): Promise<Erasure['kind'] | null>;
  /**
   * Removes what identifies the owner, and freezes the account. The books stay, under its id. Safe to repeat.
   * @param forfeits true when unspent credit may be lost
   */
  erase(account: string, how: { forfeits: boolean; reason: string | null }, who: string): Promise<Erasure>;
}
