import type { Clock } from '@sluice/kernel/clock';
import type { Connection } from './connection.ts';

/** A larger difference to the process's own clock is reported, because logs use that clock. */
const skewMsMax = 5_000;
/** A reading that took longer is too inaccurate. */
const roundTripMsMax = 500;

/** The time of the database, which all processes of a shop share. */
export type DatabaseClock = {
  /** Milliseconds since the epoch, by the database. Between two readings it advances with the process's monotonic clock. */
  now: Clock;
  /** Reads the database's clock again. Call it periodically. */
  sync(): Promise<void>;
};

/** @param warn called with the lead of this process's clock (negative: lag) whenever it starts to differ too much */
export async function openDatabaseClock(
  sql: Connection,
  warn: (skewMs: number) => void,
): Promise<DatabaseClock> {
  let base = Number.NaN;
  let isSkewed = false;
  const sync = async () => {
    const sentAt = performance.now();
    const [row] = await sql<
      [{ ms: number }]
    >`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`;
    const takenMs = performance.now() - sentAt;
    if (takenMs > roundTripMsMax && !Number.isNaN(base)) return;
    base = row.ms - sentAt - takenMs / 2;
    const skewMs = Date.now() - Math.round(base + performance.now());
    const was = isSkewed;
    isSkewed = Math.abs(skewMs) > skewMsMax;
    if (isSkewed && !was) warn(skewMs);
  };
  await sync();
  return { now: () => Math.floor(base + performance.now()), sync };
}
