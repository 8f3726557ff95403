import { sha256Hex } from '@sluice/kernel/digest';
import type { PersonRecord } from '../records/person.ts';
import * as Source from './source.ts';

/** A response of the source: valid profiles, how many it returned in all, and its size. */
export type Answer = { profiles: readonly PersonRecord[]; returned: number; bytes: number };
/** `returned` is null while the request is running. */
type Entry = { answer: Promise<Answer>; limit: number; atMs: number; bytes: number; returned: number | null };

export type CacheOptions = { maxAgeMs: number; bytesMax: number; clock: () => number };
export type Cache = {
  /** Returns a cached answer, or that of `ask`. Equal questions at the same time share one request. */
  answer(question: Source.Question, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Cached>;
};
export type Cached = { profiles: readonly PersonRecord[]; isCached: boolean };

/** Memory of an entry beside its profiles, which take more as objects than as JSON. */
export const entryBytes = 1_024;
const bytesPerByte = 4;

/** Caches the responses of a live source. The oldest are dropped first. Failures are not cached. */
export function create({ maxAgeMs, bytesMax, clock }: CacheOptions): Cache {
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function drop(key: string, entry: Entry): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
  }

  function prune(): void {
    for (const [key, entry] of entries) {
      if (bytes <= bytesMax && clock() - entry.atMs < maxAgeMs) break;
      drop(key, entry);
    }
  }

  async function put(key: string, limit: number, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = ask();
    const entry: Entry = { answer, limit, atMs: clock(), bytes: 0, returned: null };
    const before = entries.get(key);
    if (before) drop(key, before);
    entries.set(key, entry);
    try {
      const found = await answer;
      if (maxAgeMs === 0) drop(key, entry);
      else if (entries.get(key) === entry) {
        entry.bytes = entryBytes + bytesPerByte * JSON.stringify(found.profiles).length;
        entry.returned = found.returned;
        bytes += entry.bytes;
        prune();
      }
      return found;
    } catch (error) {
      drop(key, entry);
      throw error;
    }
  }

  return {
    async answer({ companyUrl, step, limit }, signal, ask) {
      prune();
      const key = sha256Hex(JSON.stringify([companyUrl, step]));
      const known = entries.get(key);
      // With fewer profiles than it was asked for, the source has no more.
      const isEnough = known && (known.limit >= limit || (known.returned ?? limit) < known.limit);
      if (isEnough) {
        const { profiles } = await Source.beforeDeadline(known.answer, signal);
        return { profiles, isCached: true };
      }
      const { profiles } = await put(key, limit, ask);
      return { profiles, isCached: false };
    },
  };
}
