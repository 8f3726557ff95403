import { expect, test } from 'vitest';
import { consolePath } from '../../src/http/console/console-path.ts';

test('a sign-in leads back to the page of the console with its query', () => {
  for (const to of [
    '/admin',
    '/admin?days=7',
    '/admin/console/payments?state=refunded&from=2026-11-01',
    '/admin/console/accounts?text=ada%40example.com%20%22x%22',
    '/admin/console/payments/pur_1',
  ])
    expect(consolePath(to)).toBe(to);
});

test('a sign-in leads to no other site, no other part of the shop, and adds no header', () => {
  for (const to of [
    ...['https://evil.example/admin', '//evil.example/admin', '/\\evil.example', '/admin//evil.example'],
    ...[
      '/admin@evil.example',
      '/admin.evil.example',
      '/administrator',
      '/shop/account',
      'javascript:alert(1)',
    ],
    ...['/admin/console/payments?x=\r\nset-cookie: a=b', '/admin?x=\\', '/admin?x="', '/admin?x=1#y'],
    ...['/admin/console/..%2f..%2fshop', `/admin?${'x'.repeat(2_001)}`, '', null],
  ])
    expect([to, consolePath(to)]).toEqual([to, '/admin']);
});
