import type { Clock } from '@sluice/kernel/clock';
import { connectionSlots } from './adapters/connection-slots.ts';
import type { Sql } from './adapters/database.ts';
import { emailStore } from './adapters/email-store.ts';
import { resolver } from './adapters/resolver.ts';
import { smtp } from './adapters/smtp.ts';
import * as Counters from './emails/counters.ts';
import type { Settings } from './emails/settings.ts';
import * as Worker from './emails/worker.ts';

/** Connects a worker to this database, the DNS and the mail servers on the internet. */
export function workerContext(sql: Sql, settings: Settings, clock: Clock): Worker.WorkerContext {
  return {
    settings,
    store: emailStore(sql),
    slots: connectionSlots(sql),
    resolver: resolver(settings.dnsServers),
    transport: smtp(),
    clock,
    wait: Worker.pause,
    counters: Counters.create(),
  };
}

export type EmailTests = {
  counters: Counters.EmailCounters;
  /** Starts no more tests and waits up to `msMax` for running ones. Tests that do not finish are repeated later. */
  stop(msMax: number): Promise<void>;
};

const afterFaultMs = 30_000;

/** Verifies addresses as they become due, until `stop` is called. */
export function start(context: Worker.WorkerContext, onFault: (error: unknown) => void): EmailTests {
  const control = new AbortController();
  const { signal } = control;
  const runForever = async () => {
    while (!signal.aborted) {
      await Worker.run(context, signal, false).catch(onFault);
      await context.wait(afterFaultMs, signal);
    }
  };
  const running = runForever();
  return {
    counters: context.counters,
    async stop(msMax) {
      control.abort();
      const done = new AbortController();
      await Promise.race([running, context.wait(msMax, done.signal)]);
      done.abort();
    },
  };
}
