import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@sluice/kernel/clock';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as LedgerStore from '../../src/adapters/postgres/ledger-store.ts';
import { Listener } from '../../src/adapters/postgres/listener.ts';
import * as Notify from '../../src/adapters/postgres/notify.ts';
import type { LedgerStore as Store } from '../../src/ledger/ledger-store.ts';
import { LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import type { LedgerWriterEvent } from '../../src/ledger/ledger-writer-event.ts';

/** The ledger part of one process: a writer on its own connections, which receives the notifications of the others. */
export type OpenWriter = {
  name: string;
  writer: LedgerWriter;
  events: LedgerWriterEvent[];
  /** The epoch that it has closed properly. */
  closedEpoch: number | null;
  /**
   * Waits until the statements under way have returned, because simulated time must not outrun the database. A statement is waited for until
   * a second after its start: one on a dead connection never returns.
   */
  statementsDone(): Promise<void>;
  /** Simulates kill -9 and a new process: drops the writer and opens another one with the same name. */
  kill(): Promise<void>;
  /** Replaces its connections by new ones. */
  reconnect(): Promise<void>;
  end(): Promise<void>;
};

const statementMsMax = 1_000;

/** @param meddle may wrap the ledger store of the writer, to inject faults */
export async function openWriter(
  url: string,
  name: string,
  clock: Clock,
  meddle: (books: Store) => Store = (books) => books,
): Promise<OpenWriter> {
  const connections: Connection.Connection[] = [];
  const listeners: Listener[] = [];
  let opened: OpenWriter | null = null;
  const events: LedgerWriterEvent[] = [];
  const connect = async () => {
    const sql = Connection.openConnection(url, 2);
    connections.push(sql);
    const listener = new Listener(url);
    listeners.push(listener);
    await Notify.listen(listener, {
      granted: (account) => process.writer.touch(account),
      recall: (account) => process.writer.recall(account),
      returned: (account) => process.writer.cameBack(account),
      listening: () => opened?.writer.resynchronize(),
    });
    return LedgerStore.openLedgerStore(sql);
  };
  let books = await connect();
  /** The time at which each statement under way started. */
  const underWay = new Map<Promise<unknown>, number>();
  const tracked = <T>(statement: Promise<T>): Promise<T> => {
    const end = () => underWay.delete(statement);
    underWay.set(statement, performance.now());
    statement.then(end, end);
    return statement;
  };
  const watched: Store = {
    openWriter: (writer) => tracked(books.openWriter(writer)),
    batch: (batch) => tracked(books.batch(batch)),
    undeliver: (callIds) => tracked(books.undeliver(callIds)),
    async closeWriter(writer, epoch) {
      const closed = await tracked(books.closeWriter(writer, epoch));
      if (closed) process.closedEpoch = epoch;
      return closed;
    },
  };
  const fresh = () => new LedgerWriter(meddle(watched), name, clock, (event) => events.push(event));
  const process: OpenWriter = {
    name,
    writer: fresh(),
    events,
    closedEpoch: null,
    async statementsDone() {
      const now = performance.now();
      const young = [...underWay].filter(([, start]) => now - start < statementMsMax);
      if (young.length === 0) return;
      const waitMs = statementMsMax - (now - Math.max(...young.map(([, start]) => start)));
      const timeout = new AbortController();
      const late = sleep(waitMs, undefined, { signal: timeout.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(young.map(([statement]) => statement)), late]);
      timeout.abort();
    },
    async kill() {
      process.writer = fresh();
      await process.writer.open();
    },
    async reconnect() {
      books = await connect();
    },
    async end() {
      await Promise.all(listeners.map((listener) => listener.end()));
      await Promise.all(connections.map((sql) => sql.end({ timeout: 1 })));
    },
  };
  await process.writer.open();
  opened = process;
  return process;
}
