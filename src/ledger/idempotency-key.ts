/** A call with an `Idempotency-Key`, which is acquired before the request is forwarded. Digests are SHA-256 in hex. */
export type IdempotencyKey = {
  account: string;
  /** Digest of the caller's key. */
  key: string;
  /** Digest of the request. */
  request: string;
  callId: string;
  /** The writer that serves the call. If its epoch ends without a stored response, another writer may acquire the key. */
  writer: string;
  epoch: number;
};

/** The response of a key's first call, which later calls get again. `body` is null if it was too large to store. */
export type StoredResponse = {
  callId: string;
  status: number;
  /** A flat list: name, value, name, value. */
  headers: readonly string[];
  body: Buffer | null;
};

/** The response that is stored in one commit with the charge of its call. */
export type ResponseToStore = { key: string; headers: readonly string[]; body: Buffer | null };

export type IdempotencyClaim =
  /** This call serves the key. `keepsBody`: the account has room for stored responses today. */
  | { kind: 'taken'; keepsBody: boolean }
  | { kind: 'kept'; response: StoredResponse }
  /** A running writer serves it. */
  | { kind: 'in_flight' }
  /** The key was used for a different request. */
  | { kind: 'mismatch' }
  /** The account has used its maximum number of keys today. */
  | { kind: 'too_many' };

/** The idempotency keys of all processes. Implemented by adapters/postgres/idempotency-keys.ts. */
export interface IdempotencyKeys {
  /** Acquires a key durably: of many concurrent calls, one is served. Rejects if the database cannot be reached. */
  claim(idempotencyKey: IdempotencyKey): Promise<IdempotencyClaim>;
  /** Releases the key of a call that ended without a response to store. If the database is unavailable, the key is released later. */
  giveUp(idempotencyKey: IdempotencyKey): Promise<void>;
}
