import { CompactSign, type CryptoKey, type JWTPayload } from 'jose';
import { keyRing } from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';

export const publicUrl = 'https://shop.example';
/** 1 January 2030, a whole second. */
export const now = Date.UTC(2030, 0, 1);
export const session = { account: 'acc_1', sid: 'reg_1', member: null, epoch: 0 };

export async function newKey(createdMs: number): Promise<SigningKey.SigningKey> {
  return SigningKey.load(await SigningKey.generate(createdMs));
}

export const key = await newKey(now - 86_400_000);
export const ring = keyRing(publicUrl, [key]);

export const header = { alg: 'ES256', typ: 'at+jwt', kid: key.kid };
/** The claims of a good access token, to be spoilt one by one. */
export const claims = {
  iss: publicUrl,
  aud: publicUrl,
  sub: session.account,
  client_id: session.sid,
  sid: session.sid,
  jti: 'at_1',
  iat: now / 1000,
  exp: now / 1000 + 3600,
};

/** A token with any header and claims, signed by `signer`. */
export function forge(
  protectedHeader: { alg: string; [name: string]: unknown },
  payload: JWTPayload | string,
  signer: CryptoKey | Uint8Array = key.privateKey,
): Promise<string> {
  const bytes = new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return new CompactSign(bytes).setProtectedHeader(protectedHeader).sign(signer);
}
