import { importJWK, type JWK } from 'jose';
import type * as KeyRing from './key-ring.ts';
import * as SignedDocument from './signed-document.ts';

const kind: SignedDocument.DocumentKind = { typ: 'usage-day+jwt', charsMax: 16 * 1024 };

/** The record of a closed day of usage. Digests are SHA-256 in hexadecimal; `previous` is that of the record before it, as text; null for the first one. */
export type UsageDay = {
  readonly day: string;
  readonly rows: number;
  readonly calls: number;
  readonly usage_sha256: string;
  readonly sums_sha256: string;
  readonly archive: string;
  readonly archive_sha256: string;
  readonly archive_bytes: number;
  readonly previous: string | null;
};

/** Returns a compact JWS over the record of a closed day. */
export function sign(ring: KeyRing.KeyRing, record: UsageDay, nowMs: number): Promise<string> {
  return SignedDocument.sign(ring, kind, { usage_day: record }, nowMs);
}

/**
 * Returns the record in `jws`, or null when it was not signed with `publicJwk` or is not such a record.
 * @param publicJwk the key that was stored with the record, since the shop may have dropped it
 */
export async function verify(publicJwk: JWK, jws: string): Promise<UsageDay | null> {
  const key = await importJWK(publicJwk, 'ES256');
  const signed = await SignedDocument.verify(() => key, kind, jws);
  return signed === null ? null : (signed.claims.usage_day as UsageDay);
}
