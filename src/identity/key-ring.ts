import type { JWK_EC_Public } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** More keys than this are never published; the oldest are left out. */
export const keysMax = 16;
/** A new key is published this long before it signs, so that no process and no client meets a `kid` that it has not yet read. */
export const publishLeadMs = 10 * 60_000;

/** The shop as an issuer: its name and every key that verifies what it signed. Replaced whole on rotation, never changed. */
export type KeyRing = {
  /** The public URL: `iss` of everything signed here. */
  readonly issuer: string;
  /** Newest first, never empty. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  readonly byKid: ReadonlyMap<string, SigningKey>;
  /** The body of /.well-known/jwks.json (RFC 7517). */
  readonly jwks: { readonly keys: readonly JWK_EC_Public[] };
};

/** A ring of `keys`, in any order. Throws RangeError when there is none. */
export function of(issuer: string, keys: readonly SigningKey[]): KeyRing {
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

/** The key that signs now: the newest that has been published long enough, or the oldest while none has. */
export function signer(ring: KeyRing, nowMs: number): SigningKey {
  const published = ring.keys.find((key) => key.createdMs + publishLeadMs <= nowMs);
  return published ?? ring.keys.at(-1) ?? ring.keys[0];
}

/** Keys whose last signature has expired, given the longest life of anything they sign: these may be removed. */
export function spent(ring: KeyRing, longestLifeMs: number, nowMs: number): readonly SigningKey[] {
  return ring.keys.filter((_, index) => {
    const successor = ring.keys[index - 1];
    return successor !== undefined && successor.createdMs + publishLeadMs + longestLifeMs < nowMs;
  });
}
