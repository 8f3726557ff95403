import type { StoredResponse } from './idempotency-key.ts';

/** A stored response of a call, and the service that was called. */
export type StoredResult = StoredResponse & { body: Buffer; service: string };

/** Responses that their accounts read in parts, for at least 24 hours. Implemented by adapters/postgres/stored-results.ts. */
export interface StoredResults {
  /**
   * Stores the response of a charged call, whose charge is then never credited back. Returns false when it was not stored: the account has
   * no room today, or the charge was credited back. Rejects if the database cannot be reached.
   */
  store(account: string, callId: string, headers: readonly string[], body: Buffer): Promise<boolean>;
  /** Returns the response of a call of the account, or null if none is stored in full. Rejects if the database cannot be reached. */
  read(account: string, callId: string): Promise<StoredResult | null>;
}
