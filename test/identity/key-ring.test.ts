import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import { key, newKey, now, publicUrl, ring, session } from './shop.ts';

const dayMs = 86_400_000;

test('publishes public members only, under the RFC 7638 thumbprint', async () => {
  for (const jwk of ring.jwks.keys) {
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
  }
});

test('keeps the private half from leaving a loaded key', () => {
  expect(key.privateKey.extractable).toBe(false);
});

test('loads what was stored as JSON, and signs what the original verifies', async () => {
  const stored = await SigningKey.generate(now);
  const again = await SigningKey.load(JSON.parse(JSON.stringify(stored)));
  const { token } = await AccessToken.issue(KeyRing.keyRing(publicUrl, [again]), session, now);
  const original = KeyRing.keyRing(publicUrl, [await SigningKey.load(stored)]);
  expect((await AccessToken.verify(original, token, now)).kind).toBe('ok');
});

test('refuses to load a damaged key', async () => {
  const stored = await SigningKey.generate(now);
  const other = await SigningKey.generate(now);
  await expect(SigningKey.load({ ...stored, kid: other.kid })).rejects.toThrow('thumbprint');
  const { d: _, ...publicOnly } = stored.jwk;
  await expect(SigningKey.load({ ...stored, jwk: publicOnly as typeof stored.jwk })).rejects.toThrow(
    'not a private',
  );
  await expect(SigningKey.load({ ...stored, jwk: { ...stored.jwk, d: other.jwk.d } })).rejects.toThrow();
});

test('refuses a ring without keys', () => {
  expect(() => KeyRing.keyRing(publicUrl, [])).toThrow(RangeError);
});

test('signs with the newest key only once all processes have had time to read it', async () => {
  const next = await newKey(now);
  const both = KeyRing.keyRing(publicUrl, [key, next]);
  expect(KeyRing.signer(both, now).kid).toBe(key.kid);
  expect(KeyRing.signer(both, now + KeyRing.publishLeadMs - 1).kid).toBe(key.kid);
  expect(KeyRing.signer(both, now + KeyRing.publishLeadMs).kid).toBe(next.kid);
});

test('signs at once with the first key of a new shop', async () => {
  const first = await newKey(now);
  expect(KeyRing.signer(KeyRing.keyRing(publicUrl, [first]), now)).toBe(first);
});

test('verifies with every published key, so that a rotation logs nobody out', async () => {
  const next = await newKey(now);
  const before = await AccessToken.issue(ring, session, now);
  const both = KeyRing.keyRing(publicUrl, [next, key]);
  const later = now + KeyRing.publishLeadMs;
  const after = await AccessToken.issue(both, session, later);
  expect((await AccessToken.verify(both, before.token, later)).kind).toBe('ok');
  expect((await AccessToken.verify(both, after.token, later)).kind).toBe('ok');
  expect(await AccessToken.verify(ring, after.token, later)).toEqual({
    kind: 'invalid',
    reason: 'unknown_key',
  });
});

test('calls a key spent only after the last thing it signed has expired, and the newest never', async () => {
  const next = await newKey(now);
  const both = KeyRing.keyRing(publicUrl, [next, key]);
  const end = now + KeyRing.publishLeadMs + 90 * dayMs;
  expect(KeyRing.spent(both, 90 * dayMs, end)).toEqual([]);
  expect(KeyRing.spent(both, 90 * dayMs, end + 1)).toEqual([key]);
  expect(KeyRing.spent(ring, 90 * dayMs, end * 2)).toEqual([]);
});

test('never publishes more keys than the limit, and the newest are among them', async () => {
  const keys = await Promise.all(Array.from({ length: KeyRing.keysMax + 3 }, (_, i) => newKey(now + i)));
  const many = KeyRing.keyRing(publicUrl, keys);
  expect(many.keys).toHaveLength(KeyRing.keysMax);
  expect(many.keys[0].kid).toBe(keys.at(-1)?.kid);
});

test('lets a stock client verify a token with nothing but the address of the key set', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify(ring.jwks)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { token } = await AccessToken.issue(ring, session, now);
    const found = await jwtVerify(token, createRemoteJWKSet(new URL(`http://127.0.0.1:${port}/`)), {
      issuer: publicUrl,
      audience: publicUrl,
      typ: 'at+jwt',
      currentDate: new Date(now),
      requiredClaims: ['sub', 'client_id', 'jti', 'iat', 'exp'],
    });
    expect(found.payload.sub).toBe(session.account);
    expect(found.payload.client_id).toBe(session.sid);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
