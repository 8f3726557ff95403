import * as AccessToken from './access-token.ts';
import * as Joins from './joins.ts';
import { type Claims, type Reason, tokenCharsMax } from './jwt.ts';
import type { KeyRing } from './key-ring.ts';
import * as RevocationList from './revocation-list.ts';
import * as TokenCache from './token-cache.ts';

const scheme = 'Bearer ';
const headerCharsMax = scheme.length + tokenCharsMax;

/** Who calls, read from an Authorization header. */
export type Bearer =
  | { kind: 'token'; claims: Claims }
  /** No bearer at all; another scheme, such as `Payment`, is none. */
  | { kind: 'absent' }
  | { kind: 'expired' }
  | { kind: 'revoked' }
  | { kind: 'invalid'; reason: Reason };

export type Refusal = Exclude<Bearer, { kind: 'token' }>;

/** What a process needs to know its callers. One a process. */
export type Desk = {
  ring: KeyRing;
  readonly cache: TokenCache.TokenCache;
  readonly revocations: RevocationList.RevocationList;
  readonly joins: Joins.Joins;
  /** Accounts that may do nothing but look, as many as their seller has frozen. */
  readonly frozen: Set<string>;
};

/** A desk that knows nobody yet. Revocations on record are to be told to it before it serves. */
export function open(ring: KeyRing, nowMs: number): Desk {
  return {
    ring,
    cache: TokenCache.create(),
    revocations: RevocationList.create(nowMs),
    joins: Joins.create(nowMs),
    frozen: new Set(),
  };
}

/** The hot path: the claims of a caller who has been verified before, at once, or null where `verify` has to look. */
export function recall(desk: Desk, header: string, nowMs: number): Claims | null {
  const claims = TokenCache.get(desk.cache, header, nowMs);
  if (claims === null) return null;
  if (!RevocationList.includes(desk.revocations, claims)) return claims;
  TokenCache.forget(desk.cache, header);
  return null;
}

/**
 * Who sent this Authorization header: recalled, or verified and then remembered.
 * Revocations and keys are looked at after the signature check, in the same step as the answer: what arrives during it wins.
 */
export async function verify(desk: Desk, header: string | undefined, nowMs: number): Promise<Bearer> {
  if (header === undefined || !isBearer(header)) return { kind: 'absent' };
  if (header.length > headerCharsMax) return { kind: 'invalid', reason: 'too_long' };
  const known = recall(desk, header, nowMs);
  if (known !== null) return { kind: 'token', claims: known };
  const { ring } = desk;
  const verified = await AccessToken.verify(ring, header.slice(scheme.length), nowMs);
  if (verified.kind !== 'ok') return verified;
  if (desk.ring !== ring) return verify(desk, header, nowMs);
  return remember(desk, header, verified.claims);
}

/** Takes what a header was found to say into use, unless it has been revoked meanwhile. */
export function remember(desk: Desk, header: string, claims: Claims): Bearer {
  if (RevocationList.includes(desk.revocations, claims)) return { kind: 'revoked' };
  TokenCache.put(desk.cache, header, claims);
  return { kind: 'token', claims };
}

/** Refuses the token (`jti`) or all tokens of the session (`sid`) from this moment on. */
export function revoke(desk: Desk, id: string, nowMs: number): void {
  RevocationList.add(desk.revocations, id, nowMs);
}

/** Lets tokens of one account speak for the one that it is a part of now. */
export function join(desk: Desk, join: Joins.Join, nowMs: number): void {
  // Tokens of what is forgotten would speak for an empty account; exchanged, they speak for the right one.
  if (!Joins.add(desk.joins, join, nowMs)) RevocationList.refuseAll(desk.revocations, nowMs);
}

/** Lets an account do nothing but look from now on, or go on. */
export function freeze({ frozen }: Desk, account: string, isFrozen: boolean): void {
  if (isFrozen) frozen.add(account);
  else frozen.delete(account);
}

/** Takes a new ring into use. Everyone is verified anew, so that a key that was taken away opens nothing more. */
export function changeKeys(desk: Desk, ring: KeyRing): void {
  desk.ring = ring;
  TokenCache.clear(desk.cache);
}

/** The scheme's name is case-insensitive (RFC 9110, section 11.1); exactly one space, so that a token has few spellings in the cache. */
function isBearer(header: string): boolean {
  return header.slice(0, scheme.length).toLowerCase() === 'bearer ';
}
