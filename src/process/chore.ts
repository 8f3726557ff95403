import * as Log from '../adapters/log/log.ts';

/** Does something now and then, at once for the first time; when it fails it is done again, one that lasts is not started twice. */
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
