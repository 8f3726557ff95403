import * as BrowserCookie from '@sluice/kernel/browser-cookie';
import { getCookie } from 'hono/cookie';
import type { Call } from '../request-context.ts';

export type Cookie = BrowserCookie.Cookie;

type Origin = { readonly publicUrl: string };

/** The `Set-Cookie` of a value. */
export function setCookie({ publicUrl }: Origin, cookie: Cookie, value: string): string {
  return BrowserCookie.set(publicUrl, cookie, value);
}

/** The `Set-Cookie` that deletes the cookie. */
export function eraseCookie({ publicUrl }: Origin, cookie: Cookie): string {
  return BrowserCookie.erase(publicUrl, cookie);
}

/** The value that the browser sent, or null. */
export function readCookie({ publicUrl }: Origin, cookie: Cookie, c: Call): string | null {
  return getCookie(c, BrowserCookie.nameOf(publicUrl, cookie)) ?? null;
}
