import { path } from '@sluice/kernel/endpoints';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import type { Order } from '../../payment/order.ts';
import type { Call } from '../request-context.ts';
import * as Cookies from './cookies.ts';

/** A cookie holds at most 4,096 bytes with its name and attributes. */
const addressCharsMax = 2_600;
const kept: Cookies.Cookie = { name: 'sluice_return', maxAgeSeconds: 900, sameSite: 'Lax' };

/** The `Set-Cookie` that returns a browser to `address`, a path of the shop with its query, after it has signed in. */
export function remembered(shop: Pick<CatalogContext, 'publicUrl'>, address: string): string {
  if (address.length > addressCharsMax) return forgotten(shop);
  return Cookies.setCookie(shop, kept, Buffer.from(address).toString('base64url'));
}

export function forgotten(shop: Pick<CatalogContext, 'publicUrl'>): string {
  return Cookies.eraseCookie(shop, kept);
}

/** The remembered path. Only the authorization endpoint is accepted: nothing else sets the cookie. */
export function readReturnPath(shop: Pick<CatalogContext, 'publicUrl'>, c: Call): string | null {
  const value = Cookies.readCookie(shop, kept, c);
  if (value === null || !/^[\w-]+$/.test(value)) return null;
  const address = Buffer.from(value, 'base64url').toString();
  return address.startsWith(`${path.authorize}?`) && address.length <= addressCharsMax ? address : null;
}

/** The page to which a signed-in buyer of the shop's pages returns. */
export const accountPath = '/shop/account';

/** The address that a buyer returns to after the card page. Its query names the purchase that the account page confirms. */
export function afterPayment(
  { publicUrl }: Pick<CatalogContext, 'publicUrl'>,
  { id, returnUrl }: Pick<Order, 'id' | 'returnUrl'>,
): string {
  const account = `${publicUrl}${accountPath}`;
  return returnUrl === null || returnUrl === account ? `${account}?paid=${id}` : returnUrl;
}
