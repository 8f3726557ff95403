import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** Per generation, of which there are two: 40,000 tokens in total, about 30 MB. */
export const entriesMax = 20_000;

const clockToleranceMs = clockToleranceSeconds * 1000;

/**
 * Cache entries are found by the end of the header. It is part of the signature or of a key's secret, so an attacker cannot choose a
 * colliding one. Hashing the whole header would cost more than the rest of the lookup.
 */
const placeChars = 32;

/** A verified header and its claims. */
type Known = { header: string; claims: Claims };

/**
 * Verified tokens by the value of the Authorization header: a lookup takes less than a microsecond, a signature check a hundred.
 * Two generations: entries that are read move to the young one; when it is full, it becomes the old one, and the previous old one is
 * dropped. Only verified tokens are cached, so a flood of invalid ones cannot evict them.
 */
export type TokenCache = {
  young: Map<string, Known>;
  old: Map<string, Known>;
  readonly entriesMax: number;
};

export function create(max: number = entriesMax): TokenCache {
  return { young: new Map(), old: new Map(), entriesMax: max };
}

/** Returns the cached claims of `header` that have not expired, or null. */
export function get(cache: TokenCache, header: string, nowMs: number): Claims | null {
  const place = header.slice(-placeChars);
  const young = cache.young.get(place);
  const known = young ?? cache.old.get(place);
  if (known?.header !== header) return null;
  if (nowMs >= known.claims.expiresMs + clockToleranceMs) {
    forget(cache, header);
    return null;
  }
  if (young === undefined) add(cache, known);
  return known.claims;
}

/** Caches the verified claims of `header`. */
export function put(cache: TokenCache, header: string, claims: Claims): void {
  // A copy: a slice of the request's header section would keep the whole section in memory.
  add(cache, { header: Buffer.from(header, 'latin1').toString('latin1'), claims });
}

function add(cache: TokenCache, known: Known): void {
  if (cache.young.size >= cache.entriesMax) {
    cache.old = cache.young;
    cache.young = new Map();
  }
  cache.young.set(known.header.slice(-placeChars), known);
}

/** Removes one header. */
export function forget(cache: TokenCache, header: string): void {
  const place = header.slice(-placeChars);
  cache.young.delete(place);
  cache.old.delete(place);
}

/** Removes all entries. */
export function clear(cache: TokenCache): void {
  cache.young = new Map();
  cache.old = new Map();
}
