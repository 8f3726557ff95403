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
      plan_cache_mode: options.plansAnew ? 'force_custom_plan' : 'auto',
    },
  });
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
