import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import * as Assertion from '../identity/assertion.ts';
import type { Issued } from '../identity/jwt.ts';
import * as Registering from '../journeys/registration.ts';
import type { Shop } from '../journeys/shop.ts';
import { bytes, type Call, type Env } from './edge.ts';

/** A person who looks at the pages: the account that the browser has, by its assertion in a cookie that no script reads. */
export type Visitor = { account: string; access: Issued };

/** What a browser keeps for us; no script reads it. */
export type Kept = { name: string; path: string; maxAgeSeconds: number };
const session: Kept = { name: 'sluice_visitor', path: '/', maxAgeSeconds: Assertion.lifeSeconds };

/** Who looks; null for whoever has no account here, or had one in a session that has ended. */
export async function of(shop: Shop, c: Call): Promise<Visitor | null> {
  const assertion = getCookie(c, session.name);
  if (assertion === undefined) return null;
  const granted = await Registering.renew(shop, assertion);
  if (granted.kind !== 'granted') return null;
  return { account: granted.access.claims.account, access: granted.access };
}

/** The `Set-Cookie` that makes a browser the visitor of an account, until the assertion expires. */
export function remembered(shop: Shop, assertion: string): string {
  return cookie(shop, session, assertion);
}

export function forgotten(shop: Shop): string {
  return cookie(shop, { ...session, maxAgeSeconds: 0 }, '');
}

/** The assertion that a browser has, to end its session. */
export function assertionOf(c: Call): string | null {
  return getCookie(c, session.name) ?? null;
}

/**
 * Lets no form through that does not come from a page of ours: another site's would act with the visitor's cookie (CSRF). Browsers say
 * where it is from in `Sec-Fetch-Site` (Fetch Metadata), older ones in `Origin`.
 */
export function guard(shop: Shop): MiddlewareHandler<Env> {
  return async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    const isOwn = site === undefined ? c.req.header('origin') === shop.publicUrl : site === 'same-origin';
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || isOwn) return next();
    return c.text('This form was not sent from a page of this shop.', 403);
  };
}

/** A form's fields; none of a body that cannot be read. */
export async function fields(c: Call): Promise<URLSearchParams> {
  const body = await bytes(c);
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
}

/** The `Set-Cookie` of a value that only our own pages get back. */
export function cookie({ publicUrl }: Shop, { name, path, maxAgeSeconds }: Kept, value: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
