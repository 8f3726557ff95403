import type { Balance } from '../keys/allowance.ts';
import type { Key } from '../keys/key.ts';

type Wanted = { requestId: string; key: Key; operation: string; records: number; nowMs: number };
/** `granted` is the maximum number of records to return: the number requested, or fewer if the balance is lower. */
type Reservation = Balance & { granted: number };

/** A reservation or settlement whose outcome is unknown, because the database did not respond in time. */
export type UnknownUsage = { requestId: string; keyId: string; operation: string; nowMs: number };

/**
 * Accounting of records: reserve the maximum that a request can cost, run it, and return what it did not use. Each step
 * is one SQL statement, so concurrent calls share an allowance exactly.
 */
export type Records = {
  /** Reserves up to `records`. Grants 0, and stores nothing, if the balance is 0. */
  reserve(wanted: Wanted): Promise<Reservation>;
  /** Charges `used` records and returns the rest of the reservation. Throws if it is settled already. */
  settle(requestId: string, used: number): Promise<Balance>;
  /**
   * Makes the request use no record, also if the database runs its earlier statements only later. It may be repeated. Returns false if another
   * statement of the request was running, so that it has to be repeated.
   */
  cancel(usage: UnknownUsage): Promise<boolean>;
};
