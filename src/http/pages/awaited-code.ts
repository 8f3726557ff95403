import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as Claim from '../../identity/claim.ts';
import * as Email from '../../identity/email.ts';
import type { Call } from '../request-context.ts';
import * as Cookies from './cookies.ts';

type Origin = Pick<CatalogContext, 'publicUrl'>;

/** The address that this browser was sent a code to, so that a reload or a wrong digit keeps the form for the code. It proves nothing. */
const awaited: Cookies.Cookie = {
  name: 'sluice_code_sent',
  maxAgeSeconds: Claim.codeLifeMs / 1_000,
  sameSite: 'Lax',
};

export function remembered(shop: Origin, email: string): string {
  return Cookies.setCookie(shop, awaited, Buffer.from(email).toString('base64url'));
}

export function forgotten(shop: Origin): string {
  return Cookies.eraseCookie(shop, awaited);
}

/** The address that a code was sent to in the last minutes; null when no code is awaited. */
export function read(shop: Origin, c: Call): string | null {
  const value = Cookies.readCookie(shop, awaited, c);
  return value === null ? null : Email.parse(Buffer.from(value, 'base64url').toString());
}
