import type { VerificationStatus } from './verification-status.ts';

/** An address that this worker may test until `untilMs`. */
export type Claimed = {
  email: string;
  domain: string;
  claim: string;
  untilMs: number;
  before: VerificationStatus;
};
/** The result to store for a claimed address. */
export type Tested = { email: string; claim: string; status: VerificationStatus };

/** The addresses of the live data-set version and their verification status. */
export type EmailStore = {
  /** Adds the addresses of a new data-set version and retires those it no longer has. Does nothing if already done. */
  sync(nowMs: number): Promise<void>;
  /** Claims up to `count` due addresses until `untilMs`, verified ones first: those are the ones returned to callers. */
  claim(count: number, nowMs: number, untilMs: number): Promise<Claimed[]>;
  /** Makes every address of the live data-set version due that no worker has claimed. Returns how many were not due before. */
  makeAllDue(nowMs: number): Promise<number>;
  /** Stores results and returns how many were discarded because another worker holds the claim now. */
  keep(tested: readonly Tested[]): Promise<number>;
};
