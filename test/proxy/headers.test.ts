import { describe, expect, test } from 'vitest';
import * as Headers from '../../src/proxy/headers.ts';

const guard: Headers.Guard = { secrets: ['sk_operator'], samePaths: true };

function names(flat: readonly string[]): string[] {
  return flat.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

describe('headers to the upstream', () => {
  test('carry the content and the preferences of the caller, as they were spelled', () => {
    const crossing = Headers.toUpstream(
      ['Content-Type', 'application/json', 'ACCEPT', 'a/b', 'accept', 'c/d', 'Accept-Language', 'fr'],
      false,
      ['x-api-key', 'sk_operator'],
    );
    expect(crossing).toEqual([
      ...['Content-Type', 'application/json', 'ACCEPT', 'a/b', 'accept', 'c/d', 'Accept-Language', 'fr'],
      ...['accept-encoding', 'identity', 'x-api-key', 'sk_operator'],
    ]);
  });

  test('do not act on what ends at the next hop', () => {
    const ends = [
      'Content-Type',
      'a/b',
      'Connection',
      'keep-alive, CONTENT-TYPE',
      'connection',
      'x-one',
      'X-One',
      '1',
    ];
    expect(Headers.endToEnd(ends)).toEqual(['Connection', 'keep-alive, CONTENT-TYPE', 'connection', 'x-one']);
    const plain = ['Content-Type', 'a/b', 'Connection', 'close'];
    expect(Headers.endToEnd(plain)).toBe(plain);
  });

  test.each([
    ...[
      'Authorization',
      'Cookie',
      'Payment-Signature',
      'payment-authorization',
      'Storefront-Max-Cost',
      'Forwarded',
    ],
    ...['X-Forwarded-For', 'X-Real-IP', 'Via', 'Host', 'Expect', 'Connection', 'Keep-Alive', 'TE', 'Trailer'],
    ...[
      'Transfer-Encoding',
      'Upgrade',
      'Proxy-Authorization',
      'Content-Length',
      'X-Api-Key',
      'Idempotency-Key',
    ],
    ...[
      'User-Agent',
      'Traceparent',
      'X-Request-Id',
      'Origin',
      'Referer',
      'X-HTTP-Method-Override',
      '__proto__',
    ],
  ])('never carry the caller’s %s', (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(Headers.toUpstream([spelling, 'x'], false, [])).toEqual(['accept-encoding', 'identity']);
    }
  });

  test('ask for a plain and whole answer in JSON where it is metered, whatever the caller asked for', () => {
    const asked = ['Range', 'bytes=0-9999', 'If-None-Match', '"a"'];
    const plain = ['accept-encoding', 'identity'];
    expect(Headers.toUpstream(['Accept', 'text/csv', 'Accept-Encoding', 'gzip', ...asked], true, [])).toEqual(
      [...['accept', 'application/json', ...plain]],
    );
    expect(Headers.toUpstream(asked, false, [])).toEqual([...asked, ...plain]);
  });

  test('never carry the caller’s Accept-Encoding: in a coding the key could leave unseen', () => {
    expect(Headers.toUpstream(['Accept-Encoding', 'br, gzip'], false, [])).toEqual([
      'accept-encoding',
      'identity',
    ]);
  });

  test.each([
    ['bytes=0-', true],
    ['bytes=7-4102', true],
    ['bytes=-4096', true],
    ['bytes=7-4101', false],
    ['bytes=0-0', false],
    ['bytes=-1', false],
    ['bytes=5-4', false],
    ['bytes=0-9999,20000-29999', false],
    ['bytes=-', false],
    ['seconds=0-9999', false],
    ['', false],
  ])('carry a range of one part that is wide, so that none lies within the key: %s, %s', (range, crosses) => {
    expect(Headers.toUpstream(['range', range], false, []).includes(range)).toBe(crosses);
  });

  test('leave out what Connection names, before it or behind it', () => {
    const crossing = Headers.toUpstream(
      [
        'Accept',
        'a/b',
        'connection',
        'close, aCCept',
        'Connection',
        'accept-language',
        'Accept-Language',
        'fr',
      ],
      false,
      ['x-api-key', 'sk_operator'],
    );
    expect(crossing).toEqual(['accept-encoding', 'identity', 'x-api-key', 'sk_operator']);
  });

  test('let Connection take neither the key nor the plain coding away', () => {
    const crossing = Headers.toUpstream(['connection', 'x-api-key, accept-encoding'], true, [
      'x-api-key',
      'k',
    ]);
    expect(crossing).toEqual([
      ...['accept', 'application/json', 'accept-encoding', 'identity', 'x-api-key', 'k'],
    ]);
  });

  test('carry one content-type, the first, which is the one the meter reads', () => {
    const sent = ['content-type', 'application/json', 'Content-Type', 'text/plain'];
    expect(names(Headers.toUpstream(sent, false, []))).toEqual(['content-type', 'accept-encoding']);
    expect(Headers.first(sent, 'content-type')).toBe('application/json');
  });
});

describe('headers to the caller', () => {
  test('carry what describes the content', () => {
    const headers = {
      'content-type': 'application/json',
      etag: '"a"',
      'retry-after': '1',
      'x-records-used': '3',
      'x-request-id': 'r',
    };
    const flat = Object.entries(headers).flat();
    expect(Headers.toCaller(flat, guard)).toEqual(flat);
  });

  test.each([
    ...[
      'set-cookie',
      'connection',
      'keep-alive',
      'transfer-encoding',
      'trailer',
      'upgrade',
      'server',
      'via',
      'date',
    ],
    ...['x-records-remaining', 'ratelimit', 'www-authenticate', 'cache-control', 'x-powered-by', 'alt-svc'],
    ...['storefront-units', 'access-control-allow-origin', 'strict-transport-security', 'content-length'],
  ])('never carry %s', (name) => {
    expect(Headers.toCaller([name, 'x'], guard)).toEqual([]);
  });

  test('never carry a value that bears the operator’s key', () => {
    const headers = [
      ...['x-request-id', 'for sk_operator', 'etag', '"sk_operator"'],
      ...['link', '</a>', 'link', '</b?k=sk_operator>'],
    ];
    expect(Headers.toCaller(headers, guard)).toEqual(['link', '</a>']);
  });

  test('carry an address only where it is a path, and the same path here', () => {
    expect(Headers.toCaller(['location', '/v2/exports/7'], guard)).toEqual(['location', '/v2/exports/7']);
    for (const location of [
      'https://upstream.internal/v2',
      '//upstream.internal/v2',
      '/\\upstream.internal',
    ]) {
      expect(Headers.toCaller(['location', location], guard)).toEqual([]);
    }
    expect(Headers.toCaller(['location', '/base/v2'], { ...guard, samePaths: false })).toEqual([]);
  });

  test('leave out what the upstream’s Connection names', () => {
    const headers = ['connection', 'close, ETag', 'etag', '"a"', 'content-type', 'a/b', 'link', '</a>'];
    expect(Headers.toCaller([...headers, 'connection', 'Link'], guard)).toEqual(['content-type', 'a/b']);
  });

  test('carry one content-type and every link', () => {
    const headers = ['content-type', 'a/b', 'link', '</a>', 'content-type', 'c/d', 'link', '</b>'];
    const crossing = Headers.toCaller(headers, guard);
    expect(names(crossing)).toEqual(['content-type', 'link', 'link']);
    expect(crossing[1]).toBe('a/b');
  });
});
