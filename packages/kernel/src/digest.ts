import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in lower-case hex: how secrets are stored. */
export function sha256Hex(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

/** The `Content-Digest` form of RFC 9530: `sha-256=:<base64>:`. */
export function contentDigest(body: string | Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** Compares two strings in constant time. */
export function equal(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}
