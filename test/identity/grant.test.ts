import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AccessToken from '../../src/identity/access-token.ts';
import * as Assertion from '../../src/identity/assertion.ts';
import { openTokenVerifier } from '../../src/identity/bearer.ts';
import * as Form from '../../src/identity/form.ts';
import * as Grant from '../../src/identity/grant.ts';
import type { Reason, Unverified } from '../../src/identity/jwt.ts';
import { keyRing } from '../../src/identity/key-ring.ts';
import * as Revocation from '../../src/identity/revocation.ts';
import * as Registering from '../../src/journeys/registration.ts';
import { newKey, now, ring, session } from './shop.ts';

const form = (values: Record<string, string>) => new URLSearchParams(values).toString();
const grant_type = Assertion.grantType;
const resource = 'https://shop.example/mcp';
const parse = (body: string) => Grant.parse(body, [resource]);

test('reads a token request, and ignores what it does not know', () => {
  expect(
    parse(form({ grant_type, assertion: 'a.b.c', scope: 'all', resource: 'https://x.example' })),
  ).toEqual({
    kind: 'assertion',
    assertion: 'a.b.c',
  });
});

test('reads a code and a refresh token, for a resource of this server only', () => {
  const verifier = 'v'.repeat(43);
  const code = {
    grant_type: 'authorization_code',
    code: 'c',
    client_id: 'i',
    redirect_uri: 'https://a.example/b',
  };
  const read = { kind: 'code', code: 'c', clientId: 'i', redirectUri: 'https://a.example/b', verifier };
  expect(parse(form({ ...code, code_verifier: verifier }))).toEqual(read);
  expect(parse(form({ ...code, code_verifier: verifier, resource: `${resource}/` }))).toEqual(read);
  expect(parse(form({ ...code, code_verifier: verifier, resource: 'https://x.example' }))).toMatchObject({
    error: 'invalid_target',
  });
  for (const name of ['code', 'client_id', 'redirect_uri', 'code_verifier'])
    expect(parse(form({ ...code, code_verifier: verifier, [name]: '' })), name).toMatchObject({
      error: 'invalid_request',
    });
  expect(parse(form({ ...code, code_verifier: 'short' }))).toMatchObject({ error: 'invalid_request' });
  expect(parse(form({ grant_type: 'refresh_token', refresh_token: 'r', client_id: 'i' }))).toEqual({
    kind: 'refresh',
    refreshToken: 'r',
    clientId: 'i',
  });
});

test.each([
  ['nothing', '', 'invalid_request'],
  ['no grant type', form({ assertion: 'a' }), 'invalid_request'],
  ['an empty grant type', form({ grant_type: '', assertion: 'a' }), 'invalid_request'],
  ['no assertion', form({ grant_type }), 'invalid_request'],
  ['an empty assertion', form({ grant_type, assertion: '' }), 'invalid_request'],
  ['another grant', form({ grant_type: 'client_credentials' }), 'unsupported_grant_type'],
  ['no refresh token', form({ grant_type: 'refresh_token' }), 'invalid_request'],
  ['an assertion twice', `${form({ grant_type, assertion: 'a' })}&assertion=b`, 'invalid_request'],
  ['an empty parameter twice', `${form({ grant_type, assertion: 'a' })}&x=&x=`, 'invalid_request'],
  ['JSON', '{"grant_type":"x"}', 'invalid_request'],
  ['too much', form({ grant_type, assertion: 'a'.repeat(Form.formCharsMax) }), 'invalid_request'],
])('refuses %s by the code of RFC 6749', (_, body, error) => {
  expect(parse(body)).toMatchObject({ kind: 'fault', error });
  if (error === 'invalid_request') expect(Revocation.parse(body)).toMatchObject({ kind: 'fault', error });
});

test('never repeats what was sent, and describes in the characters that RFC 6749 allows', () => {
  const reasons: Reason[] = ['type', 'signature', 'too_long'];
  const unverified: (Unverified | { kind: 'revoked' })[] = [
    { kind: 'expired' },
    { kind: 'revoked' },
    ...reasons.map((reason) => ({ kind: 'invalid' as const, reason })),
  ];
  for (const found of unverified) {
    expect(Grant.refusal(found)).toMatchObject({
      error: 'invalid_grant',
      description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
    });
  }
  fc.assert(
    fc.property(fc.string(), (value) => {
      const found = parse(form({ grant_type: `x${value}` }));
      if (found.kind !== 'fault') throw new Error('granted');
      expect(found.description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    }),
  );
});

test('exchanges an assertion for a token of the same session', async () => {
  const { token } = await Assertion.issue(ring, session, now);
  const asked = parse(form({ grant_type, assertion: token }));
  if (asked.kind !== 'assertion') throw new Error('refused');
  const verified = await Assertion.verify(ring, asked.assertion, now);
  if (verified.kind !== 'ok') throw new Error('refused');
  const answer = Grant.tokenResponse({
    access: await AccessToken.issue(ring, verified.claims, now),
    assertion: await Assertion.issue(ring, verified.claims, now),
  });
  expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  expect(await AccessToken.verify(ring, answer.access_token, now)).toMatchObject({
    kind: 'ok',
    claims: session,
  });
});

test('an account that is used once in eighty days is never locked out, and one revocation ends all its assertions', async () => {
  const dayMs = 86_400_000;
  const revoked = new Set<string>();
  let nowMs = now;
  const shop = {
    clock: () => nowMs,
    tokenVerifier: openTokenVerifier(ring, now),
    revocations: { has: async (ids: string[]) => ids.some((id) => revoked.has(id)) },
    team: { holder: async ({ account }: { account: string }) => ({ account, member: null, epoch: 0 }) },
  } as unknown as Parameters<typeof Registering.exchange>[0];
  const assertions = [(await Assertion.issue(ring, session, now)).token];
  for (let days = 0; days < 400; days += 80) {
    const exchanged = await Registering.exchange(shop, form({ grant_type, assertion: assertions[0] ?? '' }));
    if (exchanged.kind !== 'granted') throw new Error(exchanged.description);
    expect(exchanged.assertion?.claims).toMatchObject(session);
    assertions.unshift(exchanged.assertion?.token ?? '');
    nowMs += 80 * dayMs;
  }
  const target = await Revocation.target(ring, assertions[0] ?? '', nowMs);
  if (target.kind === 'nothing') throw new Error('not ours');
  revoked.add(target.id);
  for (const assertion of assertions)
    expect(await Registering.exchange(shop, form({ grant_type, assertion }))).toMatchObject({
      error: 'invalid_grant',
    });
});

describe('revoking', () => {
  test('an access token ends that token, an assertion its session', async () => {
    const access = await AccessToken.issue(ring, session, now);
    const assertion = await Assertion.issue(ring, session, now);
    expect(Revocation.parse(form({ token: access.token, token_type_hint: 'refresh_token' }))).toEqual({
      kind: 'revocation',
      token: access.token,
    });
    expect(await Revocation.target(ring, access.token, now)).toEqual({
      kind: 'token',
      id: access.claims.jti,
      account: session.account,
    });
    expect(await Revocation.target(ring, assertion.token, now)).toEqual({
      kind: 'session',
      id: session.sid,
      account: session.account,
    });
  });

  test('what is expired, unknown or not ours ends nothing', async () => {
    const access = await AccessToken.issue(ring, session, now);
    const foreign = await AccessToken.issue(
      keyRing('https://shop.example', [await newKey(now)]),
      session,
      now,
    );
    expect(await Revocation.target(ring, access.token, now + 7_200_000)).toEqual({ kind: 'nothing' });
    for (const token of ['x', 'a.b.c', foreign.token, 'x'.repeat(100_000)]) {
      expect(await Revocation.target(ring, token, now)).toEqual({ kind: 'nothing' });
    }
  });
});
