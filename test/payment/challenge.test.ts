import { contentDigest } from '@sluice/kernel/digest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Challenge from '../../src/payment/challenge.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const secrets = { current: 'c'.repeat(32), previous: 'p'.repeat(32) };
const terms: Challenge.ChallengeTerms = {
  realm: 'shop.example.com',
  method: 'stripe',
  intent: 'charge',
  request: {
    amount: '50',
    currency: 'usd',
    methodDetails: { networkId: 'profile_1', paymentMethodTypes: ['card'] },
  },
  expiresAtMs: now + 300_000,
  opaque: { order: 'ord_1', plan: 'credit', account: 'acc_1' },
  digest: contentDigest('{}'),
  header: Challenge.alternateField,
  description: 'Credit',
};
const { description: _, ...bound } = terms;
const challenge = Challenge.issue(terms, secrets);

describe('a challenge of ours', () => {
  test('is known again, with everything it says', () => {
    expect(Challenge.verify(challenge, secrets, now)).toEqual({ kind: 'ok', terms: bound });
  });

  test('says again whatever terms it was issued for', () => {
    const word = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
    const anyTerms = fc.record(
      {
        realm: word,
        method: word,
        intent: word,
        request: fc.dictionary(word, fc.string()),
        opaque: fc.dictionary(word, fc.string()),
        expiresAtMs: fc.integer({ min: now + 1, max: now + 1e9 }),
        digest: fc.string().map(contentDigest),
        header: fc.constant(Challenge.alternateField),
      },
      {
        requiredKeys: ['realm', 'method', 'intent', 'request', 'opaque', 'expiresAtMs'],
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(anyTerms, (some) => {
        const verdict = Challenge.verify(Challenge.issue(some, secrets), secrets, now);
        expect(verdict).toEqual({ kind: 'ok', terms: some });
      }),
    );
  });

  test('is known under the previous secret, and no longer once that is gone', () => {
    const older = Challenge.issue(terms, { current: secrets.previous });
    expect(Challenge.verify(older, secrets, now).kind).toBe('ok');
    expect(Challenge.verify(older, { current: secrets.current }, now).kind).toBe('unknown');
  });

  test('expires at its very millisecond, and still says what it was for', () => {
    expect(Challenge.verify(challenge, secrets, terms.expiresAtMs - 1).kind).toBe('ok');
    expect(Challenge.verify(challenge, secrets, terms.expiresAtMs)).toEqual({
      kind: 'expired',
      terms: bound,
    });
  });

  test('has the id that the draft computes: seven slots, and an eighth for the field', () => {
    const plain = Challenge.issue(
      { realm: 'r', method: 'm', intent: 'i', request: {}, opaque: {}, expiresAtMs: 0 },
      { current: 'k'.repeat(32) },
    );
    // printf 'r|m|i|e30|1970-01-01T00:00:00.000Z||e30' | openssl dgst -sha256 -hmac kkkk... -binary | base64
    expect(plain.id).toBe('yWFpVmguPyl_7NlY_RuY95pntMBPxrsKMS1kTw814cM');
    const withField = Challenge.issue(
      {
        realm: 'r',
        method: 'm',
        intent: 'i',
        request: {},
        opaque: {},
        expiresAtMs: 0,
        header: 'Payment-Authorization',
      },
      { current: 'k'.repeat(32) },
    );
    expect(withField.id).toBe('cxvHNxHmqXu2FhSfvyW4ce1xLCtUPgdWEL-z4RZX_-g');
  });
});

describe('a challenge that was touched', () => {
  const fields = [
    'id',
    'realm',
    'method',
    'intent',
    'request',
    'expires',
    'digest',
    'opaque',
    'header',
  ] as const;

  test('is refused whatever one character of whatever bound field changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.nat(),
        fc.string({ unit: 'binary-ascii', maxLength: 1 }),
        (field, at, other) => {
          const value = challenge[field] ?? '';
          const position = at % value.length;
          fc.pre(value[position] !== other);
          const changed = value.slice(0, position) + other + value.slice(position + 1);
          const verdict = Challenge.verify({ ...challenge, [field]: changed }, secrets, now);
          expect(['unknown', 'malformed']).toContain(verdict.kind);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each(['expires', 'digest', 'opaque', 'header'] as const)('is refused without its %s', (field) => {
    const { [field]: _gone, ...rest } = challenge;
    expect(Challenge.verify(rest, secrets, now).kind).toBe('unknown');
  });

  test('is refused where a boundary between two fields moved', () => {
    const { header = '', ...rest } = challenge;
    const moved = { ...rest, opaque: `${rest.opaque}|${header}` };
    expect(Challenge.verify(moved, secrets, now)).toEqual({ kind: 'malformed' });
  });

  test('is refused with the parameters of another challenge of ours', () => {
    const cheap = Challenge.issue({ ...terms, request: { ...terms.request, amount: '1' } }, secrets);
    expect(Challenge.verify({ ...challenge, request: cheap.request }, secrets, now).kind).toBe('unknown');
  });

  test('never throws, whatever the fields hold', () => {
    const any = fc.string({ unit: 'binary' });
    const echoed = fc.record(Object.fromEntries(fields.map((field) => [field, any])));
    fc.assert(
      fc.property(echoed, (fuzz) => {
        const verdict = Challenge.verify({ ...challenge, ...fuzz }, secrets, now);
        expect(['unknown', 'malformed']).toContain(verdict.kind);
      }),
    );
  });
});

test('the description is for people: another one changes nothing', () => {
  const verdict = Challenge.verify({ ...challenge, description: 'Free!' }, secrets, now);
  expect(verdict).toEqual({ kind: 'ok', terms: bound });
});

describe('what this route offers now', () => {
  const offer = { ...bound, opaque: { plan: 'credit', account: 'acc_1' } };

  test('is met by its own challenge, whatever the order of members', () => {
    expect(Challenge.matchesOffer(bound, offer)).toBe(true);
    const { amount, ...others } = terms.request as { amount: string };
    expect(Challenge.matchesOffer(bound, { ...offer, request: { ...others, amount } })).toBe(true);
  });

  test.each<Partial<Challenge.ChallengeTerms>>([
    { realm: 'other.example.com' },
    { method: 'tempo' },
    { intent: 'session' },
    { request: { ...terms.request, amount: '5000' } },
    { request: { ...terms.request, currency: 'eur' } },
    { opaque: { plan: 'start', account: 'acc_1' } },
    { opaque: { plan: 'credit', account: 'acc_2' } },
    { opaque: { plan: 'credit', account: 'acc_1', more: '' } },
    { opaque: { toString: 'x' } },
  ])('is not met when it is %j', (change) => {
    expect(Challenge.matchesOffer(bound, { ...offer, ...change })).toBe(false);
  });

  test('takes the one body that the digest names', () => {
    expect(Challenge.matchesBody(bound, '{}')).toBe(true);
    expect(Challenge.matchesBody(bound, Buffer.from('{}'))).toBe(true);
    fc.assert(fc.property(fc.string(), (body) => Challenge.matchesBody(bound, body) === (body === '{}')));
    const { digest: _none, ...unbound } = bound;
    expect(Challenge.matchesBody(unbound, '{}')).toBe(false);
  });
});

describe('on the wire', () => {
  test('every parameter is a quoted string, and reads back as it was', () => {
    const line = Challenge.serialize(
      Challenge.issue({ ...terms, description: 'a "quoted" \\ word, 5%' }, secrets),
    );
    expect(line).toMatch(
      /^Payment id="[\w-]{43}", realm="shop\.example\.com", method="stripe", intent="charge", /,
    );
    const read = [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
      name,
      value?.replace(/\\(.)/g, '$1'),
    ]);
    expect(Object.fromEntries(read)).toEqual({ ...challenge, description: 'a "quoted" \\ word, 5%' });
  });

  test('a description in any language leaves as printable ASCII', () => {
    const say = (description: string) => Challenge.issue({ ...terms, description }, secrets).description;
    expect(say('Crédit à l’usage\r\nSet-Cookie: x')).toBe('Credit a l?usage??Set-Cookie: x');
    expect(say('')).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Challenge.serialize(Challenge.issue({ ...terms, description: text }, secrets))).toMatch(
          /^[ -~]+$/,
        );
      }),
    );
  });

  test('what no header can carry is refused at issue, as is a short secret', () => {
    expect(() => Challenge.issue({ ...terms, realm: 'a|b' }, secrets)).toThrow(RangeError);
    expect(() => Challenge.issue({ ...terms, realm: 'a\r\nb' }, secrets)).toThrow(RangeError);
    expect(() => Challenge.issue(terms, { current: 'c'.repeat(31) })).toThrow(RangeError);
    expect(() => Challenge.verify(challenge, { ...secrets, previous: '' }, now)).toThrow(RangeError);
    const long = Challenge.issue({ ...terms, opaque: { order: 'o'.repeat(7000) } }, secrets);
    expect(() => Challenge.serialize(long)).toThrow(RangeError);
  });
});
