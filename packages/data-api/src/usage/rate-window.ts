/** Times of the requests of one key on one endpoint in the last second, as a ring buffer. */
type Window = { times: Float64Array; oldest: number; count: number };

/** Rolling one-second windows, in the memory of this process. */
export type RateWindows = { windows: Map<string, Window> };

export type Admission = { admitted: boolean; remaining: number };

const windowMsUsual = 1_000;
/** Above this the least recently used window is dropped, and its key starts with an empty window. */
const windowsMax = 10_000;

export function create(): RateWindows {
  return { windows: new Map() };
}

/** Admits a request at `nowMs` unless `perSecond` requests were admitted in the second, or the `windowMs`, before it. */
export function admit(
  rates: RateWindows,
  name: string,
  perSecond: number,
  nowMs: number,
  windowMs: number = windowMsUsual,
): Admission {
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
  // A Map keeps insertion order, so inserting it again makes it the most recently used.
  rates.windows.delete(name);
  rates.windows.set(name, window);
  const [eldest] = rates.windows.keys();
  if (rates.windows.size > windowsMax && eldest !== undefined) rates.windows.delete(eldest);
  return window;
}
