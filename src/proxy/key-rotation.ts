/** The shortest and the longest rest of a key, in milliseconds. */
const restMsMin = 1_000;
const restMsMax = 15 * 60_000;
/** The rest after a response without `Retry-After`: a limit is often per second or minute, a rejected key stays rejected for longer. */
const restMsOf: Readonly<Record<number, number>> = { 401: 60_000, 402: 60_000, 429: 5_000 };

/** Uses several keys in turn. A key that was answered with 401, 402 or 429 rests. Times are milliseconds of a clock that never goes back. */
export class KeyRotation<Key> {
  readonly #keys: { key: Key; restsUntilMs: number }[];
  #next = 0;

  constructor(keys: readonly Key[]) {
    this.#keys = keys.map((key) => ({ key, restsUntilMs: 0 }));
  }

  /** Returns the next key that does not rest, or null when all do. */
  take(nowMs: number): Key | null {
    const count = this.#keys.length;
    for (let tried = 0; tried < count; tried++) {
      const at = (this.#next + tried) % count;
      const found = this.#keys[at];
      if (found === undefined || nowMs < found.restsUntilMs) continue;
      this.#next = (at + 1) % count;
      return found.key;
    }
    return null;
  }

  /**
   * Notes the status of a response to a request with `key`. Returns the length of the rest in milliseconds, or null when the key does
   * not rest. @param retryAfter the value of that header @param wallMs the time of the day, for a date in it
   */
  answered(
    key: Key,
    status: number,
    retryAfter: string | undefined,
    nowMs: number,
    wallMs: number,
  ): number | null {
    const usual = restMsOf[status];
    const found = this.#keys.find((one) => one.key === key);
    if (usual === undefined || found === undefined) return null;
    const wanted = retryAfterMs(retryAfter, wallMs) ?? usual;
    const restMs = Math.min(restMsMax, Math.max(restMsMin, wanted));
    // A late response to an earlier request does not shorten a rest.
    found.restsUntilMs = Math.max(found.restsUntilMs, nowMs + restMs);
    return restMs;
  }

  /** Returns the seconds until the first key is available again. */
  restSeconds(nowMs: number): number {
    const soonestMs = Math.min(...this.#keys.map(({ restsUntilMs }) => restsUntilMs));
    return Math.max(1, Math.ceil((soonestMs - nowMs) / 1_000));
  }
}

/** Parses `Retry-After` (RFC 9110, 10.2.3): seconds or a date. Returns null for anything else. */
function retryAfterMs(value: string | undefined, wallMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const dateMs = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? null : dateMs - wallMs;
}
