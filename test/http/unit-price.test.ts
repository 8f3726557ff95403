import * as Money from '@sluice/kernel/money';
import { describe, expect, test } from 'vitest';
import { mailboxOf } from '../../src/http/pages/mailbox-link.ts';
import { effectivePrice, unitPrice } from '../../src/http/pages/unit-price.ts';
import { english } from '../../src/text/texts.ts';

const price = (microUsd: number) => unitPrice(english, { price: Money.ofMicro(microUsd), unit: 'result' });

describe('the price of a unit', () => {
  test('is exact, and named by the thousand below a cent', () => {
    expect(price(1_000)).toBe('1.00 USD per 1,000 results');
    expect(price(1)).toBe('0.001 USD per 1,000 results');
    expect(price(50_000)).toBe('0.05 USD per result');
  });

  test('of a plan is rounded up to cents and marked as rounded: it never promises less than is charged', () => {
    expect(effectivePrice(english, 99_000_000, 200_000, 'result')).toBe('About 0.50 USD per 1,000 results');
    expect(effectivePrice(english, 499_000_000, 5_000_000, 'result')).toBe(
      'About 0.10 USD per 1,000 results',
    );
    expect(effectivePrice(english, 10_000_000, 100_000, 'result')).toBe('0.10 USD per 1,000 results');
    expect(effectivePrice(english, 20_000_000, 300, 'result')).toBe('About 0.07 USD per result');
  });

  test('of a plan is not rounded to cents where that would distort it', () => {
    expect(effectivePrice(english, 1_000_000, 1_000_000, 'result')).toBe('0.001 USD per 1,000 results');
  });
});

test('only the domain of an address chooses the mailbox that is linked', () => {
  expect(mailboxOf('ada@Gmail.com')?.url).toBe('https://mail.google.com/');
  expect(mailboxOf('gmail.com@example.com')).toBeNull();
});
