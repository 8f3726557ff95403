import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as Assertion from '../../src/identity/assertion.ts';
import * as Bearer from '../../src/identity/bearer.ts';
import { type Claims, clockToleranceSeconds, type Issued, tokenCharsMax } from '../../src/identity/jwt.ts';
import { keyRing } from '../../src/identity/key-ring.ts';
import * as RevocationList from '../../src/identity/revocation-list.ts';
import * as TokenCache from '../../src/identity/token-cache.ts';
import { claims, forge, header, key, newKey, now, publicUrl, ring, session } from './shop.ts';

let tokenVerifier: Bearer.TokenVerifier;
let issued: Issued;
let bearer: string;

beforeEach(async () => {
  tokenVerifier = Bearer.openTokenVerifier(ring, now);
  issued = await AccessToken.issue(ring, session, now);
  bearer = `Bearer ${issued.token}`;
});

const cached = () => tokenVerifier.cache.young.size + tokenVerifier.cache.old.size;

describe('a caller', () => {
  test('is verified once and recalled from then on', async () => {
    expect(Bearer.fromCache(tokenVerifier, bearer, now)).toBeNull();
    expect(await Bearer.verify(tokenVerifier, bearer, now)).toEqual({ kind: 'token', claims: issued.claims });
    expect(Bearer.fromCache(tokenVerifier, bearer, now)).toEqual(issued.claims);
  });

  test('may write the scheme in any case', async () => {
    expect((await Bearer.verify(tokenVerifier, `bEARER ${issued.token}`, now)).kind).toBe('token');
  });

  test('without a bearer is absent, whatever else the header holds', async () => {
    for (const value of [
      undefined,
      '',
      'Bearer',
      'Payment abc',
      'Basic YTpi',
      `Bearer\t${issued.token}`,
      issued.token,
    ]) {
      expect(await Bearer.verify(tokenVerifier, value, now)).toEqual({ kind: 'absent' });
    }
  });

  test('is not let in by what surrounds a good token', async () => {
    for (const value of [
      ` ${issued.token}`,
      `${issued.token} `,
      `${issued.token},x`,
      `${issued.token}, Bearer ${issued.token}`,
      '',
    ]) {
      expect((await Bearer.verify(tokenVerifier, `Bearer ${value}`, now)).kind).toBe('invalid');
    }
  });

  test('with an assertion as bearer is refused', async () => {
    const assertion = await Assertion.issue(ring, session, now);
    expect(await Bearer.verify(tokenVerifier, `Bearer ${assertion.token}`, now)).toEqual({
      kind: 'invalid',
      reason: 'type',
    });
  });

  test('is no longer recalled when the token has expired', async () => {
    await Bearer.verify(tokenVerifier, bearer, now);
    const end = issued.claims.expiresMs + clockToleranceSeconds * 1000;
    expect(Bearer.fromCache(tokenVerifier, bearer, end - 1)).not.toBeNull();
    expect(Bearer.fromCache(tokenVerifier, bearer, end)).toBeNull();
    expect(await Bearer.verify(tokenVerifier, bearer, end)).toEqual({ kind: 'expired' });
    expect(cached()).toBe(0);
  });
});

describe('a revocation', () => {
  test.each([
    ['of the token', () => issued.claims.jti],
    ['of its session', () => session.sid],
  ])('%s counts on the very next call, cached or not', async (_, id) => {
    await Bearer.verify(tokenVerifier, bearer, now);
    Bearer.revoke(tokenVerifier, id(), now);
    expect(Bearer.fromCache(tokenVerifier, bearer, now)).toBeNull();
    expect(cached()).toBe(0);
    expect(await Bearer.verify(tokenVerifier, bearer, now)).toEqual({ kind: 'revoked' });
    expect(cached()).toBe(0);
  });

  test('of one token leaves the others of its session', async () => {
    const other = await AccessToken.issue(ring, session, now);
    Bearer.revoke(tokenVerifier, issued.claims.jti, now);
    expect((await Bearer.verify(tokenVerifier, `Bearer ${other.token}`, now)).kind).toBe('token');
  });

  test.each([
    ['token', () => issued.claims.jti],
    ['session', () => session.sid],
  ])('of the %s wins although it arrives while the signature is being checked', async (_, id) => {
    const underWay = Bearer.verify(tokenVerifier, bearer, now);
    Bearer.revoke(tokenVerifier, id(), now);
    expect(await underWay).toEqual({ kind: 'revoked' });
    expect(Bearer.fromCache(tokenVerifier, bearer, now)).toBeNull();
  });

  test('wins over a crowd of verifications, at whichever step it arrives', async () => {
    for (let steps = 0; steps < 12; steps++) {
      tokenVerifier = Bearer.openTokenVerifier(ring, now);
      const crowd = Array.from({ length: 8 }, () => Bearer.verify(tokenVerifier, bearer, now));
      for (let step = 0; step < steps; step++) await null;
      Bearer.revoke(tokenVerifier, issued.claims.jti, now);
      await Promise.all(crowd);
      expect(Bearer.fromCache(tokenVerifier, bearer, now)).toBeNull();
      expect(await Bearer.verify(tokenVerifier, bearer, now)).toEqual({ kind: 'revoked' });
    }
  });

  test('holds in any order of calls, revocations and passing time, until the token is dead by itself', async () => {
    const tokens = await Promise.all(
      [0, 1, 2].map((i) => AccessToken.issue(ring, { ...session, sid: `reg_${i % 2}` }, now)),
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant('call' as const), which: fc.nat(2), waitMs: fc.nat(600_000) }),
      fc.record({ do: fc.constant('revoke' as const), which: fc.nat(2), bySession: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const own = Bearer.openTokenVerifier(ring, now);
        const revoked = new Set<string>();
        let at = now;
        for (const next of steps) {
          const token = tokens[next.which];
          if (token === undefined) throw new Error('no such token');
          if (next.do === 'revoke') {
            const id = next.bySession ? token.claims.sid : token.claims.jti;
            Bearer.revoke(own, id, at);
            revoked.add(id);
            continue;
          }
          at += next.waitMs;
          const found = await Bearer.verify(own, `Bearer ${token.token}`, at);
          const dead = at >= token.claims.expiresMs + clockToleranceSeconds * 1000;
          const gone = revoked.has(token.claims.jti) || revoked.has(token.claims.sid);
          expect(found.kind).toBe(dead ? 'expired' : gone ? 'revoked' : 'token');
        }
      }),
    );
  });
});

describe('the list of revocations', () => {
  const token: Claims = {
    ...{ ...session, jti: 'at_1', holder: 'acc_1.0', isApplication: false },
    ...{ issuedMs: now, expiresMs: now + 3_600_000 },
  };

  test('keeps an id as long as any token it can name may live, and then lets it go', () => {
    const list = RevocationList.create(now);
    const late = now + RevocationList.holdMs - 1;
    RevocationList.add(list, 'at_1', late);
    RevocationList.add(list, 'x', late + 1);
    RevocationList.add(list, 'y', late + RevocationList.holdMs);
    expect(RevocationList.includes(list, token)).toBe(true);
    RevocationList.add(list, 'z', late + 1 + RevocationList.holdMs);
    expect(RevocationList.includes(list, token)).toBe(false);
  });

  test('when full refuses all that was issued so far, rather than forget one', () => {
    const list = RevocationList.create(now, 100);
    for (let i = 0; i <= 100; i++) RevocationList.add(list, `at_${i}`, now);
    expect(RevocationList.includes(list, token)).toBe(true);
    expect(RevocationList.includes(list, { ...token, jti: 'at_never', issuedMs: now })).toBe(true);
    expect(RevocationList.includes(list, { ...token, jti: 'at_later', issuedMs: now + 6000 })).toBe(false);
    expect(list.young.size + list.old.size).toBe(0);
  });
});

describe('a change of keys', () => {
  test('shuts out at once whom a removed key had signed for', async () => {
    await Bearer.verify(tokenVerifier, bearer, now);
    Bearer.changeKeys(tokenVerifier, keyRing(publicUrl, [await newKey(now)]));
    expect(Bearer.fromCache(tokenVerifier, bearer, now)).toBeNull();
    expect(await Bearer.verify(tokenVerifier, bearer, now)).toEqual({
      kind: 'invalid',
      reason: 'unknown_key',
    });
  });

  test('wins although it arrives while the signature is being checked', async () => {
    const next = keyRing(publicUrl, [await newKey(now)]);
    const underWay = Bearer.verify(tokenVerifier, bearer, now);
    Bearer.changeKeys(tokenVerifier, next);
    expect(await underWay).toEqual({ kind: 'invalid', reason: 'unknown_key' });
    expect(cached()).toBe(0);
  });

  test('keeps everyone whose key stays', async () => {
    await Bearer.verify(tokenVerifier, bearer, now);
    Bearer.changeKeys(tokenVerifier, keyRing(publicUrl, [key, await newKey(now)]));
    expect((await Bearer.verify(tokenVerifier, bearer, now)).kind).toBe('token');
  });
});

describe('the cache', () => {
  const entry: Claims = {
    ...{ ...session, jti: 'at_1', holder: 'acc_1.0', isApplication: false },
    ...{ issuedMs: now, expiresMs: now + 3_600_000 },
  };

  test('takes in nothing that never verified', async () => {
    const stranger = await newKey(now);
    const forged = await forge({ ...header, kid: stranger.kid }, claims, stranger.privateKey);
    for (const value of [forged, `${issued.token}x`, 'a.b.c', '', 'x'.repeat(tokenCharsMax + 1)]) {
      expect((await Bearer.verify(tokenVerifier, `Bearer ${value}`, now)).kind).toBe('invalid');
    }
    expect(cached()).toBe(0);
  });

  test('stays within its bound under a million distinct values', () => {
    const cache = TokenCache.create();
    let largest = 0;
    for (let i = 0; i < 1_000_000; i++) {
      TokenCache.put(cache, `Bearer ${i}`, entry);
      if (i % 1000 === 0) largest = Math.max(largest, cache.young.size + cache.old.size);
    }
    expect(largest).toBeLessThanOrEqual(2 * TokenCache.entriesMax);
    expect(TokenCache.get(cache, 'Bearer 999999', now)).toBe(entry);
    expect(TokenCache.get(cache, 'Bearer 0', now)).toBeNull();
  });

  test('keeps who calls often through a flood of others', () => {
    const cache = TokenCache.create(100);
    TokenCache.put(cache, 'Bearer regular', entry);
    for (let i = 0; i < 10_000; i++) {
      TokenCache.put(cache, `Bearer ${i}`, entry);
      if (i % 50 === 0) expect(TokenCache.get(cache, 'Bearer regular', now)).toBe(entry);
    }
  });

  test('knows nobody by the end of his token alone', () => {
    const cache = TokenCache.create();
    const signature = 's'.repeat(86);
    const [mine, yours] = [`Bearer mine.${signature}`, `Bearer yours.${signature}`];
    TokenCache.put(cache, mine, entry);
    expect(TokenCache.get(cache, yours, now)).toBeNull();
    expect(TokenCache.get(cache, signature, now)).toBeNull();
    expect(TokenCache.get(cache, mine, now)).toBe(entry);
  });

  test('drops an expired entry from both generations', () => {
    const cache = TokenCache.create(1);
    TokenCache.put(cache, 'Bearer a', entry);
    TokenCache.put(cache, 'Bearer b', entry);
    expect(TokenCache.get(cache, 'Bearer a', entry.expiresMs + 10_000)).toBeNull();
    expect(TokenCache.get(cache, 'Bearer b', entry.expiresMs + 10_000)).toBeNull();
    expect(cache.young.size + cache.old.size).toBe(0);
  });
});
