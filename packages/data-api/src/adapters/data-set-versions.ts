import type { Kind } from '../entries/kind.ts';
import type { Sql } from './database.ts';
import * as Database from './database.ts';
import * as Staging from './staging.ts';

/** Identifies the source of each kind, so that the same data are not loaded twice. Computed by the caller of the load. */
export type Digests = { [K in Kind]?: string };
export type Counts = { [K in Kind]?: number };
export type DataSetVersion = { version: number; live: boolean; digests: Digests; counts: Counts };

/** Notification channel: another data-set version became live. */
export const channel = 'direct_data_set_version';
/** Time that a version stays readable after another became live: the minimum lifetime of its cursors. */
export const graceMs = 3_600_000;
const closeTimeoutMs = 1_000;

/** Lists all readable versions, the newest first. */
export async function readable(sql: Sql): Promise<DataSetVersion[]> {
  return await sql<DataSetVersion[]>`
    select version, live, digests, counts from direct.data_set_version order by version desc`;
}

export async function live(sql: Sql): Promise<DataSetVersion | null> {
  return (await readable(sql)).find((each) => each.live) ?? null;
}

/** Runs `work` while holding the lock for loading and dropping versions. Returns null if another process holds it. */
export async function withLoadLock<T>(sql: Sql, work: () => Promise<T>): Promise<T | null> {
  const connection = Database.dedicated(sql, { idle_session_timeout: 0 });
  try {
    const [row] = await connection<{ free: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended('sluice-direct-data-sets', 0)) as free`;
    return row?.free ? await work() : null;
  } finally {
    // Closing the connection releases the lock.
    await Database.close(connection, closeTimeoutMs);
  }
}

/** Attaches the staged partitions of `next`, makes it the live version in one transaction, and notifies all processes. */
export async function makeLive(
  sql: Sql,
  next: Pick<DataSetVersion, 'version' | 'digests' | 'counts'>,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  const text = (value: object) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  // Statements sent in one message are one transaction.
  await Staging.onMaintenanceConnection(sql, (connection) =>
    connection.unsafe(
      `${Staging.attachStatements(next.version)}
       update direct.data_set_version set live = false, left_at = '${now}' where live;
       insert into direct.data_set_version (version, digests, counts, loaded_at, live)
       values (${next.version}, ${text(next.digests)}, ${text(next.counts)}, '${now}', true);
       notify ${channel};`,
    ),
  );
}

/**
 * Drops versions that were replaced more than `graceMs` ago, except the one before the live version, and the partitions
 * left by interrupted loads. Does nothing while a load is running. Does not block readers of other versions.
 */
export async function dropOld(sql: Sql, nowMs: number): Promise<number[]> {
  const dropped = await withLoadLock(sql, async () => {
    await sql`
      delete from direct.data_set_version
      where not live and left_at < ${new Date(nowMs - graceMs)}
        and version < (select max(version) from direct.data_set_version where not live)`;
    const known = new Set((await readable(sql)).map(({ version }) => version));
    const numbers = (await partitions(sql)).map(({ version }) => version);
    const outdated = [...new Set(numbers)].filter((version) => !known.has(version));
    for (const version of outdated) await drop(sql, version);
    return outdated;
  });
  return dropped ?? [];
}

/** Drops the partitions of a version, attached or not. */
export async function drop(sql: Sql, version: number): Promise<void> {
  const found = (await partitions(sql)).filter((each) => each.version === version);
  for (const { table, state } of found) {
    const name = Staging.partition(table, version);
    // Detach concurrently first: a plain drop would lock the parent table and block all readers.
    await Staging.onMaintenanceConnection(sql, async (connection) => {
      if (state === 'pending')
        await connection.unsafe(`alter table direct.${table} detach partition ${name} finalize`);
      if (state === 'joined')
        await connection.unsafe(`alter table direct.${table} detach partition ${name} concurrently`);
      await connection.unsafe(`drop table if exists ${name}`);
    });
  }
}

type Partition = { table: Staging.TableName; version: number; state: 'apart' | 'joined' | 'pending' };

async function partitions(sql: Sql): Promise<Partition[]> {
  return await sql<Partition[]>`
    select m[1] as table, m[2]::integer as version,
           case when i.inhdetachpending then 'pending' when i.inhrelid is null then 'apart' else 'joined' end as state
    from pg_class c
    cross join regexp_match(c.relname, '^(.*)_([0-9]+)$') as m
    left join pg_inherits i on i.inhrelid = c.oid
    where c.relnamespace = 'direct'::regnamespace and c.relkind = 'r' and m[1] = any(${[...Staging.tables]})`;
}
