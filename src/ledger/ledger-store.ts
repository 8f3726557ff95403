import type { StoredResponse } from './idempotency-key.ts';
import type { Asset } from './lot.ts';
import type { Usage } from './usage.ts';

/** A request for leases: `units` that calls need, and `headroomUnits` to avoid another request soon. */
export type LeaseRequest = {
  account: string;
  plans: readonly string[];
  price: number;
  units: number;
  headroomUnits: number;
  /** True for calls that units of results never pay for. */
  moneyOnly?: boolean;
  /**
   * If true, the lease is granted in full or not at all, and if not, the idle leases of other writers are recalled. Parts of it in two
   * writers would be enough for neither call. If false, whatever is available is granted.
   */
  recall: boolean;
};

/** A part of a lease that a writer returns. */
export type LeaseReturn = { account: string; lot: number; amount: number; recalled: boolean };

/** The contents of one commit. The same `(writer, epoch, seq)` sent again changes nothing and gets the same result. */
export type Batch = {
  writer: string;
  epoch: number;
  seq: number;
  /** All responses of the batches up to this one were sent. */
  deliveredSeq: number;
  /** Subtract spending from the leases, and record a heartbeat. */
  checkpoint: boolean;
  usage: readonly Usage[];
  /** Responses to store of idempotent calls, together with their usage. */
  storedResponses: readonly (StoredResponse & { account: string; key: string })[];
  returns: readonly LeaseReturn[];
  wants: readonly LeaseRequest[];
};

/** The lots of an account, in burn order. */
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

export type BatchResult =
  | { state: 'fenced' }
  | {
      state: 'ok';
      holdings?: readonly Holdings[];
      granted?: readonly { account: string; lot: number; amount: number }[];
      /** Accounts of whose trial nothing was leased, because the trials of all accounts have used up their hour. */
      paused?: readonly string[];
      /** When the next hour begins, in milliseconds since the epoch. */
      paused_until?: number;
    };

/**
 * The durable side of the ledger. Every method is one statement. If it rejects, the outcome is unknown, and the same call may be made
 * again. Implemented by adapters/postgres/ledger-store.ts.
 */
export interface LedgerStore {
  /** Opens the writer under a new epoch, after ending the epoch before. */
  openWriter(writer: string): Promise<number>;
  /** Rejects with LedgerInconsistent if repeating the batch cannot help. */
  batch(batch: Batch): Promise<BatchResult>;
  /** Closes a writer that has delivered everything. Returns false if it was fenced before. */
  closeWriter(writer: string, epoch: number): Promise<boolean>;
  /**
   * Credits back the charges of these calls, once for each. A response that is stored in full is not credited: the caller gets it with the
   * same idempotency key.
   */
  undeliver(callIds: readonly string[]): Promise<void>;
}

/** The ledger refused the contents of a batch: the writer's state is wrong, and it must open a new epoch. */
export class LedgerInconsistent extends Error {
  override name = 'LedgerInconsistent';
}

/**
 * The ledger store answered a batch with a temporary error (a time-out, a deadlock, a lack of resources), and committed nothing. Any other
 * rejection means that the store could not be reached.
 */
export class BatchFailed extends Error {
  override name = 'BatchFailed';
}
