import * as PostgresUrl from '@sluice/kernel/postgres-url';
import * as StatementDeadline from '@sluice/kernel/statement-deadline';
import postgres from 'postgres';

export type Connection = postgres.Sql;

const connectTimeoutSeconds = 5;
const idleTimeoutSeconds = 60;
/** Maximum delay until a reconnection after the database has recovered. */
const reconnectMaxSeconds = 1;
/** Below half of the time after which a silent writer is reaped. */
export const statementTimeoutMs = 2_000;
/** A statement is given up this long after PostgreSQL should have ended it: then the database hangs, or the connection is dead. */
const deadlineGraceMs = 1_000;
/** Work on a reserved connection sets its own statement timeout, up to ten minutes. */
const reservedDeadlineMs = 11 * 60_000;

/**
 * Opens a pool of connections, whose statements all have a deadline. One without a result in time rejects with an error for which `isLost` is
 * true, and may still be executed later. `int8` is read as a number: all values are counts or micro-dollars below 2^53.
 * @param url PostgreSQL 15 or later
 * @param connectionsMax maximum number of connections
 * @param timeoutMs statement timeout; 0 for none
 * @param ignoresBudget its statements are not bound by the time that one request may wait for the database
 */
export function openConnection(
  url: string,
  connectionsMax: number,
  timeoutMs: number = statementTimeoutMs,
  ignoresBudget = false,
): Connection {
  const { url: address, options } = PostgresUrl.driver(url);
  const pool = postgres(address, {
    ...options,
    max: connectionsMax,
    connect_timeout: connectTimeoutSeconds,
    idle_timeout: idleTimeoutSeconds,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, reconnectMaxSeconds),
    onnotice: () => {},
    connection: {
      application_name: 'sluice',
      // Periods are counted in months and days of UTC.
      TimeZone: 'UTC',
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: 10_000,
    },
    types: { int8: { to: 20, from: [20], serialize: String, parse: safeInteger } },
  }) as unknown as Connection;
  return StatementDeadline.limited(() => pool, {
    deadlineMs: timeoutMs === 0 ? Number.POSITIVE_INFINITY : timeoutMs + deadlineGraceMs,
    reservedDeadlineMs,
    ignoresBudget,
    // The driver sends several statements on one connection, so that none has to wait for another one here.
    concurrentMax: Number.POSITIVE_INFINITY,
    // A pool that does not recover is found by the watchdog (pool-watchdog.ts).
    stalledMs: Number.POSITIVE_INFINITY,
    onStalled: () => {},
  });
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${text}`);
  return value;
}

/**
 * Returns true if an error means that the connection was lost, as reported by the driver or PostgreSQL, or that it leads to a server that is
 * not the primary (25006, during a failover). A later attempt may succeed.
 */
export function isLost(fault: unknown): boolean {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  return /^(CONNECTION_|CONNECT_|ECONN|EPIPE|57P0|08|25006)/.test(code);
}
