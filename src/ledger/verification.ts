/** A violated rule of the ledger, the row that violates it, and details. */
export type LedgerFault = { rule: string; subject: string; detail: string };

/** The result of reading the whole ledger in one snapshot. */
export type VerificationResult = {
  counts: { lots: number; postings: number; calls: number; batches: number };
  faults: readonly LedgerFault[];
};

/** Verifies the whole ledger beside the running shop. It reads everything and changes nothing. */
export interface Verification {
  /** Rejects when it takes longer than `verifyMsMax`. */
  run(): Promise<VerificationResult>;
}

/** A request waits no longer than this. Larger ledgers are verified by the command. */
export const verifyMsMax = 3_000;
