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
    /** Another account that the person is in would be left without an owner. */
    | 'last_owner'
    /** Paid credit is unspent, and the erasure does not forfeit it. */
    | 'balance';
  account: string;
};

/** The stored data of the owner of an account, in it and in the accounts that were joined to it. */
export interface PersonData {
  /** Returns all of it by kind, for the owner. Secrets are not part of it. */
  read(account: string): Promise<Record<string, readonly unknown[]>>;
  /** Returns what is stored of a person who has no account of their own, in the accounts of others; null when there is nothing. */
  ofPerson(email: string): Promise<Record<string, readonly unknown[]> | null>;
  /** Removes a person from the accounts of others. Returns those accounts; null, and changes nothing, when one would be left without an owner. */
  forgetPerson(email: string, who: string): Promise<string[] | null>;
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
