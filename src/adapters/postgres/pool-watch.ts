import postgres from 'postgres';
import type { Connection } from './connection.ts';

/** How long a pool may take to answer nothing; a statement lasts at most 2 s. */
const answerWaitMs = 5_000;
/** So often in a row the pool has to be silent while the database itself answers. */
const silencesMax = 2;

/**
 * Tells a pool that hangs from a database that is away. postgres.js 3.4.9 can lose count of its connections when backends
 * die, and then never answers again; nothing but a new process helps. To be called now and then; resolves to true when
 * the pool is lost for good.
 */
export function watch(sql: Connection, url: string): () => Promise<boolean> {
  let silences = 0;
  return async () => {
    if (await answers(sql)) silences = 0;
    else if (await isThere(url)) silences += 1;
    return silences >= silencesMax;
  };
}

/** Whether anything comes back, be it an error: only silence counts. */
async function answers(sql: Connection): Promise<boolean> {
  let late: NodeJS.Timeout | undefined;
  const silence = new Promise<false>((resolve) => {
    late = setTimeout(() => resolve(false), answerWaitMs);
  });
  const answer = sql`SELECT 1`.then(
    () => true,
    () => true,
  );
  const heard = await Promise.race([answer, silence]);
  clearTimeout(late);
  return heard;
}

async function isThere(url: string): Promise<boolean> {
  const fresh = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  const found = await fresh`SELECT 1`.then(
    () => true,
    () => false,
  );
  await fresh.end({ timeout: 1 });
  return found;
}
