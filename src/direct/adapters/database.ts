import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** A part of a statement, to be put into another one. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

const connectTimeoutSeconds = 10;
const idleTimeoutSeconds = 60;

export type Options = {
  connectionsMax: number;
  statementTimeoutMs: number;
  /** For filters: a plan made for any value serves none, since what is rare decides between the indexes. */
  plansAnew?: boolean;
};

/**
 * A pool on PostgreSQL 15 or later. Whole numbers of 64 bits come as JavaScript numbers: none here exceeds 2^53.
 * Commits do not wait for the disk: what a crash of the database can lose is a moment of records used, never data
 * (docs/direct.md).
 */
export function open(url: string, options: Options): Sql {
  return postgres(url, {
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
      // Compiling a plan takes longer than any of ours runs.
      jit: 'off',
      plan_cache_mode: options.plansAnew ? 'force_custom_plan' : 'auto',
      // A walk of a whole table reads every search vector, which costs more than PostgreSQL believes.
      enable_seqscan: options.plansAnew ? 'off' : 'on',
      // An index's matches by row in a table of four gigabytes: with less they are kept by page, and the vector of every row there is read.
      ...(options.plansAnew && { work_mem: '32MB' }),
    },
  });
}

/**
 * A connection of its own to the same database, for work that has to stay on one or takes its time; `settings` are
 * PostgreSQL's. To be closed by whoever asked for it: should it break, nothing of it goes back into the pool.
 */
export function dedicated(sql: Sql, settings: Readonly<Record<string, string | number>>): Sql {
  const options = sql.options as unknown as postgres.Options<Record<string, postgres.PostgresType>>;
  return postgres({
    ...options,
    max: 1,
    idle_timeout: 0,
    fetch_types: false,
    connection: { ...options.connection, ...settings } as Record<string, string>,
    socket: promptSocket,
  } as typeof options) as unknown as Sql;
}

type Place = { host: string[]; port: number[]; path: string | false };

/** One that sends at once. COPY ends with small messages, each of which would wait for the receipt of the one before. */
async function promptSocket({ host, port, path }: Place): Promise<Socket> {
  const at = path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
  const socket = connect({ ...at, noDelay: true });
  await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutSeconds * 1_000) });
  return socket;
}

/** Waits, for a bounded time, until all statements are done, then closes. */
export function close(sql: Sql, timeoutMs: number): Promise<void> {
  return sql.end({ timeout: timeoutMs / 1_000 });
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
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether `error` says that the database is out of reach or overloaded, so that the same request may work later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return (
    clientCodes.has(error.code) || (error.code.length === 5 && outageClasses.includes(error.code.slice(0, 2)))
  );
}
