import type { CompactVerifyGetKey } from 'jose';
import type * as KeyRing from './key-ring.ts';
import * as SignedDocument from './signed-document.ts';

const kind: SignedDocument.DocumentKind = { typ: 'manifest+jwt', charsMax: 1024 * 1024 };

/** A manifest and the time at which the shop published it. */
export type VerifiedManifest = {
  issuer: string;
  issuedMs: number;
  manifest: Readonly<Record<string, unknown>>;
};

/** Returns a compact JWS over the manifest, as later proof of the prices. */
export function sign(
  ring: KeyRing.KeyRing,
  manifest: VerifiedManifest['manifest'],
  nowMs: number,
): Promise<string> {
  return SignedDocument.sign(ring, kind, { manifest }, nowMs);
}

/** Returns the manifest in `jws`, or null when it was not signed by a key of the shop or is not a manifest. */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  jws: string,
): Promise<VerifiedManifest | null> {
  const signed = await SignedDocument.verify(keys, kind, jws);
  if (signed === null) return null;
  const { issuer, issuedMs, claims } = signed;
  return { issuer, issuedMs, manifest: claims.manifest as VerifiedManifest['manifest'] };
}
