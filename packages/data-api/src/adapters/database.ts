import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import * as StatementDeadline from '@sluice/kernel/statement-deadline';
import postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** Part of a statement, to be embedded in another one. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

const connectTimeoutSeconds = 5;
const idleTimeoutSeconds = 60;
/** A statement is given up this long after PostgreSQL should have ended it: then the database hangs, or the connection is dead. */
const deadlineGraceMs = 250;
/** Its connection is replaced after this time. Until then, a database that runs again can use it. */
const stalledGraceMs = 6_000;
const replacedCloseSeconds = 1;

export type PoolOptions = {
  connectionsMax: number;
  /** PostgreSQL ends a statement after this time. A database that hangs does not, so the pool gives it up shortly afterwards. */
  statementTimeoutMs: number;
  /** True plans every statement for its actual values. Searches need it: the best index depends on how rare a value is. */
  plansEachTime?: boolean;
};

/**
 * Opens a pool on PostgreSQL 15 or later, whose statements all have a deadline. A pool with a dead connection is replaced. 64-bit integers are returned as JavaScript numbers: none here exceeds 2^53.
 * Commits do not wait for the disk. A crash of the database can lose the usage of the last moments, but no data.
 */
export function openPool(url: string, options: PoolOptions): Sql {
  const { connectionsMax, statementTimeoutMs } = options;
  let pool = openDriver(url, options);
  return StatementDeadline.limited(() => pool, {
    ...deadlines(statementTimeoutMs),
    concurrentMax: connectionsMax,
    onStalled(stalled) {
      if (stalled !== pool) return;
      pool = openDriver(url, options);
      void stalled.end({ timeout: replacedCloseSeconds });
    },
  });
}

function deadlines(statementTimeoutMs: number): { deadlineMs: number; stalledMs: number } {
  return {
    deadlineMs: statementTimeoutMs + deadlineGraceMs,
    stalledMs: statementTimeoutMs + stalledGraceMs,
  };
}

function openDriver(url: string, options: PoolOptions): Sql {
  const { url: address, options: tls } = PostgresUrl.driver(url);
  return postgres(address, {
    ...tls,
    max: options.connectionsMax,
    connect_timeout: connectTimeoutSeconds,
    idle_timeout: idleTimeoutSeconds,
    onnotice: () => {},
    types: {
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: (text: string) => Number(text),
      },
    },
    connection: {
      application_name: 'sluice-direct',
      statement_timeout: options.statementTimeoutMs,
      synchronous_commit: 'off',
      // JIT compilation takes longer than any of our statements runs.
      jit: 'off',
      plan_cache_mode: options.plansEachTime ? 'force_custom_plan' : 'auto',
      // A sequential scan reads every search vector, which costs more than the planner estimates.
      enable_seqscan: options.plansEachTime ? 'off' : 'on',
      // Enough for an exact bitmap of a four-gigabyte table. A lossy one would recheck the vector of every row of a page.
      ...(options.plansEachTime && { work_mem: '32MB' }),
    },
  });
}

/**
 * Opens a separate connection to the same database, for session state or long-running work. `settings` are PostgreSQL
 * settings. The caller closes it; it never returns to the pool.
 */
export function dedicated(sql: Sql, settings: Readonly<Record<string, string | number>>): Sql {
  const options = sql.options as unknown as postgres.Options<Record<string, postgres.PostgresType>>;
  const connection = { ...options.connection, ...settings } as Record<string, string>;
  const opened = postgres({
    ...options,
    max: 1,
    idle_timeout: 0,
    fetch_types: false,
    connection,
    socket: promptSocket,
  } as typeof options) as unknown as Sql;
  return StatementDeadline.limited(() => opened, {
    ...deadlines(Number(connection.statement_timeout)),
    concurrentMax: 1,
    // Its owner closes it after the error.
    onStalled: () => {},
  });
}

type Place = { host: string[]; port: number[]; path: string | false };

/** Connects with TCP_NODELAY. COPY ends with small messages, which Nagle's algorithm would delay. */
async function promptSocket({ host, port, path }: Place): Promise<Socket> {
  const at = path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
  const socket = connect({ ...at, noDelay: true });
  await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutSeconds * 1_000) });
  return socket;
}

/** Closes the pool after running statements end, or after `timeoutMs`. */
export function close(sql: Sql, timeoutMs: number): Promise<void> {
  return sql.end({ timeout: timeoutMs / 1_000 });
}

/** Runs `work`, whose statements wait at most `budgetMs` for the database in total. */
export const withinBudget = StatementDeadline.withinBudget;

/** Returns true if the statement that failed was never sent, so that the database cannot run it later. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof StatementDeadline.StatementLate && !error.wasSent;
}

const outageClasses = [
  '08', // connection
  '53', // out of connections, memory or disk
  '57', // shut down, or ended at the statement timeout
  '58', // the system below it
];
const clientCodes = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECTION_STALLED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Returns true if the database is unavailable or overloaded, so that a retry can succeed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return (
    clientCodes.has(error.code) || (error.code.length === 5 && outageClasses.includes(error.code.slice(0, 2)))
  );
}
