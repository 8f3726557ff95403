import { type LedgerFault, type VerificationResult, verifyMsMax } from '../ledger/verification.ts';
import { inTime } from './in-time.ts';
import type { SellerContext } from './seller-context.ts';

const act = 'ledger_verified';
/** Violations that are kept with a check; more are counted. */
const faultsKeptMax = 50;
/** Checks that are read for the last one with a result: some may have taken too long. */
const checksReadMax = 10;

/** A check of the books that was finished: its time, its actor, the rows that were compared, and what violates a rule. */
export type BooksCheck = {
  atMs: number;
  who: string;
  counts: Pick<VerificationResult['counts'], 'lots' | 'postings' | 'calls'>;
  violations: number;
  /** The first violations. */
  faults: readonly LedgerFault[];
};

type BooksContext = Pick<SellerContext, 'audit' | 'console'>;

/** Verifies the ledger and records the result in the audit log. Returns the problem of a check that took too long, otherwise null. */
export async function run({ audit, console }: BooksContext, who: string): Promise<string | null> {
  const entry = await audit.open(who, act, 'console', {});
  const result = await inTime(console.verification.run());
  if (result === null) {
    await audit.close(entry, { reason: 'took too long' });
    return `The ledger is too large to be verified in ${verifyMsMax / 1_000} seconds. Run the command below.`;
  }
  const { counts, faults } = result;
  await audit.close(entry, {
    ...{ violations: faults.length, lots: counts.lots, postings: counts.postings, calls: counts.calls },
    ...(faults.length > 0 && { found: faults.slice(0, faultsKeptMax) }),
  });
  return null;
}

/** Returns the last check with a result, or null. */
export async function last({ audit }: Pick<BooksContext, 'audit'>): Promise<BooksCheck | null> {
  for (const { atMs, who, after } of await audit.list({ act }, null, checksReadMax)) {
    const {
      violations,
      lots,
      postings,
      calls,
      found = [],
    } = (after ?? {}) as Partial<BooksCheck['counts'] & { violations: number; found: LedgerFault[] }>;
    if (violations === undefined) continue;
    const counts = { lots: lots ?? 0, postings: postings ?? 0, calls: calls ?? 0 };
    return { atMs, who, counts, violations, faults: found };
  }
  return null;
}
