/** A host-only, HttpOnly cookie. */
export type Cookie = { name: string; maxAgeSeconds: number; sameSite: 'Lax' | 'Strict' };

/**
 * The `Set-Cookie` of a value. With an `https:` public URL the name starts with `__Host-`: browsers then accept the cookie only from this
 * host over TLS, so no sibling domain can plant one (session fixation). Plain `http:` on localhost uses neither the prefix nor `Secure`,
 * because Safari stores no `Secure` cookies there.
 */
export function set(publicUrl: string, cookie: Cookie, value: string): string {
  const { maxAgeSeconds, sameSite } = cookie;
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${nameOf(publicUrl, cookie)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The `Set-Cookie` that deletes the cookie. */
export function erase(publicUrl: string, cookie: Cookie): string {
  return set(publicUrl, { ...cookie, maxAgeSeconds: 0 }, '');
}

/** The name that the browser sends the cookie under. */
export function nameOf(publicUrl: string, { name }: Cookie): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
