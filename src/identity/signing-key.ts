import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK_EC_Private,
  type JWK_EC_Public,
} from 'jose';

/**
 * ES256 (ECDSA on P-256), because every common verifier supports it: WebCrypto in all browsers and runtimes, Java, .NET, Go, OpenSSL
 * since 1.0. Ed25519 is as fast, but older stacks lack it and its name changed (`EdDSA` in RFC 8037, `Ed25519` in RFC 9864).
 */
export const algorithm = 'ES256';

/** A stored key: the complete private JWK (RFC 7517). Access to it allows signing for the shop. */
export type StoredKey = { kid: string; jwk: JWK_EC_Private; createdMs: number };

/** A key in use. Its private part cannot be exported. */
export type SigningKey = {
  /** RFC 7638 thumbprint, SHA-256 in base64url. */
  kid: string;
  createdMs: number;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  /** The entry in the JWKS, without private members. */
  publicJwk: JWK_EC_Public;
};

/** The store of signing keys; an adapter implements it. */
export interface SigningKeys {
  all(): Promise<readonly StoredKey[]>;
  /** Stores a key; storing the same `kid` again changes nothing. */
  add(key: StoredKey): Promise<void>;
  /** Removes a key: everything it signed is refused from then on. */
  remove(kid: string): Promise<void>;
}

/** Generates a key pair, to be stored. */
export async function generate(nowMs: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const { x, y, d } = await exportJWK(privateKey);
  if (x === undefined || y === undefined || d === undefined)
    throw new Error('the new key has no coordinates');
  const jwk: JWK_EC_Private = { kty: 'EC', crv: 'P-256', x, y, d };
  return { kid: await calculateJwkThumbprint(jwk), jwk, createdMs: nowMs };
}

/**
 * Imports a stored key. Throws when it is not a private P-256 key or its `kid` is not its thumbprint: a damaged key store must stop
 * the start instead of producing tokens that fail verification.
 */
export async function load(stored: StoredKey): Promise<SigningKey> {
  const { kty, crv, x, y, d } = stored.jwk;
  if (kty !== 'EC' || crv !== 'P-256' || typeof d !== 'string') {
    throw new TypeError(`signing key ${stored.kid} is not a private P-256 key`);
  }
  const point = { kty, crv, x, y };
  const kid = await calculateJwkThumbprint(point);
  if (kid !== stored.kid) throw new TypeError(`signing key ${stored.kid} has the thumbprint ${kid}`);
  return {
    kid,
    createdMs: stored.createdMs,
    privateKey: await cryptoKey({ ...point, d }),
    publicKey: await cryptoKey(point),
    publicJwk: { ...point, kid, alg: algorithm, use: 'sig' },
  };
}

async function cryptoKey(jwk: JWK_EC_Private | JWK_EC_Public): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm);
  if (key instanceof Uint8Array) throw new TypeError('a symmetric key cannot sign for the shop');
  return key;
}
