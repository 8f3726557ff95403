import * as AccessToken from './access-token.ts';
import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** About 20 MB of ids. */
const idsMax = 200_000;
/** An access token that existed at its revocation is dead by itself after this, whichever process's clock signed it. */
export const holdMs = (AccessToken.lifeSeconds + 2 * clockToleranceSeconds) * 1000;

/**
 * What has been revoked (`jti` of one token, `sid` of all tokens of a session), held in memory as long as a token can live.
 * The database keeps the record; this list is what makes a revocation count on the very next call.
 */
export type RevocationList = {
  young: Set<string>;
  old: Set<string>;
  turnedMs: number;
  /** Tokens issued up to this moment are refused, whatever their ids. */
  refusedUntilMs: number;
  readonly idsMax: number;
};

/** A revocation on record. */
export type Revocation = { id: string; revokedMs: number };

/** The record of revocations, which an adapter keeps and announces to every process. */
export interface Revocations {
  /**
   * Whether this process hears what others revoke and join. While it does not, `has` must be asked about every token,
   * and the accounts about theirs.
   */
  readonly isHeard: boolean;
  /** Makes a revocation durable and announces it; resolves when no process takes the token any more. Twice changes nothing. */
  add(revocation: Revocation): Promise<void>;
  /** Whether any of these ids is on record. */
  has(ids: readonly string[]): Promise<boolean>;
  /** Does what may join `account` to another one, or freeze it; where `tells` says that it did, resolves when every process knows. */
  telling<T>(account: string, work: () => Promise<T>, tells: (done: T) => boolean): Promise<T>;
}

/** An empty list that holds up to `max` ids. */
export function create(nowMs: number, max: number = idsMax): RevocationList {
  return { young: new Set(), old: new Set(), turnedMs: nowMs, refusedUntilMs: 0, idsMax: max };
}

/**
 * Refuses every token with this `jti` or `sid` from now on. A full list fails safe: it forgets the ids and refuses every
 * token issued so far instead, which costs each live session one exchange and brings nothing revoked back.
 */
export function add(list: RevocationList, id: string, nowMs: number): void {
  if (nowMs - list.turnedMs >= holdMs) turn(list, nowMs);
  list.young.add(id);
  if (list.young.size + list.old.size > list.idsMax) refuseAll(list, nowMs);
}

/** Refuses every token issued so far, and needs no ids for that. */
export function refuseAll(list: RevocationList, nowMs: number): void {
  list.refusedUntilMs = nowMs + clockToleranceSeconds * 1000;
  list.young.clear();
  list.old.clear();
}

/** Whether a token with these claims has been revoked. */
export function includes(list: RevocationList, { jti, sid, issuedMs }: Claims): boolean {
  return (
    list.young.has(sid) ||
    list.young.has(jti) ||
    list.old.has(sid) ||
    list.old.has(jti) ||
    issuedMs <= list.refusedUntilMs
  );
}

function turn(list: RevocationList, nowMs: number): void {
  list.old = list.young;
  list.young = new Set();
  list.turnedMs = nowMs;
}
