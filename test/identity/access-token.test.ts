import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as Assertion from '../../src/identity/assertion.ts';
import { clockToleranceSeconds, tokenCharsMax } from '../../src/identity/jwt.ts';
import { claims, forge, header, key, newKey, now, publicUrl, ring, session } from './shop.ts';

const second = 1000;
const verify = (token: string, at = now) => AccessToken.verify(ring, token, at);
const invalid = (reason: string) => ({ kind: 'invalid', reason });
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('verifies what it issued, and says for whom and until when', async () => {
  const issued = await AccessToken.issue(ring, session, now);
  expect(await verify(issued.token)).toEqual({ kind: 'ok', claims: issued.claims });
  expect(issued.claims).toMatchObject({ ...session, issuedMs: now, expiresMs: now + 3600 * second });
  expect(issued.token.length).toBeLessThan(tokenCharsMax / 4);
});

test('gives each token an id of its own', async () => {
  const [a, b] = await Promise.all([
    AccessToken.issue(ring, session, now),
    AccessToken.issue(ring, session, now),
  ]);
  expect(a.claims.jti).not.toBe(b.claims.jti);
});

test('takes the untouched forgery of these tests, so that each spoilt one fails for its own reason', async () => {
  expect((await verify(await forge(header, claims))).kind).toBe('ok');
});

describe('refuses by header', () => {
  test('no algorithm', async () => {
    for (const alg of ['none', 'NONE', 'nOnE']) {
      const unsigned = `${base64url({ ...header, alg })}.${base64url(claims)}.`;
      expect(await verify(unsigned)).toEqual(invalid('malformed'));
      expect(await verify(`${unsigned}AA`)).toEqual(invalid('algorithm'));
    }
  });

  test('HS256 keyed with the public key in any of its spellings', async () => {
    const spki = createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' });
    const spellings = [
      spki.export({ type: 'spki', format: 'pem' }).toString(),
      JSON.stringify(key.publicJwk),
      key.publicJwk.x,
    ];
    for (const secret of spellings) {
      const token = await forge({ ...header, alg: 'HS256' }, claims, new TextEncoder().encode(secret));
      expect(await verify(token)).toEqual(invalid('algorithm'));
    }
  });

  test('a key that is not ours, under its own kid or under ours', async () => {
    const stranger = await newKey(now);
    expect(await verify(await forge({ ...header, kid: stranger.kid }, claims, stranger.privateKey))).toEqual(
      invalid('unknown_key'),
    );
    expect(await verify(await forge(header, claims, stranger.privateKey))).toEqual(invalid('signature'));
  });

  test('a key that the token brings along', async () => {
    const stranger = await newKey(now);
    const brought = {
      ...header,
      kid: stranger.kid,
      jwk: stranger.publicJwk,
      jku: 'https://evil.example/jwks',
    };
    expect(await verify(await forge(brought, claims, stranger.privateKey))).toEqual(invalid('unknown_key'));
  });

  test('no kid, and a kid named like a member of every object', async () => {
    const { kid: _, ...anonymous } = header;
    expect(await verify(await forge(anonymous, claims))).toEqual(invalid('unknown_key'));
    expect(await verify(await forge({ ...header, kid: '__proto__' }, claims))).toEqual(
      invalid('unknown_key'),
    );
  });

  test('another type, or none', async () => {
    for (const typ of ['JWT', 'identity-assertion+jwt', 'logout+jwt', undefined]) {
      expect(await verify(await forge({ ...header, typ }, claims))).toEqual(invalid('type'));
    }
  });

  test('an extension that must be understood', async () => {
    const [, payload, signature] = (await forge(header, claims)).split('.');
    const critical = base64url({ ...header, crit: ['x'], x: 1 });
    expect(await verify(`${critical}.${payload}.${signature}`)).toEqual(invalid('malformed'));
  });
});

describe('refuses by claims', () => {
  test.each([
    ['another issuer', { iss: 'https://evil.example' }, 'issuer'],
    ['an issuer that only begins like ours', { iss: `${publicUrl}.evil.example` }, 'issuer'],
    ['no issuer', { iss: undefined }, 'issuer'],
    ['another audience', { aud: 'https://other.example' }, 'audience'],
    ['the audience of assertions', { aud: `${publicUrl}/oauth2/token` }, 'audience'],
    ['us among several audiences', { aud: [publicUrl, 'https://other.example'] }, 'claims'],
    ['an issue in the future', { iat: claims.iat + clockToleranceSeconds + 1 }, 'not_yet_valid'],
    ['a start in the future', { nbf: claims.iat + clockToleranceSeconds + 1 }, 'not_yet_valid'],
    ['no issue time', { iat: undefined }, 'claims'],
    ['no expiry', { exp: undefined }, 'claims'],
    ['an expiry in words', { exp: '2099-01-01' }, 'claims'],
    ['half a second', { exp: claims.exp + 0.5 }, 'claims'],
    ['no subject', { sub: undefined }, 'claims'],
    ['an empty subject', { sub: '' }, 'claims'],
    ['a subject that is no string', { sub: 7 }, 'claims'],
    ['an endless subject', { sub: 'a'.repeat(129) }, 'claims'],
    ['no session', { sid: undefined }, 'claims'],
    ['no id', { jti: undefined }, 'claims'],
    ['no client', { client_id: undefined }, 'claims'],
  ])('%s', async (_, spoilt, reason) => {
    expect(await verify(await forge(header, { ...claims, ...spoilt } as typeof claims))).toEqual(
      invalid(reason),
    );
  });

  test('a life without end, even from our own key', async () => {
    const endless = await forge(
      header,
      JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e999'),
    );
    expect(await verify(endless)).toEqual(invalid('claims'));
    const long = await forge(header, { ...claims, exp: claims.exp + 10 * 86_400 });
    expect(await verify(long)).toMatchObject({ claims: { expiresMs: now + 3600 * second } });
    expect(await verify(long, now + 3700 * second)).toEqual({ kind: 'expired' });
  });

  test('claims that are not an object', async () => {
    for (const payload of ['[]', 'null', '"x"', 'x', '']) {
      expect(await verify(await forge(header, payload))).toEqual(invalid('malformed'));
    }
  });
});

test('expires to the second, after the tolerance', async () => {
  const { token, claims } = await AccessToken.issue(ring, session, now);
  const end = claims.expiresMs + clockToleranceSeconds * second;
  expect((await verify(token, end - 1)).kind).toBe('ok');
  expect(await verify(token, end)).toEqual({ kind: 'expired' });
});

test('takes a token from a process whose clock is ahead within the tolerance', async () => {
  const ahead = await AccessToken.issue(ring, session, now + clockToleranceSeconds * second);
  expect((await verify(ahead.token)).kind).toBe('ok');
});

test('calls only a genuine token expired', async () => {
  const stranger = await newKey(now);
  const later = now + 7200 * second;
  expect(await verify(await forge(header, claims, stranger.privateKey), later)).toEqual(invalid('signature'));
  expect(await verify(await forge(header, { ...claims, iss: 'https://evil.example' }), later)).toEqual(
    invalid('issuer'),
  );
});

test('never takes an assertion for an access token, nor the other way', async () => {
  const access = await AccessToken.issue(ring, session, now);
  const assertion = await Assertion.issue(ring, session, now);
  expect(await verify(assertion.token)).toEqual(invalid('type'));
  expect(await Assertion.verify(ring, access.token, now)).toEqual(invalid('type'));
  // Even with the type forged, the audience distinguishes the two kinds of tokens.
  const retyped = await forge({ ...header, typ: 'identity-assertion+jwt' }, claims);
  expect(await Assertion.verify(ring, retyped, now)).toEqual(invalid('audience'));
});

test('lets an assertion live 90 days and no longer', async () => {
  const { token, claims } = await Assertion.issue(ring, session, now);
  expect(claims.expiresMs).toBe(now + 90 * 86_400 * second);
  expect((await Assertion.verify(ring, token, claims.expiresMs)).kind).toBe('ok');
  expect(await Assertion.verify(ring, token, claims.expiresMs + clockToleranceSeconds * second)).toEqual({
    kind: 'expired',
  });
});

describe('answers with a refusal, never with a fault, to', () => {
  test('tokens cut anywhere', async () => {
    const { token } = await AccessToken.issue(ring, session, now);
    for (let length = 0; length < token.length; length += 7) {
      expect((await verify(token.slice(0, length))).kind).toBe('invalid');
    }
  });

  test('tokens with one character changed in their header or claims', async () => {
    const { token } = await AccessToken.issue(ring, session, now);
    const signed = token.lastIndexOf('.');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(signed - 1),
        fc.constantFrom('A', 'z', '.', '=', ' ', 'é'),
        async (at, char) => {
          fc.pre(token[at] !== char);
          const changed = token.slice(0, at) + char + token.slice(at + 1);
          expect((await verify(changed)).kind).toBe('invalid');
        },
      ),
    );
  });

  test('a good token in other spellings: blanks, padding, plain base64', async () => {
    const { token } = await AccessToken.issue(ring, session, now);
    for (const other of [`${token} `, `${token}\n`, `${token}==`, ` ${token}`, token.replace('.', ' .')]) {
      expect(await verify(other)).toEqual(invalid('malformed'));
    }
  });

  test('garbage with two dots', async () => {
    const part = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((text) => base64url(text)),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(part, part, part, async (a, b, c) => {
        expect((await verify(`${a}.${b}.${c}`)).kind).toBe('invalid');
      }),
      { numRuns: 500 },
    );
  });

  test('headers of any JSON before a genuine body', async () => {
    const [, payload, signature] = (await AccessToken.issue(ring, session, now)).token.split('.');
    const value = fc.jsonValue();
    const forged = fc.record(
      {
        alg: fc.oneof(fc.constant('ES256'), value),
        typ: value,
        kid: fc.oneof(fc.constant(key.kid), value),
        b64: value,
        crit: value,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(forged, async (head) => {
        expect((await verify(`${base64url(head)}.${payload}.${signature}`)).kind).toBe('invalid');
      }),
      { numRuns: 300 },
    );
  });

  test('tokens of any size, and the large ones without reading them', async () => {
    const huge = await forge(header, { ...claims, pad: 'x'.repeat(tokenCharsMax) });
    expect(await verify(huge)).toEqual(invalid('too_long'));
    expect(await verify('.'.repeat(10_000_000))).toEqual(invalid('too_long'));
  });
});
