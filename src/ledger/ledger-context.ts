import type { IdempotencyKeys } from './idempotency-key.ts';
import type { Jobs } from './jobs.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import type { Statements } from './statement.ts';
import type { StoredResults } from './stored-results.ts';
import type { UsageRecord } from './usage.ts';

/** Balances and what was used of them. */
export type LedgerContext = {
  readonly writer: LedgerWriter;
  readonly statements: Statements;
  readonly usage: UsageRecord;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly storedResults: StoredResults;
  /** The jobs at the upstream whose cost is not known yet. */
  readonly jobs: Jobs;
};
