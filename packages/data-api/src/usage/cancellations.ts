import type { Records, UnknownUsage } from './records.ts';

/** Cancels the usage of abandoned calls as soon as the database responds again. */
export type Cancellations = {
  add(usage: UnknownUsage): void;
  /** Tries all that are left once, and returns how many remain. */
  run(): Promise<number>;
};

/** Above this number, reservations of abandoned calls are returned by the sweep two minutes later. */
const pendingMax = 10_000;

/** Calls wait here while the database is unavailable. `run` has to be called regularly. */
export function create(records: Pick<Records, 'cancel'>): Cancellations {
  const pending = new Map<string, UnknownUsage>();
  let running: Promise<number> | null = null;

  async function cancelAll(): Promise<number> {
    for (const usage of [...pending.values()]) {
      // The first error ends the attempt: the database is still unavailable.
      if (await records.cancel(usage)) pending.delete(usage.requestId);
    }
    return pending.size;
  }

  return {
    add(usage) {
      if (pending.size < pendingMax) pending.set(usage.requestId, usage);
    },
    run() {
      running ??= cancelAll().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
