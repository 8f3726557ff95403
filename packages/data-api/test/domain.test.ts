import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Domain from '../src/filters/domain.ts';

describe('the host of an address', () => {
  it.each([
    ['example.com', 'example.com'],
    ['https://www.Example.com/about?x=1#y', 'example.com'],
    ['http://example.com:8080', 'example.com'],
    ['//example.com/', 'example.com'],
    ['  example.com. ', 'example.com'],
    ['www.example.com', 'example.com'],
    ['www.com', 'www.com'],
    ['shop.example.co.uk', 'shop.example.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['my_shop.example', 'my_shop.example'],
  ])('%s', (text, expected) => {
    expect(Domain.host(text)).toBe(expected);
  });

  it.each([
    '',
    'localhost',
    'a b.example',
    'me@example.com',
    '10.0.0.1',
    '[::1]',
    'ftp://a.example',
    '.',
    'a..b',
    '💥',
  ])('is none in %j', (text) => {
    expect(Domain.host(text)).toBeNull();
  });

  it('is what it is the host of, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl(), fc.domain(), fc.string({ unit: 'binary', maxLength: 80 })),
        (text) => {
          const host = Domain.host(text);
          if (host !== null) expect(Domain.host(host)).toBe(host.replace(/^www\.(?=.*\.)/, ''));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the domains to look for', () => {
  it('are the host and what it is a part of, the closest first, in ASCII and in Unicode', () => {
    expect(Domain.candidates('a.b.example.com')).toEqual(['a.b.example.com', 'b.example.com', 'example.com']);
    expect(Domain.candidates('xn--bcher-kva.example')).toEqual(['xn--bcher-kva.example', 'bücher.example']);
  });

  it('are few, however long the name', () => {
    expect(Domain.candidates(`${'a.'.repeat(100)}example`).length).toBeLessThanOrEqual(10);
  });
});
