import { seconds } from '@sluice/kernel/clock';
import { type CompactVerifyGetKey, compactVerify, errors, type JWTPayload, SignJWT } from 'jose';
import * as KeyRing from './key-ring.ts';
import { algorithm } from './signing-key.ts';

/** A kind of document that the shop signs. */
export type DocumentKind = {
  /** Prevents one kind from being accepted as another, or as a token (RFC 8725, section 3.11). */
  typ: string;
  charsMax: number;
};

/** The content of a document, its issuer and the time of the signature. */
export type VerifiedDocument = { issuer: string; issuedMs: number; claims: JWTPayload };

/** Returns a compact JWS (RFC 7515) over `claims`. It can be verified with the shop's JWKS while the key is published. */
export function sign(
  ring: KeyRing.KeyRing,
  kind: DocumentKind,
  claims: JWTPayload,
  nowMs: number,
): Promise<string> {
  const key = KeyRing.signer(ring, nowMs);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: kind.typ, kid: key.kid })
    .setIssuer(ring.issuer)
    .setIssuedAt(seconds(nowMs))
    .sign(key.privateKey);
}

/**
 * Returns the content of `jws`, or null when it was not signed by a key of the shop or is of another kind.
 * @param keys the shop's own ring, or any key set of `jose`
 */
export async function verify(
  keys: KeyRing.KeyRing | CompactVerifyGetKey,
  kind: DocumentKind,
  jws: string,
): Promise<VerifiedDocument | null> {
  if (jws.length > kind.charsMax) return null;
  try {
    const key: CompactVerifyGetKey =
      typeof keys === 'function'
        ? keys
        : ({ kid }) => {
            const known = keys.byKid.get(kid ?? '');
            if (known === undefined) throw new errors.JWKSNoMatchingKey();
            return known.publicKey;
          };
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: [algorithm] });
    if (protectedHeader.typ !== kind.typ) return null;
    const { iss: issuer, iat, ...claims } = JSON.parse(new TextDecoder().decode(payload));
    return { issuer, issuedMs: iat * 1000, claims };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
