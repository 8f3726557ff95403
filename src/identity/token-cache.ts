import { type Claims, clockToleranceSeconds } from './jwt.ts';

/** Of each of the two generations: 40,000 tokens in all, about 30 MB. */
export const entriesMax = 20_000;

const clockToleranceMs = clockToleranceSeconds * 1000;

/**
 * A header's place in the cache: its end, which is of the signature or of a key's secret, so that nobody can choose one that
 * is taken. To look the whole of it up costs more than all the rest, as every character goes into the hash.
 */
const placeChars = 32;

/** What a header was verified to say. */
type Known = { header: string; claims: Claims };

/**
 * Tokens that verified, found again by the whole value of the Authorization header: a lookup costs less than a microsecond,
 * a signature a hundred. Two generations: what is asked for moves to the young one; when that is full it becomes the old
 * one, and the old one goes. Only verified tokens get in, so that no flood of invented ones can push the real ones out.
 */
export type TokenCache = {
  young: Map<string, Known>;
  old: Map<string, Known>;
  readonly entriesMax: number;
};

export function create(max: number = entriesMax): TokenCache {
  return { young: new Map(), old: new Map(), entriesMax: max };
}

/** The claims cached under `header` that are still in force, or null. */
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

/** Remembers what `header` was verified to say. */
export function put(cache: TokenCache, header: string, claims: Claims): void {
  // A copy: cut out of a request's head it would keep all of that in memory.
  add(cache, { header: Buffer.from(header, 'latin1').toString('latin1'), claims });
}

function add(cache: TokenCache, known: Known): void {
  if (cache.young.size >= cache.entriesMax) {
    cache.old = cache.young;
    cache.young = new Map();
  }
  cache.young.set(known.header.slice(-placeChars), known);
}

/** Forgets what one header said. */
export function forget(cache: TokenCache, header: string): void {
  const place = header.slice(-placeChars);
  cache.young.delete(place);
  cache.old.delete(place);
}

/** Forgets everything. */
export function clear(cache: TokenCache): void {
  cache.young = new Map();
  cache.old = new Map();
}
