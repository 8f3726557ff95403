import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';

/** The credentials that the shop uses at its facilitator. */
export type Key =
  | { kind: 'none' }
  /** Sent as it is. */
  | { kind: 'bearer'; token: string }
  /** An API key of the Coinbase Developer Platform: each request is signed by its own JWT. */
  | { kind: 'cdp'; keyId: string; secret: string };

/** The header fields that identify the shop in one request. */
export type Signer = (method: 'GET' | 'POST', host: string, path: string) => Promise<Record<string, string>>;

/** The lifetime of a JWT, at Coinbase's maximum. */
const jwtLifeSeconds = 120;
const nonceBytes = 16;
/** An Ed25519 secret in Coinbase's format: the seed, then the public key. */
const ed25519Bytes = 64;
const seedBytes = 32;

/** Returns the signer for a key. Throws TypeError when the secret is not in a format that Coinbase issues. */
export function signer(key: Key): Signer {
  switch (key.kind) {
    case 'none':
      return async () => ({});
    case 'bearer':
      return async () => ({ authorization: `Bearer ${key.token}` });
    case 'cdp': {
      const { alg, privateKey } = read(key.secret);
      return async (method, host, path) => {
        const nonce = randomBytes(nonceBytes).toString('hex');
        // Read once: with a second between two readings, the JWT would live longer than the maximum.
        const now = Math.floor(Date.now() / 1_000);
        const jwt = await new SignJWT({ uris: [`${method} ${host}${path}`] })
          .setProtectedHeader({ alg, kid: key.keyId, typ: 'JWT', nonce })
          .setSubject(key.keyId)
          .setIssuer('cdp')
          .setAudience(['cdp_service'])
          .setIssuedAt(now)
          .setNotBefore(now)
          .setExpirationTime(now + jwtLifeSeconds)
          .sign(privateKey);
        return { authorization: `Bearer ${jwt}` };
      };
    }
  }
}

/** Reads both formats that Coinbase has issued: base64 of 64 bytes (Ed25519), or a P-256 PEM whose line ends may be written `\n`. */
function read(secret: string): { alg: 'EdDSA' | 'ES256'; privateKey: KeyObject } {
  if (secret.includes('-----BEGIN')) return { alg: 'ES256', privateKey: readPem(secret) };
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.length !== ed25519Bytes)
    throw new TypeError('the secret is neither base64 of an Ed25519 key nor a PEM');
  const [d, x] = [bytes.subarray(0, seedBytes), bytes.subarray(seedBytes)];
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: d.toString('base64url'), x: x.toString('base64url') };
  return { alg: 'EdDSA', privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

function readPem(secret: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(secret.replaceAll('\\n', '\n'));
  } catch {
    throw new TypeError('the secret is a PEM that cannot be read');
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError('the secret is a PEM of another kind of key than P-256');
  return key;
}
