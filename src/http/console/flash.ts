import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import * as Cookies from '../pages/cookies.ts';
import type { Call } from '../request-context.ts';
import type { FormResult } from './pages/account.ts';
import type { ConsoleSessionContext, Person } from './sessions.ts';

/** The outcome of a form, which the page after its redirect shows once. `secret`: a text that is shown only there. */
export type Flash = NonNullable<FormResult> & { secret?: string };

/** Until then the browser must open the next page. */
const lifeSeconds = 60;
const cookie: Cookies.Cookie = { name: 'sluice_flash', maxAgeSeconds: lifeSeconds, sameSite: 'Strict' };
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The page that may show an outcome, and the session that it belongs to; `visitor`: before the sign-in. */
type Place = { path: string; owner: Person | 'visitor' };

/** The `Set-Cookie` of an outcome. It is encrypted for one page of one session, because it may contain a secret. */
export function set(shop: ConsoleSessionContext, place: Place, flash: Flash): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(shop), nonce).setAAD(additional(place));
  const text = JSON.stringify({ ...flash, untilMs: shop.clock() + lifeSeconds * 1_000 });
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return Cookies.setCookie(shop, cookie, sealed.toString('base64url'));
}

/** Reads the outcome for a page, or null. The page erases it. */
export function read(shop: ConsoleSessionContext, place: Place, c: Call): Flash | null {
  const sealed = Buffer.from(Cookies.readCookie(shop, cookie, c) ?? '', 'base64url');
  if (sealed.length <= nonceBytes + tagBytes) return null;
  try {
    const decipher = createDecipheriv(algorithm, keyOf(shop), sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(additional(place)).setAuthTag(sealed.subarray(-tagBytes));
    const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    const { untilMs, ...flash } = JSON.parse(text.toString()) as Flash & { untilMs: number };
    return untilMs > shop.clock() ? flash : null;
  } catch {
    return null; // of another page, session or secret
  }
}

export function erase(shop: ConsoleSessionContext): string {
  return Cookies.eraseCookie(shop, cookie);
}

function keyOf({ console }: ConsoleSessionContext): Buffer {
  return Buffer.from(hkdfSync('sha256', console.secret, '', 'console flash', keyBytes));
}

function additional({ path, owner }: Place): Buffer {
  const session = owner === 'visitor' ? owner : (owner.session ?? 'admin token');
  return Buffer.from(JSON.stringify([session, path]));
}
