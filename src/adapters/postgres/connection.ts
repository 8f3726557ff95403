import postgres from 'postgres';

export type Connection = postgres.Sql;

const connectTimeoutSeconds = 5;
const idleTimeoutSeconds = 60;
/** A database that comes back is found again within this. */
const reconnectMaxSeconds = 1;
/** Below half of the time after which a silent lane is reaped. */
export const statementTimeoutMs = 2_000;
/** The driver may never tell of a connection that died, or of a database that stalls. */
const answerWaitMs = statementTimeoutMs + 1_000;

/**
 * A pool of connections. `int8` is read as a number: every one of ours is a count or micro-dollars below 2^53.
 * @param url PostgreSQL 15 or later
 * @param connectionsMax the most connections at once
 * @param timeoutMs how long a statement may take
 */
export function open(
  url: string,
  connectionsMax: number,
  timeoutMs: number = statementTimeoutMs,
): Connection {
  return postgres(url, {
    max: connectionsMax,
    connect_timeout: connectTimeoutSeconds,
    idle_timeout: idleTimeoutSeconds,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, reconnectMaxSeconds),
    onnotice: () => {},
    connection: {
      application_name: 'sluice',
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: 10_000,
    },
    types: { int8: { to: 20, from: [20], serialize: String, parse: safeInteger } },
  }) as unknown as Connection;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${text}`);
  return value;
}

/** What the database answers, where a caller waits for it. Rejects when it is overdue: the database is as good as away (`isLost`). */
export function bounded<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(Object.assign(new Error('the database does not answer'), { code: 'CONNECTION_STALLED' }));
    }, answerWaitMs);
    answer.then(resolve, reject).finally(() => clearTimeout(late));
  });
}

/** Whether a fault is the loss of a connection (by the driver's or PostgreSQL's word), which passes by itself. */
export function isLost(fault: unknown): boolean {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  return /^(CONNECTION_|CONNECT_|ECONN|EPIPE|57P0|08)/.test(code);
}
