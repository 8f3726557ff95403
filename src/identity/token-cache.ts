import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** Of each of the two generations: 40,000 tokens in all, about 30 MB. */
export const entriesMax = 20_000;

const clockToleranceMs = clockToleranceSeconds * 1000;

/**
 * Tokens that verified, by the whole value of the Authorization header: a lookup costs less than a microsecond, a signature a hundred.
 * Two generations: what is asked for moves to the young one; when that is full it becomes the old one, and the old one goes.
 * Only verified tokens get in, so that no flood of invented ones can push the real ones out.
 */
export type TokenCache = {
  young: Map<string, Claims>;
  old: Map<string, Claims>;
  readonly entriesMax: number;
};

export function create(max: number = entriesMax): TokenCache {
  return { young: new Map(), old: new Map(), entriesMax: max };
}

/** The claims cached under `header` that are still in force, or null. */
export function get(cache: TokenCache, header: string, nowMs: number): Claims | null {
  const young = cache.young.get(header);
  const claims = young ?? cache.old.get(header);
  if (claims === undefined) return null;
  if (nowMs >= claims.expiresMs + clockToleranceMs) {
    cache.young.delete(header);
    cache.old.delete(header);
    return null;
  }
  if (young === undefined) put(cache, header, claims);
  return claims;
}

/** Remembers what `header` was verified to say. */
export function put(cache: TokenCache, header: string, claims: Claims): void {
  if (cache.young.size >= cache.entriesMax) {
    cache.old = cache.young;
    cache.young = new Map();
  }
  cache.young.set(header, claims);
}

/** Forgets what one header said. */
export function forget(cache: TokenCache, header: string): void {
  cache.young.delete(header);
  cache.old.delete(header);
}

/** Forgets everything. */
export function clear(cache: TokenCache): void {
  cache.young = new Map();
  cache.old = new Map();
}
