import * as Announcements from '../../src/adapters/postgres/announcements.ts';
import * as Books from '../../src/adapters/postgres/books.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Books as LedgerBooks } from '../../src/ledger/books.ts';
import { Lane, type LaneEvent } from '../../src/ledger/lane.ts';

/** A process's part of the ledger: a lane on connections of its own, that hears the others. */
export type OpenLane = {
  name: string;
  lane: Lane;
  events: LaneEvent[];
  /** The epoch that it has closed in good order. */
  closedEpoch: number | null;
  /** kill -9 and a new process: the lane is dropped where it stands, and another opened under its name. */
  kill(): Promise<void>;
  /** New connections in place of those that it has. */
  reconnect(): Promise<void>;
  end(): Promise<void>;
};

/** @param meddle may come between a lane and its books */
export async function openLane(
  url: string,
  name: string,
  clock: Clock,
  meddle: (books: LedgerBooks) => LedgerBooks = (books) => books,
): Promise<OpenLane> {
  const connections: Connection.Connection[] = [];
  const events: LaneEvent[] = [];
  const connect = async () => {
    const sql = Connection.open(url, 2);
    connections.push(sql);
    await Announcements.listen(sql, {
      granted: (account) => process.lane.touch(account),
      recall: (account) => process.lane.recall(account),
      returned: (account) => process.lane.cameBack(account),
    });
    return Books.open(sql);
  };
  let books = await connect();
  const watched: LedgerBooks = {
    openLane: (lane) => books.openLane(lane),
    batch: (batch) => books.batch(batch),
    undeliver: (callIds) => books.undeliver(callIds),
    async closeLane(lane, epoch) {
      const closed = await books.closeLane(lane, epoch);
      if (closed) process.closedEpoch = epoch;
      return closed;
    },
  };
  const fresh = () => new Lane(meddle(watched), name, clock, (event) => events.push(event));
  const process: OpenLane = {
    name,
    lane: fresh(),
    events,
    closedEpoch: null,
    async kill() {
      process.lane = fresh();
      await process.lane.open();
    },
    async reconnect() {
      books = await connect();
    },
    async end() {
      await Promise.all(connections.map((sql) => sql.end({ timeout: 1 })));
    },
  };
  await process.lane.open();
  return process;
}
