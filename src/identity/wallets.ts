/** A payment proof whose signature holds: it may sign its wallet in, once. */
export type Proof = {
  /** The wallet's address in lower case, which is the same on every chain. */
  wallet: string;
  claimKey: string;
  /** Until then nothing else keeps the proof from being used again. */
  expiresMs: number;
};

/** What a wallet gets that has no account yet: one of this id, with a trial of `units` of `plan`. */
export type Newcomer = { account: string; plan: string; units: number };

/** Accounts by the wallets that open them. */
export interface Wallets {
  /** The account of a wallet, or null. */
  find(wallet: string): Promise<string | null>;
  /**
   * Takes the proof and finds or makes the account, all in one statement. Null where the proof was taken before,
   * by whatever process; rejects where nobody can say.
   */
  signIn(proof: Proof, newcomer: Newcomer): Promise<{ account: string; isNew: boolean } | null>;
}
