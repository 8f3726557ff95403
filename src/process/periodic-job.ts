import * as Log from '../adapters/log/log.ts';

export type PeriodicJob = {
  /** Runs the work now, or does nothing while it runs. */
  tick(): void;
  /** Starts no further run. Resolves when the current one has ended. */
  stop(): Promise<void>;
};

/** Runs `work` immediately and then every `everyMs`. Errors are logged and retried on the next tick; runs never overlap. */
export function start(
  log: Log.Log,
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
): PeriodicJob {
  let running: Promise<void> | null = null;
  const once = async () => {
    await work().catch((fault: unknown) => log.warn({ event: `${name}_failed`, ...Log.describe(fault) }));
    running = null;
  };
  const tick = () => {
    running ??= once();
  };
  tick();
  const timer = setInterval(tick, everyMs);
  return {
    tick,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
