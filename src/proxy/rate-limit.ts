/**
 * Limits the calls of each key in any one second, exactly. The upstream counts a rolling second too: a bucket that refills while
 * it empties would let through calls that the upstream then refuses.
 * Keys are kept in two generations. A key that is in neither has been idle for a whole second and has its full quota again, so
 * forgetting it never lets through too much.
 */
export type RateLimiter = {
  recent: Map<string, Window>;
  older: Map<string, Window>;
  turnedAtMs: number;
  readonly keysMax: number;
};

/**
 * The times of the last calls that passed: a ring of at most `perSecond` times, with the oldest at `next` once it is full.
 * `live` is how many of them, counting backwards from `next`, were less than a second old at the last check.
 */
type Window = { readonly perSecond: number; timesMs: number[]; next: number; live: number };

export type RateLimitResult = {
  allowed: boolean;
  /** Calls left in this second. */
  remaining: number;
  /** Whole seconds until the full quota is available again. */
  resetSeconds: number;
  /** Whole seconds until another call can pass; 0 when this one passed. */
  retryAfterSeconds: number;
};

const windowMs = 1_000;
export const refused: RateLimitResult = {
  allowed: false,
  remaining: 0,
  resetSeconds: 1,
  retryAfterSeconds: 1,
};

/** `keysMax`: number of keys that may be active within a second. Further keys are refused until others become idle. */
export function create(keysMax = 50_000): RateLimiter {
  return { recent: new Map(), older: new Map(), turnedAtMs: Number.NEGATIVE_INFINITY, keysMax };
}

/**
 * Takes one call of `key` (an account and an operation) at `nowMs`. `perSecond` is a whole number above zero; when it
 * changes, the key starts again with its full quota. So does every key when the clock is set back, because the alternative is to
 * refuse every call until the clock has caught up. `most`: number that may pass here, when other processes count the same key.
 */
export function take(
  limiter: RateLimiter,
  key: string,
  perSecond: number,
  nowMs: number,
  most = perSecond,
): RateLimitResult {
  if (nowMs < limiter.turnedAtMs) limiter.recent.clear();
  if (nowMs < limiter.turnedAtMs || nowMs - limiter.turnedAtMs >= windowMs) turn(limiter, nowMs);
  const window = find(limiter, key, perSecond);
  if (window === null) return refused;

  expire(window, nowMs);
  if (window.live >= most) return refused;
  window.timesMs[window.next] = nowMs;
  window.next = (window.next + 1) % perSecond;
  window.live += 1;
  return {
    allowed: true,
    remaining: most - window.live,
    resetSeconds: 1,
    retryAfterSeconds: 0,
  };
}

/** `RateLimit-Policy`, `RateLimit` and, on a refusal, `Retry-After` (draft-ietf-httpapi-ratelimit-headers), flat. */
export function headers(taken: RateLimitResult, perSecond: number): string[] {
  const flat = [
    'RateLimit-Policy',
    `"default";q=${perSecond};w=${windowMs / 1_000}`,
    'RateLimit',
    `"default";r=${taken.remaining};t=${taken.resetSeconds}`,
  ];
  if (!taken.allowed) flat.push('Retry-After', String(taken.retryAfterSeconds));
  return flat;
}

function turn(limiter: RateLimiter, nowMs: number): void {
  limiter.older = limiter.recent;
  limiter.recent = new Map();
  limiter.turnedAtMs = nowMs;
}

function find(limiter: RateLimiter, key: string, perSecond: number): Window | null {
  const recent = limiter.recent.get(key);
  if (recent?.perSecond === perSecond) return recent;
  const older = limiter.older.get(key);
  if (recent === undefined && older?.perSecond === perSecond) {
    limiter.recent.set(key, older);
    return older;
  }
  if (limiter.recent.size >= limiter.keysMax) return null;
  const fresh: Window = { perSecond, timesMs: [], next: 0, live: 0 };
  limiter.recent.set(key, fresh);
  return fresh;
}

/** Drops the times that are at least a second old. They are in order, so the oldest are dropped first, and each of them once. */
function expire(window: Window, nowMs: number): void {
  const { perSecond, timesMs, next } = window;
  let { live } = window;
  while (live > 0 && nowMs - (timesMs[(next - live + perSecond) % perSecond] as number) >= windowMs)
    live -= 1;
  window.live = live;
}
