import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Credential from '../../src/payment/credential.ts';

const challenge = {
  id: 'x7Tg',
  realm: 'shop.example.com',
  method: 'stripe',
  intent: 'charge',
  request: 'eyJhbW91bnQiOiI1MCJ9',
  expires: '2026-01-01T00:05:00.000Z',
  digest: 'sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:',
  opaque: 'e30',
};
const wire = { challenge, payload: { spt: 'spt_1' } };
const alternate = { ...wire, challenge: { ...challenge, header: 'Payment-Authorization' } };

describe('the Payment credential of a request', () => {
  test('is read from Authorization, whatever the case of the scheme and whoever stands beside it', () => {
    for (const line of [`Payment ${b64(wire)}`, `pAyMeNt ${b64(wire)}`, `Bearer x, Payment ${b64(wire)}`]) {
      expect(inAuthorization(line)).toEqual({ kind: 'credential', ...wire });
    }
    expect(inAuthorization('Bearer x', `Payment ${b64(wire)}`)).toEqual({ kind: 'credential', ...wire });
  });

  test('is read padded and in the standard alphabet', () => {
    const said = { ...wire, payload: { spt: 'spt_1', note: '???>>>ü' } };
    const bytes = Buffer.from(JSON.stringify(said));
    expect(bytes.toString('base64')).toMatch(/[+/]/);
    expect(inAuthorization(`Payment ${bytes.toString('base64')}`)).toEqual({ kind: 'credential', ...said });
  });

  test('is read from Payment-Authorization where its challenge says so, beside a bearer token', () => {
    expect(
      Credential.read({ authorization: ['Bearer x'], paymentAuthorization: [`Payment ${b64(alternate)}`] }),
    ).toEqual({ kind: 'credential', ...alternate });
  });

  test('keeps the source, and drops what the draft does not know', () => {
    const source = 'did:pkh:eip155:8453:0xabc';
    const said = { ...wire, challenge: { ...challenge, surprise: 'x' }, source, more: 1 };
    expect(inAuthorization(`Payment ${b64(said)}`)).toEqual({ kind: 'credential', ...wire, source });
  });

  test('is none where nobody pays', () => {
    for (const line of ['', 'Bearer x', 'Basic UGF5bWVudCB5', 'Digest a="Payment y"']) {
      expect(inAuthorization(line)).toEqual({ kind: 'none' });
    }
    expect(inAuthorization()).toEqual({ kind: 'none' });
  });

  test('is many where there are two, in one line, in two lines or in two fields', () => {
    const line = `Payment ${b64(wire)}`;
    expect(inAuthorization(`${line}, ${line}`)).toEqual({ kind: 'many' });
    expect(inAuthorization(line, line)).toEqual({ kind: 'many' });
    const other = `Payment ${b64(alternate)}`;
    expect(Credential.read({ authorization: [line], paymentAuthorization: [other] })).toEqual({
      kind: 'many',
    });
  });
});

describe('a malformed credential', () => {
  test.each([
    ['encoding', 'Payment'],
    ['encoding', 'Payment dGhpcyBpcyBnYXJiYWdl'],
    ['encoding', 'Payment id="x", realm="y"'],
    ['encoding', `Payment ${b64([wire])}`],
    ['encoding', `Payment ${b64('text')}`],
    ['challenge', `Payment ${b64({ payload: {} })}`],
    ['challenge', `Payment ${b64({ ...wire, challenge: { ...challenge, id: '' } })}`],
    ['challenge', `Payment ${b64({ ...wire, challenge: { ...challenge, request: { amount: '50' } } })}`],
    ['challenge', `Payment ${b64({ ...wire, challenge: { ...challenge, digest: null } })}`],
    ['challenge', `Payment ${b64({ ...wire, challenge: { ...challenge, header: 'X-Pay' } })}`],
    ['payload', `Payment ${b64({ challenge })}`],
    ['payload', `Payment ${b64({ challenge, payload: 'spt_1' })}`],
    ['source', `Payment ${b64({ ...wire, source: 1 })}`],
    ['source', `Payment ${b64({ ...wire, source: 'd'.repeat(257) })}`],
    ['length', `Payment ${'A'.repeat(Credential.credentialCharsMax + 1)}`],
  ])('is refused for its %s: %s', (reason, line) => {
    expect(inAuthorization(line)).toEqual({ kind: 'malformed', reason });
  });

  test('that names the alternate field is read from the usual one too, where some clients always put it', () => {
    expect(inAuthorization(`Payment ${b64(alternate)}`)).toMatchObject({ kind: 'credential' });
  });

  test('is refused in an alternate field that its challenge did not ask for, or under another scheme there', () => {
    const inAlternate = (line: string) =>
      Credential.read({ authorization: [], paymentAuthorization: [line] });
    expect(inAlternate(`Payment ${b64(wire)}`)).toEqual({ kind: 'malformed', reason: 'field' });
    expect(inAlternate(`Bearer ${b64(alternate)}`)).toEqual({ kind: 'malformed', reason: 'scheme' });
  });
});

describe('whatever comes', () => {
  const lines = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String().map((text) => `Payment ${text}`),
      fc.jsonValue().map((value) => `Payment ${b64(value)}`),
      fc.jsonValue().map((value) => `Payment ${b64({ ...wire, challenge: value })}`),
      fc
        .tuple(fc.constantFrom(...Object.keys(challenge)), fc.jsonValue())
        .map(([name, value]) => `Payment ${b64({ ...wire, challenge: { ...challenge, [name]: value } })}`),
    ),
    { maxLength: 3 },
  );

  test('reading never throws and answers with one of the listed kinds and reasons', () => {
    fc.assert(
      fc.property(lines, lines, (authorization, paymentAuthorization) => {
        const reading = Credential.read({ authorization, paymentAuthorization });
        expect(['none', 'credential', 'malformed', 'many']).toContain(reading.kind);
        if (reading.kind === 'malformed') expect(Object.keys(Credential.reasons)).toContain(reading.reason);
      }),
      { numRuns: 1000 },
    );
  });

  test('any challenge, payload and source comes back as it was sent', () => {
    const text = fc.string({ minLength: 1, maxLength: 60 });
    const required = { id: text, realm: text, method: text, intent: text, request: text };
    const optional = { expires: text, digest: text, opaque: text, description: text };
    const anyCredential = fc.record({
      challenge: fc.record(
        { ...required, ...optional },
        { requiredKeys: Object.keys(required) as (keyof typeof required)[], noNullPrototype: true },
      ),
      payload: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), { noNullPrototype: true }),
    });
    fc.assert(
      fc.property(anyCredential, (credential) => {
        expect(inAuthorization(`Payment ${b64(credential)}`)).toEqual({ kind: 'credential', ...credential });
      }),
    );
  });
});

function inAuthorization(...authorization: string[]) {
  return Credential.read({ authorization, paymentAuthorization: [] });
}

function b64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
