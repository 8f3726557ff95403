import * as DataSet from '../src/adapters/data-set.ts';
import * as DataSetVersions from '../src/adapters/data-set-versions.ts';
import type { Sql } from '../src/adapters/database.ts';
import * as Migrations from '../src/adapters/migrations.ts';
import * as Staging from '../src/adapters/staging.ts';
import * as Sample from '../src/data/sample.ts';
import { type Kind, kinds } from '../src/entries/kind.ts';

/**
 * A part of the load: how long it took, of that the making of what is read, and how many rows came through where it is one
 * that reads.
 */
export type Stage = { name: string; ms: number; makingMs: number; rows: number | null };
export type TableSize = {
  table: string;
  rows: number;
  heapBytes: number;
  wideBytes: number;
  indexBytes: number;
};
export type Prepared = { version: number; stages: Stage[]; tables: TableSize[] };

const dayMs = 86_400_000;

/**
 * Loads generated data of these sizes, unless such data of any day are live already; then `stages` is empty. Throws if
 * the database serves other data, so that a benchmark never replaces real data.
 */
export async function prepare(
  sql: Sql,
  sizes: Sample.Sizes,
  tell: (text: string) => void,
): Promise<Prepared> {
  await Migrations.migrate(sql);
  const digest = `bench ${Sample.seed} ${Object.values(sizes).join(' ')}`;
  const live = await DataSetVersions.live(sql);
  if (live && live.digests.people !== digest)
    throw new Error('this database has other data: name an empty one, or take the one of those sizes');
  const stages = live ? [] : await load(sql, sizes, digest, tell);
  const version = live?.version ?? 1;
  return { version, stages, tables: await sizesOf(sql, version) };
}

async function load(
  sql: Sql,
  sizes: Sample.Sizes,
  digest: string,
  tell: (text: string) => void,
): Promise<Stage[]> {
  const stages: Stage[] = [];
  let current = { name: 'making companies', sinceMs: performance.now(), makingMs: 0, rows: 0 };
  const done = () => {
    const { name, sinceMs, makingMs, rows } = current;
    stages.push({ name, ms: performance.now() - sinceMs, makingMs, rows: rows || null });
  };
  const next = (name: string) => {
    done();
    current = { name, sinceMs: performance.now(), makingMs: 0, rows: 0 };
    tell(name);
  };
  const nowMs = Date.now();
  const options = { seed: Sample.seed, todayMs: nowMs - (nowMs % dayMs), ...sizes };
  tell(current.name);
  const sample = Sample.generate(options);
  current.makingMs = performance.now() - current.sinceMs;
  const counted = function* <T>(kind: Kind, entries: Iterable<T>): Generator<T> {
    next(`${kind}, made and written`);
    let madeMs = performance.now();
    for (const entry of entries) {
      current.makingMs += performance.now() - madeMs;
      current.rows++;
      yield entry;
      madeMs = performance.now();
    }
  };
  await DataSet.load(sql, {
    given: {
      companies: counted('companies', sample.companies),
      people: counted('people', sample.people),
      jobs: counted('jobs', sample.jobs),
      emails: counted('emails', sample.emails),
      phones: counted('phones', sample.phones),
    },
    digests: Object.fromEntries(kinds.map((kind) => [kind, digest])),
    nowMs,
    stage: () => next('indexes that were not ready by then'),
  });
  next('checkpoint');
  await sql`checkpoint`;
  done();
  return stages;
}

async function sizesOf(sql: Sql, version: number): Promise<TableSize[]> {
  const names = Staging.tables.map((table) => Staging.partition(table, version));
  return await sql<TableSize[]>`
    select t.name as table, c.reltuples::bigint as rows, pg_relation_size(c.oid) as "heapBytes",
           pg_table_size(c.oid) - pg_relation_size(c.oid) as "wideBytes", pg_indexes_size(c.oid) as "indexBytes"
    from unnest(${names}::text[]) with ordinality as t (name, place) join pg_class c on c.oid = t.name::regclass
    order by t.place`;
}
