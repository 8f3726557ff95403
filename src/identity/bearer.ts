import * as AccessToken from './access-token.ts';
import * as Joins from './joined-accounts.ts';
import { type Claims, type Reason, tokenCharsMax } from './jwt.ts';
import type { KeyRing } from './key-ring.ts';
import * as RevocationList from './revocation-list.ts';
import * as TokenCache from './token-cache.ts';

const scheme = 'Bearer ';
const headerCharsMax = scheme.length + tokenCharsMax;

/** The caller that an Authorization header identifies. */
export type Bearer =
  | { kind: 'token'; claims: Claims }
  /** No bearer token; the header can have another scheme, such as `Payment`. */
  | { kind: 'absent' }
  | { kind: 'expired' }
  | { kind: 'revoked' }
  | { kind: 'invalid'; reason: Reason };

export type BearerRefusal = Exclude<Bearer, { kind: 'token' }>;

/** The state with which a process verifies tokens. There is one per process. */
export type TokenVerifier = {
  ring: KeyRing;
  readonly cache: TokenCache.TokenCache;
  readonly revocations: RevocationList.RevocationList;
  readonly joins: Joins.Joins;
  /** Accounts that the seller has frozen: they can read and not spend. */
  readonly frozen: Set<string>;
};

/** Returns a verifier with an empty cache. Add the stored revocations before it serves requests. */
export function openTokenVerifier(ring: KeyRing, nowMs: number): TokenVerifier {
  return {
    ring,
    cache: TokenCache.create(),
    revocations: RevocationList.create(nowMs),
    joins: Joins.create(nowMs),
    frozen: new Set(),
  };
}

/** The hot path: returns the cached claims of `header` synchronously, or null when `verify` must check it. */
export function fromCache(tokenVerifier: TokenVerifier, header: string, nowMs: number): Claims | null {
  const claims = TokenCache.get(tokenVerifier.cache, header, nowMs);
  if (claims === null) return null;
  if (!RevocationList.includes(tokenVerifier.revocations, claims)) return claims;
  TokenCache.forget(tokenVerifier.cache, header);
  return null;
}

/**
 * Identifies the sender of an Authorization header, from the cache or by verification, which fills the cache.
 * Revocations and keys are checked after the signature, without an `await` before the result: changes during the check apply.
 */
export async function verify(
  tokenVerifier: TokenVerifier,
  header: string | undefined,
  nowMs: number,
): Promise<Bearer> {
  if (header === undefined || !isBearer(header)) return { kind: 'absent' };
  if (header.length > headerCharsMax) return { kind: 'invalid', reason: 'too_long' };
  const known = fromCache(tokenVerifier, header, nowMs);
  if (known !== null) return { kind: 'token', claims: known };
  const { ring } = tokenVerifier;
  const verified = await AccessToken.verify(ring, header.slice(scheme.length), nowMs);
  if (verified.kind !== 'ok') return verified;
  if (tokenVerifier.ring !== ring) return verify(tokenVerifier, header, nowMs);
  return remember(tokenVerifier, header, verified.claims);
}

/** Caches the verified claims of a header, unless they have been revoked in the meantime. */
export function remember(tokenVerifier: TokenVerifier, header: string, claims: Claims): Bearer {
  if (RevocationList.includes(tokenVerifier.revocations, claims)) return { kind: 'revoked' };
  TokenCache.put(tokenVerifier.cache, header, claims);
  return { kind: 'token', claims };
}

/** Refuses the token (`jti`) or all tokens of the session (`sid`) from this moment on. */
export function revoke(tokenVerifier: TokenVerifier, id: string, nowMs: number): void {
  RevocationList.add(tokenVerifier.revocations, id, nowMs);
}

/** Lets tokens of the joined account act for the account that it was joined to. */
export function join(tokenVerifier: TokenVerifier, join: Joins.Join, nowMs: number): void {
  // When older joins are forgotten, their tokens would act for an empty account. Once exchanged, they act for the right one.
  if (!Joins.add(tokenVerifier.joins, join, nowMs))
    RevocationList.refuseAll(tokenVerifier.revocations, nowMs);
}

/** Makes an account read-only, or ends that. */
export function freeze({ frozen }: TokenVerifier, account: string, isFrozen: boolean): void {
  if (isFrozen) frozen.add(account);
  else frozen.delete(account);
}

/** Replaces the key ring and clears the cache, so that tokens of a removed key are rejected. */
export function changeKeys(tokenVerifier: TokenVerifier, ring: KeyRing): void {
  tokenVerifier.ring = ring;
  TokenCache.clear(tokenVerifier.cache);
}

/** The scheme's name is case-insensitive (RFC 9110, section 11.1). Exactly one space, so that a token has few spellings in the cache. */
function isBearer(header: string): boolean {
  return header.slice(0, scheme.length).toLowerCase() === 'bearer ';
}
