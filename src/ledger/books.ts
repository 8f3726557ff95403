import type { Asset } from './lot.ts';
import type { KeptAnswer } from './ticket.ts';
import type { Usage } from './usage.ts';

/** A lane asks for credit: `units` that a call needs, `headroomUnits` to save it from asking again soon. */
export type Want = {
  account: string;
  plans: readonly string[];
  price: number;
  units: number;
  headroomUnits: number;
  /**
   * Whole or not at all; where it is not, the other lanes are asked for what they hold idle. Parts of it in two lanes
   * would serve neither's call. Without this: what there is.
   */
  recall: boolean;
};

/** What a lane gives back of a lease. */
export type Return = { account: string; lot: number; amount: number; recalled: boolean };

/** What one commit does. The same `(lane, epoch, seq)` again does nothing and answers the same. */
export type Batch = {
  lane: string;
  epoch: number;
  seq: number;
  /** All answers of the batches up to this one have left. */
  deliveredSeq: number;
  /** Take what was spent out of the leases, and say that the lane lives. */
  fold: boolean;
  usage: readonly Usage[];
  /** Answers of calls under a key, each beside its usage. */
  answers: readonly (KeptAnswer & { account: string; key: string })[];
  returns: readonly Return[];
  wants: readonly Want[];
};

/** What an account has; `lots` stand in burn order. */
export type Holdings = {
  account: string;
  lots: readonly {
    id: number;
    asset: Asset;
    kind: 'trial' | 'allowance' | 'credit' | 'grant' | 'budget';
    plan: string;
    avail: number;
    others: number;
    expires: number | null;
  }[];
  /** Plans that the account may call on, exhausted or not. */
  plans: readonly string[];
  /** When its allowance resets, in milliseconds since the epoch. */
  resets: number | null;
};

export type BatchAnswer =
  | { state: 'fenced' }
  | {
      state: 'ok';
      holdings?: readonly Holdings[];
      granted?: readonly { account: string; lot: number; amount: number }[];
    };

/**
 * The durable side of the ledger. Every method is one statement. A rejected promise leaves the outcome unknown: the same
 * call may be made again. Implemented on PostgreSQL by adapters/postgres/books.ts.
 */
export interface Books {
  /** Opens the lane under a new epoch, and ends what its name held before. */
  openLane(lane: string): Promise<number>;
  /** Rejects with BooksBroken where repeating is no use. */
  batch(batch: Batch): Promise<BatchAnswer>;
  /** Ends a lane that has delivered everything; false when it was fenced before. */
  closeLane(lane: string, epoch: number): Promise<boolean>;
  /**
   * Gives back what these calls were charged; once for each, however often it is called. What is kept whole is given again
   * under its key, and is not given back.
   */
  undeliver(callIds: readonly string[]): Promise<void>;
}

/** The books refused a batch for what it says: the lane is wrong, and must open anew. */
export class BooksBroken extends Error {
  override name = 'BooksBroken';
}
