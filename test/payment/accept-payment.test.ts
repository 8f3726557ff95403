import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as AcceptPayment from '../../src/payment/accept-payment.ts';

const offers = ['stripe/charge', 'tempo/charge', 'tempo/session'].map((name) => {
  const [method = '', intent = ''] = name.split('/');
  return { method, intent };
});

describe('offers by the preference of the client', () => {
  test.each([
    ['stripe/charge, tempo/*;q=0.6', 'stripe/charge tempo/charge tempo/session'],
    ['stripe/charge;q=0.2, tempo/session', 'tempo/session stripe/charge'],
    ['*/charge', 'stripe/charge tempo/charge'],
    ['*/*', 'stripe/charge tempo/charge tempo/session'],
    ['tempo/*, tempo/charge;q=0', 'tempo/session'],
    ['tempo/*;q=0.4, */session;q=0.9, stripe/charge ; Q=0.5', 'tempo/session stripe/charge tempo/charge'],
    [', ,tempo/charge,', 'tempo/charge'],
  ])('%s', (header, expected) => {
    expect(names(header)).toBe(expected);
  });

  test.each([
    null,
    '',
    'stripe',
    'stripe/charge;q=2',
    'stripe/charge;q=0.1234',
    'stripe/charge;v=1',
    'Stripe/charge',
    'tempo/charge, ???',
    'solana/charge',
    '*/*;q=0',
    `tempo/charge${', tempo/charge'.repeat(100)}`,
  ])('all of them, in our order, for %s', (header) => {
    expect(names(header)).toBe('stripe/charge tempo/charge tempo/session');
  });

  test('never throws, never invents an offer, never leaves none', () => {
    const headers = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z*/,;q=01. ]{0,40}$/));
    fc.assert(
      fc.property(headers, (header) => {
        const ranked = AcceptPayment.rank(offers, header);
        expect(ranked.length).toBeGreaterThan(0);
        expect(new Set(ranked).size).toBe(ranked.length);
        expect(offers).toEqual(expect.arrayContaining(ranked));
      }),
      { numRuns: 1000 },
    );
  });
});

function names(header: string | null): string {
  return AcceptPayment.rank(offers, header)
    .map(({ method, intent }) => `${method}/${intent}`)
    .join(' ');
}
