import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AddressBlock from '../../src/identity/address-block.ts';
import * as Registration from '../../src/identity/registration.ts';
import { now } from './shop.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('a registration body', () => {
  test('asks for an anonymous account', () => {
    expect(Registration.parse({ type: 'anonymous' })).toEqual({ kind: 'anonymous' });
  });

  test.each([
    ['a near miss', { type: 'anonymus' }, 'type', 'did you mean "anonymous"?'],
    ['a type of other shops', { type: 'service_auth' }, 'type', 'allowed values: anonymous'],
    ['a type that is no string', { type: 7 }, 'type', 'allowed values: anonymous'],
    [
      'a type that cannot be made a string',
      { type: { toString: 1, valueOf: 1 } },
      'type',
      'must be a string',
    ],
    ['no type', {}, 'type', 'is required'],
    ['a misspelt field', { type: 'anonymous', tipe: 1 }, 'body', 'did you mean "type"?'],
    [
      'an unknown field',
      { type: 'anonymous', email: 'a@b.example' },
      'body',
      'unknown field "email"; allowed fields: type',
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
    ['192.0.2.1:80', 'unknown'],
    ['2001:db8::1]/evil', 'unknown'],
  ])('%s counts as %s', (address, block) => {
    expect(AddressBlock.of(address)).toBe(block);
  });

  test('has one block for all spellings, and a /64 for all its hosts', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
        const first = AddressBlock.of(a);
        expect(first).not.toBe('unknown');
        if (first.includes('::/64')) {
          const network = first.slice(0, -'::/64'.length);
          const host = AddressBlock.of(b).includes('::/64') ? '1:2:3:4' : '0:0:0:9';
          expect(AddressBlock.of(`${network}:${host}`)).toBe(first);
        }
      }),
    );
  });
});

describe('a caller registers', () => {
  test('five times in ten minutes, and is told to the second when again', () => {
    const log = Registration.openLog();
    for (let i = 0; i < 5; i++) {
      expect(Registration.admit(log, '192.0.2.1', 0, now + i * minute).kind).toBe('allowed');
    }
    const sixth = Registration.admit(log, '192.0.2.1', 0, now + 5 * minute);
    expect(sixth).toEqual({ kind: 'refused', reason: 'address', retryAfterSeconds: 300 });
    expect(Registration.admit(log, '192.0.2.1', 0, now + 10 * minute - 1).kind).toBe('refused');
    expect(Registration.admit(log, '192.0.2.1', 0, now + 10 * minute).kind).toBe('allowed');
    expect(Registration.admit(log, '192.0.2.2', 0, now + 5 * minute).kind).toBe('allowed');
  });

  test('twenty times a day', () => {
    const log = Registration.openLog();
    for (let i = 0; i < 20; i++) {
      expect(Registration.admit(log, '2001:db8::1', 0, now + i * 30 * minute).kind).toBe('allowed');
    }
    const next = Registration.admit(log, '2001:db8::2', 0, now + 20 * 30 * minute);
    expect(next).toEqual({
      kind: 'refused',
      reason: 'address',
      retryAfterSeconds: (day - 600 * minute) / 1000,
    });
  });

  test('within the ceiling of the day, which ends at midnight UTC', () => {
    const log = Registration.openLog();
    expect(Registration.admit(log, '192.0.2.1', Registration.dailyMax - 1, now).kind).toBe('allowed');
    expect(Registration.admit(log, '192.0.2.1', Registration.dailyMax, now + day - 90_000)).toEqual({
      kind: 'refused',
      reason: 'day',
      retryAfterSeconds: 90,
    });
  });

  test('never more often than every window allows, and exactly when the refusal said', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8 * minute), { minLength: 1, maxLength: 80 }), (waits) => {
        const log = Registration.openLog();
        const allowed: number[] = [];
        let at = now;
        for (const wait of waits) {
          at += wait;
          const admission = Registration.admit(log, '192.0.2.1', 0, at);
          if (admission.kind === 'allowed') allowed.push(at);
          else {
            expect(Registration.decide(allowed, 0, at + admission.retryAfterSeconds * 1000).kind).toBe(
              'allowed',
            );
            expect(Registration.decide(allowed, 0, at + (admission.retryAfterSeconds - 1) * 1000).kind).toBe(
              'refused',
            );
          }
        }
        for (const { ms, registrationsMax } of Registration.windows) {
          for (const start of allowed) {
            expect(allowed.filter((time) => time >= start && time < start + ms).length).toBeLessThanOrEqual(
              registrationsMax,
            );
          }
        }
      }),
    );
  });

  test('from any number of addresses without the log growing past its bound', () => {
    const log = Registration.openLog(1000);
    for (let i = 0; i < 50_000; i++) {
      Registration.admit(log, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0, now);
    }
    expect(log.blocks.size).toBe(1000);
    for (const times of log.blocks.values()) expect(times.length).toBeLessThanOrEqual(20);
  });
});
