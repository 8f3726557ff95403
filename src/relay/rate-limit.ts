/**
 * At most so many calls in any one second for each key, exactly: the upstream counts a rolling second too, so a bucket
 * that refills while it empties would let through what the upstream then refuses.
 * Two generations of keys: whoever is in neither has been idle for a whole second and has the full quota again, so
 * forgetting never opens the gate.
 */
export type RateLimiter = {
  recent: Map<string, Window>;
  older: Map<string, Window>;
  turnedAtMs: number;
  readonly keysMax: number;
};

/**
 * The times of the last calls let through: a ring of at most `perSecond`, the oldest at `next` once it is full. `live`: how
 * many of them, counted back from `next`, were within a second when last looked at.
 */
type Window = { readonly perSecond: number; timesMs: number[]; next: number; live: number };

export type Taken = {
  allowed: boolean;
  /** Calls left in this second. */
  remaining: number;
  /** Whole seconds until the full quota is there again. */
  resetSeconds: number;
  /** Whole seconds until another call can pass; 0 where this one did. */
  retryAfterSeconds: number;
};

const windowMs = 1_000;
export const refused: Taken = { allowed: false, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 };

/** `keysMax`: how many keys may be active within a second; further ones are refused until others fall idle. */
export function create(keysMax = 50_000): RateLimiter {
  return { recent: new Map(), older: new Map(), turnedAtMs: Number.NEGATIVE_INFINITY, keysMax };
}

/**
 * Takes one call of `key` (an account and an operation) at `nowMs`. `perSecond` is a whole number above zero; when it
 * changes, the key starts afresh. So does every key when the clock is set back: the alternative is to refuse everyone
 * until it has caught up. `most`: how many may pass here, where others count the same key.
 */
export function take(
  limiter: RateLimiter,
  key: string,
  perSecond: number,
  nowMs: number,
  most = perSecond,
): Taken {
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
export function headers(taken: Taken, perSecond: number): string[] {
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

/** Lets go of the times that lie a second back: they are in order, so that the oldest go first, and each goes once. */
function expire(window: Window, nowMs: number): void {
  const { perSecond, timesMs, next } = window;
  let { live } = window;
  while (live > 0 && nowMs - (timesMs[(next - live + perSecond) % perSecond] as number) >= windowMs)
    live -= 1;
  window.live = live;
}
