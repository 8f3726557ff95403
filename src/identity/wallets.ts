import type { TrialOffer, TrialState } from './trial-proof.ts';

/** A signed message with a valid signature. It is accepted once. */
export type WalletProof = {
  /** The wallet's address in lower case, which is the same on every chain. */
  wallet: string;
  claimKey: string;
  /** Until then, only the stored record prevents a second use. */
  expiresMs: number;
};

/** The account to create for a new wallet: its id and trial, and the digest under which the wallet gets a trial once. */
export type Newcomer = { account: string; trial: TrialOffer; walletDigest: string };

export type WalletSignIn =
  /** `accounts`: all accounts of the wallet, oldest first. */
  | { kind: 'signed_in'; account: string; isNew: boolean; accounts: readonly string[]; trial: TrialState }
  /** The message was used before, in any process. */
  | { kind: 'used' }
  /** The requested account does not belong to the wallet. */
  | { kind: 'foreign' };

/** The store of used messages and of the accounts of wallets. Rejects while the database is unavailable. */
export interface Wallets {
  /** Returns true when the wallet has an account. */
  isKnown(wallet: string): Promise<boolean>;
  /** Uses a proof without a sign-in. Returns false when it was used before. */
  take(proof: WalletProof): Promise<boolean>;
  /** Uses the proof and finds or creates the account, in one statement. `account`: the one to sign in to; null for the oldest. */
  signIn(proof: WalletProof, account: string | null, newcomer: Newcomer): Promise<WalletSignIn>;
}
