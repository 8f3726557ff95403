import * as AccessToken from './access-token.ts';
import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** About 20 MB of ids. */
const idsMax = 200_000;
/** An access token that existed at its revocation has expired after this, by the clock of any process. */
export const holdMs = (AccessToken.lifeSeconds + 2 * clockToleranceSeconds) * 1000;

/**
 * Revoked ids (`jti` of one token, `sid` of all tokens of a session), kept in memory for the life of a token.
 * The database stores them permanently; this list applies a revocation from the next call on.
 */
export type RevocationList = {
  young: Set<string>;
  old: Set<string>;
  turnedMs: number;
  /** Tokens issued up to this moment are refused, whatever their ids. */
  refusedUntilMs: number;
  readonly idsMax: number;
};

/** A stored revocation. */
export type Revocation = {
  id: string;
  revokedMs: number;
  /** The account of a revoked token or session; null for a key and for a holder. */
  account: string | null;
};

/** The store of revocations. An adapter implements it and announces revocations to every process. */
export interface Revocations {
  /**
   * True while this process receives the revocations and joins of others. While it is false, check every token with `has`, and every
   * account with `Accounts`.
   */
  readonly isConnected: boolean;
  /** Stores and announces a revocation. Resolves when no process accepts the token any more. Idempotent. */
  add(revocation: Revocation): Promise<void>;
  /** Returns true when one of these ids is stored. */
  has(ids: readonly string[]): Promise<boolean>;
  /** Runs `work`, which may join or freeze `account`. When `isAnnounced` returns true for its result, resolves after every process has confirmed it. */
  announcing<T>(account: string, work: () => Promise<T>, isAnnounced: (done: T) => boolean): Promise<T>;
}

/** Creates an empty list for up to `max` ids. */
export function create(nowMs: number, max: number = idsMax): RevocationList {
  return { young: new Set(), old: new Set(), turnedMs: nowMs, refusedUntilMs: 0, idsMax: max };
}

/**
 * Refuses every token with this `jti` or `sid` from now on. A full list fails safe: it drops its ids and refuses every token issued
 * so far, which costs each session one exchange and revives no revoked token.
 */
export function add(list: RevocationList, id: string, nowMs: number): void {
  if (nowMs - list.turnedMs >= holdMs) turn(list, nowMs);
  list.young.add(id);
  if (list.young.size + list.old.size > list.idsMax) refuseAll(list, nowMs);
}

/** Refuses every token issued so far. */
export function refuseAll(list: RevocationList, nowMs: number): void {
  list.refusedUntilMs = nowMs + clockToleranceSeconds * 1000;
  list.young.clear();
  list.old.clear();
}

/** Returns true when a token with these claims has been revoked: itself, its session, or all tokens of its holder before a change of rights. */
export function includes(list: RevocationList, { jti, sid, holder, issuedMs }: Claims): boolean {
  return (
    list.young.has(sid) ||
    list.young.has(jti) ||
    list.young.has(holder) ||
    list.old.has(sid) ||
    list.old.has(jti) ||
    list.old.has(holder) ||
    issuedMs <= list.refusedUntilMs
  );
}

function turn(list: RevocationList, nowMs: number): void {
  list.old = list.young;
  list.young = new Set();
  list.turnedMs = nowMs;
}
