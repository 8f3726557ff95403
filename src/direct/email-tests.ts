import type { Clock } from '../kernel/clock.ts';
import { addressBook } from './adapters/address-book.ts';
import type { Sql } from './adapters/database.ts';
import { mailLines } from './adapters/mail-lines.ts';
import { resolver } from './adapters/resolver.ts';
import { smtp } from './adapters/smtp.ts';
import type { Settings } from './emails/settings.ts';
import * as Tally from './emails/tally.ts';
import * as Worker from './emails/worker.ts';

/** What a worker works with: this database, the DNS and the mail servers of the world. */
export function surroundings(sql: Sql, settings: Settings, clock: Clock): Worker.Surroundings {
  return {
    settings,
    book: addressBook(sql),
    lines: mailLines(sql),
    resolver: resolver(settings.dnsServers),
    wire: smtp(),
    clock,
    wait: Worker.pause,
    tally: Tally.create(),
  };
}

export type EmailTests = {
  tally: Tally.Tally;
  /** Begins no more, and lets those under way end for as long as that: what does not is tested again later. */
  stop(msMax: number): Promise<void>;
};

const afterFaultMs = 30_000;

/** Tests what is due, for as long as the program runs. */
export function start(around: Worker.Surroundings, onFault: (error: unknown) => void): EmailTests {
  const control = new AbortController();
  const { signal } = control;
  const keepOn = async () => {
    while (!signal.aborted) {
      await Worker.run(around, signal, false).catch(onFault);
      await around.wait(afterFaultMs, signal);
    }
  };
  const running = keepOn();
  return {
    tally: around.tally,
    async stop(msMax) {
      control.abort();
      const over = new AbortController();
      await Promise.race([running, around.wait(msMax, over.signal)]);
      over.abort();
    },
  };
}
