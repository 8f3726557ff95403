import type { CompactVerifyGetKey } from 'jose';
import type * as KeyRing from './key-ring.ts';
import * as SignedDocument from './signed-document.ts';

const kind: SignedDocument.Kind = { typ: 'manifest+jwt', charsMax: 1024 * 1024 };

/** The manifest, and the moment at which it was what the shop said. */
export type Signed = { issuer: string; issuedMs: number; manifest: Readonly<Record<string, unknown>> };

/** A compact JWS over the manifest: what was sold at which price, to be proved later. */
export function sign(ring: KeyRing.KeyRing, manifest: Signed['manifest'], nowMs: number): Promise<string> {
  return SignedDocument.sign(ring, kind, { manifest }, nowMs);
}

/** The manifest in `jws`, or null where no key of the shop signed it, or it is no manifest. */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  jws: string,
): Promise<Signed | null> {
  const signed = await SignedDocument.verify(keys, kind, jws);
  if (signed === null) return null;
  const { issuer, issuedMs, claims } = signed;
  return { issuer, issuedMs, manifest: claims.manifest as Signed['manifest'] };
}
