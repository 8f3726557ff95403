import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as CanonicalJson from '../../src/payment/canonical-json.ts';
import { problemOf } from '../../src/payment/problem.ts';
import * as Receipt from '../../src/payment/receipt.ts';
import * as StripeCharge from '../../src/payment/stripe-charge.ts';

const seller = { networkId: 'profile_1', paymentMethodTypes: ['card', 'link'] };

describe('the request of a card payment', () => {
  test('states the amount in cents, and no external id', () => {
    expect(StripeCharge.request(Money.ofCents(1234), seller)).toEqual({
      amount: '1234',
      currency: 'usd',
      methodDetails: { networkId: 'profile_1', paymentMethodTypes: ['card', 'link'] },
    });
  });

  test.each([Money.ofCents(49), Money.ofMicro(500_001), Money.zero])(
    'is refused for %d micro-dollars',
    (amount) => {
      expect(() => StripeCharge.request(amount, seller)).toThrow(RangeError);
    },
  );
});

describe('the token in a payload', () => {
  test('is read, whatever else the client says', () => {
    expect(StripeCharge.token({ spt: 'spt_1N4Zv32eZvKYlo2CPhVPkJlW' })).toBe('spt_1N4Zv32eZvKYlo2CPhVPkJlW');
    expect(StripeCharge.token({ spt: 'spt_1', externalId: 'mine' })).toBe('spt_1');
  });

  test('is null for anything but a token', () => {
    for (const spt of [
      undefined,
      null,
      1,
      {},
      '',
      'spt_',
      'pm_card_visa',
      'spt_a/../b',
      'spt_a\n',
      `spt_${'a'.repeat(251)}`,
    ]) {
      expect(StripeCharge.token({ spt })).toBeNull();
    }
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => void StripeCharge.token(payload)),
    );
  });
});

test('a receipt says that the payment succeeded, where, and when', () => {
  const settledAtMs = Date.parse('2026-01-01T00:00:00Z');
  const value = Receipt.serialize({ method: 'stripe', reference: 'pi_1', challengeId: 'x7Tg', settledAtMs });
  expect(value).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(CanonicalJson.decode(value)).toEqual({
    status: 'success',
    method: 'stripe',
    reference: 'pi_1',
    challengeId: 'x7Tg',
    timestamp: '2026-01-01T00:00:00.000Z',
  });
});

test('a problem has the type that the draft registers', () => {
  expect(problemOf('invalid-challenge', 'This challenge was used before.')).toEqual({
    type: 'https://paymentauth.org/problems/invalid-challenge',
    title: 'Unknown or used challenge',
    detail: 'This challenge was used before.',
  });
});
