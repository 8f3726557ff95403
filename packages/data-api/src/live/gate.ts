import * as Source from './source.ts';

/** Bounds the number of simultaneous requests. Further ones wait in order. */
export type Gate = {
  /** Runs `work` as soon as a place is free. Throws `Unavailable` if too many wait or `signal` is aborted first. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Number of requests that run now. */
  running(): number;
};

export function create(runningMax: number, waitingMax: number): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) running--;
    else {
      // The place is passed on, so that a new request cannot take it.
      waiting.delete(next);
      next();
    }
  }

  async function enter(signal: AbortSignal): Promise<void> {
    if (running < runningMax) {
      running++;
      return;
    }
    if (waiting.size >= waitingMax) {
      throw new Source.Unavailable('busy', `${waitingMax} searches already wait for the live source`);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    try {
      await Source.beforeDeadline(promise, signal);
    } catch (error) {
      // Without an entry, the place was passed on at the same moment, and must be released.
      if (!waiting.delete(resolve)) leave();
      throw error;
    }
  }

  return {
    running: () => running,
    async run(signal, work) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
