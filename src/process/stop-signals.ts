/** npm and a terminal can both deliver one Ctrl-C: a signal that follows so soon is the same request. */
const repeatMsMin = 500;

/** Calls `stop` at the first SIGTERM or SIGINT, and `stopNow` at each later one. */
export function listen(
  stop: (signal: NodeJS.Signals) => void,
  stopNow: (signal: NodeJS.Signals) => void,
): void {
  let firstMs: number | null = null;
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, (signal) => {
      const nowMs = performance.now();
      if (firstMs === null) {
        firstMs = nowMs;
        stop(signal);
      } else if (nowMs - firstMs >= repeatMsMin) stopNow(signal);
    });
}
