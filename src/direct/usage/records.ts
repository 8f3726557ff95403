import type { Balance } from '../keys/allowance.ts';
import type { Key } from '../keys/key.ts';

type Wanted = { requestId: string; key: Key; operation: string; records: number; nowMs: number };
/** `granted` is what may be returned at most: all that was wanted, or what was left. */
type Reservation = Balance & { granted: number };

/**
 * The records of keys: set aside the most that a request can cost, run it, give back what it did not use.
 * Each of these is one statement, so that calls at the same time share an allowance exactly.
 */
export type Records = {
  /** Sets up to `records` aside; grants 0, and keeps nothing, where none are left. */
  reserve(wanted: Wanted): Promise<Reservation>;
  /** Ends the reservation of that request at `used` records. Throws where it has been ended already. */
  settle(requestId: string, used: number): Promise<Balance>;
};
