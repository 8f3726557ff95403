/** A call under a caller's own key (`Idempotency-Key`), drawn before the upstream is asked. Digests are SHA-256 in hex. */
export type Ticket = {
  account: string;
  /** Digest of the caller's key. */
  key: string;
  /** Digest of what is asked for. */
  request: string;
  callId: string;
  /** Who serves it: when the lane's epoch has ended without an answer to keep, anyone may take the ticket over. */
  lane: string;
  epoch: number;
};

/** The answer that a key has from its first call on: as it left, head and all. `body` is null where it was too large to be kept. */
export type KeptAnswer = {
  callId: string;
  status: number;
  /** A flat list: name, value, name, value. */
  headers: readonly string[];
  body: Buffer | null;
};

/** What a call keeps with its charge, in one commit. */
export type Keeping = { key: string; headers: readonly string[]; body: Buffer | null };

export type Drawn =
  /** The call is ours. `keepsBody`: the account's room for kept answers is not used up today. */
  | { kind: 'taken'; keepsBody: boolean }
  | { kind: 'kept'; answer: KeptAnswer }
  /** A living lane serves it. */
  | { kind: 'in_flight' }
  /** The key names another request. */
  | { kind: 'mismatch' }
  /** The account has drawn as many as it may in a day. */
  | { kind: 'too_many' };

/** The tickets of all processes. Implemented by adapters/postgres/tickets.ts. */
export interface Tickets {
  /** Durable when it resolves: of many at once, one call is served. Rejects when the books are out of reach. */
  draw(ticket: Ticket): Promise<Drawn>;
  /** The call ended without an answer to keep: its key is free again, at once or (where the books are away) when they are back. */
  giveUp(ticket: Ticket): Promise<void>;
}
