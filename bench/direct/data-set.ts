import * as DataSet from '../../src/direct/adapters/data-set.ts';
import type { Sql } from '../../src/direct/adapters/database.ts';
import * as Generations from '../../src/direct/adapters/generations.ts';
import * as Migrations from '../../src/direct/adapters/migrations.ts';
import * as Staging from '../../src/direct/adapters/staging.ts';
import * as Sample from '../../src/direct/data/sample.ts';
import { type Kind, kinds } from '../../src/direct/entries/kind.ts';

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
export type Prepared = { generation: number; stages: Stage[]; tables: TableSize[] };

const dayMs = 86_400_000;

/**
 * Makes the data set of these sizes the live one, unless it is, of whatever day; then `stages` is empty. Throws where
 * the database serves other data: nobody's are to be replaced by a measurement.
 */
export async function prepare(
  sql: Sql,
  sizes: Sample.Sizes,
  tell: (text: string) => void,
): Promise<Prepared> {
  await Migrations.migrate(sql);
  const digest = `bench ${Sample.seed} ${Object.values(sizes).join(' ')}`;
  const live = await Generations.live(sql);
  if (live && live.digests.people !== digest)
    throw new Error('this database has other data: name an empty one, or take the one of those sizes');
  const stages = live ? [] : await load(sql, sizes, digest, tell);
  const generation = live?.generation ?? 1;
  return { generation, stages, tables: await sizesOf(sql, generation) };
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

async function sizesOf(sql: Sql, generation: number): Promise<TableSize[]> {
  const names = Staging.tables.map((table) => Staging.partition(table, generation));
  return await sql<TableSize[]>`
    select t.name as table, c.reltuples::bigint as rows, pg_relation_size(c.oid) as "heapBytes",
           pg_table_size(c.oid) - pg_relation_size(c.oid) as "wideBytes", pg_indexes_size(c.oid) as "indexBytes"
    from unnest(${names}::text[]) with ordinality as t (name, place) join pg_class c on c.oid = t.name::regclass
    order by t.place`;
}
