import * as Log from '../adapters/log/log.ts';

/** Runs `work` immediately and then every `everyMs`. Errors are logged and retried on the next tick; runs never overlap. */
export function start(
  log: Log.Log,
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
): NodeJS.Timeout {
  let running = false;
  const once = async () => {
    if (running) return;
    running = true;
    await work().catch((fault: unknown) => log.warn({ event: `${name}_failed`, ...Log.describe(fault) }));
    running = false;
  };
  void once();
  return setInterval(() => void once(), everyMs);
}
