import { expect, test } from 'vitest';
import * as Cookies from '../../src/http/pages/cookies.ts';

const cookie: Cookies.Cookie = { name: 'sluice_visitor', maxAgeSeconds: 60, sameSite: 'Lax' };

test('under https a cookie has the prefix that keeps other hosts from setting it, and all that the prefix asks for', () => {
  expect(Cookies.setCookie({ publicUrl: 'https://shop.example' }, cookie, 'v')).toBe(
    '__Host-sluice_visitor=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  );
  expect(Cookies.eraseCookie({ publicUrl: 'https://shop.example' }, cookie)).toMatch(
    /^__Host-sluice_visitor=; Path=\/; Max-Age=0; .*Secure$/,
  );
});

test('under plain http on this machine it has neither', () => {
  expect(Cookies.setCookie({ publicUrl: 'http://localhost:4020' }, cookie, 'v')).toBe(
    'sluice_visitor=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
});
