const waitMsMax = 120_000;

/** The wait that a `Retry-After` asks for (RFC 9110, 10.2.3: seconds or a date), within limits; null where it is absent or unreadable. */
export function waitMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  let ms = Number.NaN;
  if (/^\d+$/.test(value)) ms = Number(value) * 1000;
  // `Date.parse` alone takes much that is no HTTP date: `-5` is a year.
  else if (/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(value)) ms = Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), waitMsMax);
}
