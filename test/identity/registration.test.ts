import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AddressBlock from '../../src/identity/address-block.ts';
import * as ProofOfWork from '../../src/identity/proof-of-work.ts';
import * as Registration from '../../src/identity/registration.ts';
import { solve } from '../support/proof-of-work.ts';
import { now } from './shop.ts';

describe('a registration body', () => {
  test('asks for an anonymous account', () => {
    expect(Registration.parse({ type: 'anonymous' })).toEqual({
      kind: 'anonymous',
      credentialType: 'access_token',
      work: null,
    });
    expect(Registration.parse({ type: 'anonymous', requested_credential_type: 'api_key' })).toEqual({
      kind: 'anonymous',
      credentialType: 'api_key',
      work: null,
    });
  });

  test.each([
    ['a near miss', { type: 'anonymus' }, 'type', 'Did you mean "anonymous"?'],
    ['a type of other shops', { type: 'service_auth' }, 'type', 'Allowed values: anonymous'],
    ['a type that is no string', { type: 7 }, 'type', 'Allowed values: anonymous'],
    [
      'a type that cannot be made a string',
      { type: { toString: 1, valueOf: 1 } },
      'type',
      'Must be a string',
    ],
    ['no type', {}, 'type', 'Required'],
    ['a misspelt field', { type: 'anonymous', tipe: 1 }, 'body', 'Did you mean "type"?'],
    [
      'an unknown field',
      { type: 'anonymous', email: 'a@b.example' },
      'body',
      'Unknown field "email". Allowed fields: type, requested_credential_type, proof_of_work',
    ],
    [
      'a credential that is not issued',
      { type: 'anonymous', requested_credential_type: 'x509' },
      'requested_credential_type',
      'Allowed values: access_token, api_key',
    ],
    [
      'half a proof of work',
      { type: 'anonymous', proof_of_work: { challenge: 'c' } },
      'proof_of_work',
      'solution',
    ],
    ['no object', 'anonymous', 'body', '{"type":"anonymous"}'],
    ['a list', [{ type: 'anonymous' }], 'body', '{"type":"anonymous"}'],
    ['null', null, 'body', '{"type":"anonymous"}'],
  ])('with %s is refused by field', (_, body, field, message) => {
    expect(Registration.parse(body)).toEqual({
      kind: 'fault',
      faults: [{ field, message: expect.stringContaining(message) }],
    });
  });

  test('with members of every object is read by its own members only', () => {
    expect(Registration.parse(JSON.parse('{"__proto__":{"type":"anonymous"}}'))).toMatchObject({
      kind: 'fault',
    });
    expect(Registration.parse(Object.create({ type: 'anonymous' }))).toMatchObject({ kind: 'fault' });
  });

  test('never makes more than twenty faults, nor long ones', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 500 }), fc.jsonValue(), { maxKeys: 60 }), (body) => {
        const found = Registration.parse(body);
        if (found.kind === 'anonymous') return;
        expect(found.faults.length).toBeGreaterThan(0);
        expect(found.faults.length).toBeLessThanOrEqual(20);
        for (const { message } of found.faults) expect(message.length).toBeLessThan(200);
      }),
    );
  });
});

describe('an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['', 'unknown'],
    ['192.0.2.1:80', '192.0.2.1'],
    ['[2001:db8::1]:80', '2001:db8:0:0::/64'],
    ['192.0.2.1:', 'unknown'],
    ['192.0.2.300:80', 'unknown'],
    ['2001:db8::1]/evil', 'unknown'],
  ])('%s counts as %s', (address, block) => {
    expect(AddressBlock.blockOf(address)).toBe(block);
  });

  test('has one block for all spellings, and a /64 for all its hosts', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
        const first = AddressBlock.blockOf(a);
        expect(first).not.toBe('unknown');
        if (first.includes('::/64')) {
          const network = first.slice(0, -'::/64'.length);
          const host = AddressBlock.blockOf(b).includes('::/64') ? '1:2:3:4' : '0:0:0:9';
          expect(AddressBlock.blockOf(`${network}:${host}`)).toBe(first);
        }
      }),
    );
  });
});

describe('the blocks of an address', () => {
  test.each([
    ['192.0.2.77', ['192.0.2.77', '192.0.2.0/24']],
    ['192.0.2.77:5678', ['192.0.2.77', '192.0.2.0/24']],
    ['::ffff:192.0.2.77', ['192.0.2.77', '192.0.2.0/24']],
    ['2001:db8:1:2345::9', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['[2001:db8:1:2345::9]:443', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['[2001:db8:1:2345::9]', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['nonsense', ['unknown']],
  ])('%s is part of %s', (address, blocks) => {
    expect(AddressBlock.levels(address)).toEqual(blocks);
  });

  test('have limits that rise with their width', () => {
    const of = (address: string) =>
      Registration.rules(address).map(({ block, seconds, max }) => `${block} ${max} in ${seconds}`);
    expect(of('2001:db8::1')).toEqual([
      '2001:db8:0:0::/64 5 in 600',
      '2001:db8:0:0::/64 20 in 86400',
      '2001:db8:0:0::/56 10 in 600',
      '2001:db8:0:0::/56 40 in 86400',
      '2001:db8:0:0::/48 20 in 600',
      '2001:db8:0:0::/48 80 in 86400',
    ]);
    expect(of('192.0.2.1')).toEqual([
      '192.0.2.1 5 in 600',
      '192.0.2.1 20 in 86400',
      '192.0.2.0/24 20 in 600',
      '192.0.2.0/24 80 in 86400',
    ]);
    for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(of(own)).toEqual([]);
  });
});

describe('a proof of work', () => {
  const secret = 'pow_1';
  const bits = 8;
  const issued = ProofOfWork.issue(secret, bits, now);

  test('holds once it is solved, and not after it has expired', () => {
    const work = solve(issued);
    const proof = ProofOfWork.verify(secret, work, now);
    expect(proof?.expiresMs).toBe(issued.expiresMs);
    expect(ProofOfWork.verify(secret, work, issued.expiresMs - 1)?.id).toBe(proof?.id);
    expect(ProofOfWork.verify(secret, work, issued.expiresMs)).toBeNull();
    expect(ProofOfWork.verify('pow_2', work, now)).toBeNull();
  });

  test('cannot be made easier or last longer', () => {
    const { challenge, solution } = solve(issued);
    const [, seconds = '', nonce = '', mac = ''] = challenge.split('.');
    for (const forged of [
      `0.${seconds}.${nonce}.${mac}`,
      `${bits}.${Number(seconds) + 1}.${nonce}.${mac}`,
      `${bits}.${seconds}.other.${mac}`,
      `${bits}.${seconds}.${nonce}.`,
      `${bits}.${seconds}.${nonce}`,
      '',
      '.',
      `NaN.NaN.${nonce}.${mac}`,
    ])
      expect(ProofOfWork.verify(secret, { challenge: forged, solution }, now)).toBeNull();
    expect(ProofOfWork.verify(secret, { challenge, solution: 'x'.repeat(65) }, now)).toBeNull();
  });

  test('is wrong as a rule where it is guessed', () => {
    const held = Array.from({ length: 100 }, () => {
      const { challenge } = ProofOfWork.issue(secret, 20, now);
      return ProofOfWork.verify(secret, { challenge, solution: '0' }, now);
    });
    expect(held.filter((proof) => proof !== null).length).toBeLessThan(2);
  });

  test('gets harder as the day fills up, to a bound', () => {
    expect([8_000, 10_000, 13_000, 20_000, 1_000_000].map(Registration.workBits)).toEqual([
      18, 19, 20, 24, 24,
    ]);
  });
});
