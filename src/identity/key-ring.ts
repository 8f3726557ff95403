import type { JWK_EC_Public } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** Maximum number of published keys; the oldest are omitted. */
export const keysMax = 16;
/** A new key is published this long before it signs, so that every process and client has read its `kid` by then. */
export const publishLeadMs = 10 * 60_000;

/** The shop as an issuer: its name and every key that verifies its signatures. Immutable: a rotation creates a new ring. */
export type KeyRing = {
  /** The public URL: `iss` of everything signed here. */
  readonly issuer: string;
  /** Newest first, never empty. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly byKid: ReadonlyMap<string, SigningKey>;
  /** The body of /.well-known/jwks.json (RFC 7517). */
  readonly jwks: { readonly keys: readonly JWK_EC_Public[] };
};

/** Creates a ring of `keys`, in any order. Throws RangeError when there is no key. */
export function keyRing(issuer: string, keys: readonly SigningKey[]): KeyRing {
  const [newest, ...others] = keys.toSorted((a, b) => b.createdMs - a.createdMs).slice(0, keysMax);
  if (newest === undefined) throw new RangeError('a key ring needs a key');
  const ring: KeyRing['keys'] = [newest, ...others];
  return {
    issuer,
    keys: ring,
    byKid: new Map(ring.map((key) => [key.kid, key])),
    jwks: { keys: ring.map((key) => key.publicJwk) },
  };
}

/** Returns the key that signs now: the newest that has been published for `publishLeadMs`, or the oldest when there is none. */
export function signer(ring: KeyRing, nowMs: number): SigningKey {
  const published = ring.keys.find((key) => key.createdMs + publishLeadMs <= nowMs);
  return published ?? ring.keys.at(-1) ?? ring.keys[0];
}

/** Returns the keys whose last signature has expired, given the longest life of what they sign. They can be removed. */
export function spent(ring: KeyRing, longestLifeMs: number, nowMs: number): readonly SigningKey[] {
  return ring.keys.filter((_, index) => {
    const successor = ring.keys[index - 1];
    return successor !== undefined && successor.createdMs + publishLeadMs + longestLifeMs < nowMs;
  });
}
