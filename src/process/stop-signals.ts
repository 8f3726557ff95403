/** npm and a terminal can both deliver one Ctrl-C: a signal that follows so soon is the same request. */
const repeatMsMin = 500;

/** Calls `stop` at the first SIGTERM or SIGINT, and `stopNow` at each later one. */
export function listen(
  stop: (signal: NodeJS.Signals) => void,
  stopNow: (signal: NodeJS.Signals) => void,
): void {
  let state: 'running' | 'just stopped' | 'stopping' = 'running';
  const receive = (signal: NodeJS.Signals) => {
    if (state === 'stopping') stopNow(signal);
    if (state !== 'running') return;
    state = 'just stopped';
    setTimeout(() => {
      state = 'stopping';
    }, repeatMsMin).unref();
    stop(signal);
  };
  process.on('SIGTERM', receive).on('SIGINT', receive);
}
