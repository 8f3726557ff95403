import * as PostgresUrl from '@sluice/kernel/postgres-url';
import { StatementLate } from '@sluice/kernel/statement-deadline';
import postgres from 'postgres';
import type { Connection } from './connection.ts';

/** Maximum time for a pool to respond. A statement takes at most 2 s. */
const answerWaitMs = 5_000;
/** The pool is lost after this many consecutive checks without a response, while the database itself responds. */
const silencesMax = 2;

/**
 * Distinguishes a hanging pool from an unavailable database. postgres.js 3.4.9 can lose count of its connections when backends die, and then
 * never responds again; only a new process helps. Call the returned function periodically. It resolves to true when the pool is lost.
 */
export function watch(sql: Connection, url: string): () => Promise<boolean> {
  let silences = 0;
  return async () => {
    if (await responds(sql)) silences = 0;
    else if (await isThere(url)) silences += 1;
    return silences >= silencesMax;
  };
}

/** Returns true if the pool responds at all, even with an error. */
async function responds(sql: Connection): Promise<boolean> {
  let late: NodeJS.Timeout | undefined;
  const silence = new Promise<false>((resolve) => {
    late = setTimeout(() => resolve(false), answerWaitMs);
  });
  const answer = sql`SELECT 1`.then(
    () => true,
    (fault: unknown) => !(fault instanceof StatementLate),
  );
  const heard = await Promise.race([answer, silence]);
  clearTimeout(late);
  return heard;
}

/**
 * Returns true if the database commits on a fresh connection. While a synchronous standby does not confirm, commits wait, and the connections of a
 * pool with them: that is no reason for a new process.
 */
async function isThere(url: string): Promise<boolean> {
  const { url: address, options } = PostgresUrl.driver(url);
  const fresh = postgres(address, { ...options, max: 1, connect_timeout: 2, onnotice: () => {} });
  const late = Promise.withResolvers<false>();
  const timeout = setTimeout(() => late.resolve(false), answerWaitMs);
  const committed = fresh`SELECT pg_logical_emit_message(true, 'sluice', '')`.then(
    () => true,
    () => false,
  );
  const found = await Promise.race([committed, late.promise]);
  clearTimeout(timeout);
  await fresh.end({ timeout: 1 });
  return found;
}
