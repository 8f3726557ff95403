import type { Kind } from '../entries/kind.ts';
import type { Sql } from './database.ts';
import * as Database from './database.ts';
import * as Staging from './staging.ts';

/** What each kind was made of, in the words of whoever brought it. */
export type Digests = { [K in Kind]?: string };
export type Counts = { [K in Kind]?: number };
export type Generation = { generation: number; live: boolean; digests: Digests; counts: Counts };

/** Where processes hear that another generation is live. */
export const channel = 'direct_generation';
/** How long readers may go on in a generation after another has taken over; a cursor is good for so long at least. */
export const graceMs = 3_600_000;
const closeTimeoutMs = 1_000;

/** All generations that can be read, the newest first. */
export async function readable(sql: Sql): Promise<Generation[]> {
  return await sql<Generation[]>`
    select generation, live, digests, counts from direct.generation order by generation desc`;
}

export async function live(sql: Sql): Promise<Generation | null> {
  return (await readable(sql)).find((each) => each.live) ?? null;
}

/** Runs `work` while nobody else loads or drops generations of this database; gives null where somebody does. */
export async function alone<T>(sql: Sql, work: () => Promise<T>): Promise<T | null> {
  const connection = Database.dedicated(sql, { idle_session_timeout: 0 });
  try {
    const [row] = await connection<{ free: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended('sluice-direct-generations', 0)) as free`;
    return row?.free ? await work() : null;
  } finally {
    // The lock goes with the connection.
    await Database.close(connection, closeTimeoutMs);
  }
}

/** Makes the staged partitions of `next` live in one step, and tells everyone. */
export async function takeOver(
  sql: Sql,
  next: Pick<Generation, 'generation' | 'digests' | 'counts'>,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  const text = (value: object) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  // Statements sent in one message are one transaction.
  await Staging.patient(sql, (connection) =>
    connection.unsafe(
      `${Staging.joining(next.generation)}
       update direct.generation set live = false, left_at = '${now}' where live;
       insert into direct.generation (generation, digests, counts, loaded_at, live)
       values (${next.generation}, ${text(next.digests)}, ${text(next.counts)}, '${now}', true);
       notify ${channel};`,
    ),
  );
}

/**
 * Drops what nobody is to read any more: generations that were left more than `graceMs` ago, but for the one before the
 * live one, and what loads that were cut off have left behind. Does nothing while a load is under way. Readers of
 * other generations do not notice.
 */
export async function dropOld(sql: Sql, nowMs: number): Promise<number[]> {
  const dropped = await alone(sql, async () => {
    await sql`
      delete from direct.generation
      where not live and left_at < ${new Date(nowMs - graceMs)}
        and generation < (select max(generation) from direct.generation where not live)`;
    const known = new Set((await readable(sql)).map(({ generation }) => generation));
    const numbers = (await partitions(sql)).map(({ generation }) => generation);
    const outdated = [...new Set(numbers)].filter((generation) => !known.has(generation));
    for (const generation of outdated) await drop(sql, generation);
    return outdated;
  });
  return dropped ?? [];
}

/** Drops the partitions of a generation, joined or not. */
export async function drop(sql: Sql, generation: number): Promise<void> {
  const found = (await partitions(sql)).filter((each) => each.generation === generation);
  for (const { table, state } of found) {
    const name = Staging.partition(table, generation);
    // Whoever reads the table meanwhile is neither cut off nor made to wait: a plain drop would lock it for all.
    await Staging.patient(sql, async (connection) => {
      if (state === 'pending')
        await connection.unsafe(`alter table direct.${table} detach partition ${name} finalize`);
      if (state === 'joined')
        await connection.unsafe(`alter table direct.${table} detach partition ${name} concurrently`);
      await connection.unsafe(`drop table if exists ${name}`);
    });
  }
}

type Partition = { table: Staging.TableName; generation: number; state: 'apart' | 'joined' | 'pending' };

async function partitions(sql: Sql): Promise<Partition[]> {
  return await sql<Partition[]>`
    select m[1] as table, m[2]::integer as generation,
           case when i.inhdetachpending then 'pending' when i.inhrelid is null then 'apart' else 'joined' end as state
    from pg_class c
    cross join regexp_match(c.relname, '^(.*)_([0-9]+)$') as m
    left join pg_inherits i on i.inhrelid = c.oid
    where c.relnamespace = 'direct'::regnamespace and c.relkind = 'r' and m[1] = any(${[...Staging.tables]})`;
}
