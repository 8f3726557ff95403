/** The requests of one key on one endpoint in the last second. */
type Window = { times: Float64Array; oldest: number; count: number };

/** Rolling one-second windows, kept in this process. */
export type RateWindows = { windows: Map<string, Window> };

export type Admission = { admitted: boolean; remaining: number };

const windowMs = 1_000;
/** Beyond it the window that was used least recently goes; its key starts afresh. */
const windowsMax = 10_000;

export function create(): RateWindows {
  return { windows: new Map() };
}

/** Counts a request at `nowMs` in, unless `perSecond` were admitted within the second before it. */
export function admit(rates: RateWindows, name: string, perSecond: number, nowMs: number): Admission {
  const window = take(rates, name, perSecond);
  while (window.count > 0 && (window.times[window.oldest] ?? 0) <= nowMs - windowMs) {
    window.oldest = (window.oldest + 1) % perSecond;
    window.count -= 1;
  }
  if (window.count >= perSecond) return { admitted: false, remaining: 0 };
  window.times[(window.oldest + window.count) % perSecond] = nowMs;
  window.count += 1;
  return { admitted: true, remaining: perSecond - window.count };
}

function take(rates: RateWindows, name: string, perSecond: number): Window {
  const found = rates.windows.get(name);
  const window =
    found?.times.length === perSecond ? found : { times: new Float64Array(perSecond), oldest: 0, count: 0 };
  // A Map keeps the order of insertion, so putting it back makes it the youngest.
  rates.windows.delete(name);
  rates.windows.set(name, window);
  const [eldest] = rates.windows.keys();
  if (rates.windows.size > windowsMax && eldest !== undefined) rates.windows.delete(eldest);
  return window;
}
