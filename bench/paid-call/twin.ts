import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import * as Program from './program.ts';

/** A baseline: pgbench sends the writer's own statement with the same rows, so that almost only PostgreSQL is measured. */
export type Twin = { rowsPerSecond(seconds: number): Promise<number> };

const writer = 'twin';
const batchesMax = 40_000;

/**
 * @param rows settlements in a batch
 * @param checkpointEvery number of batches between two checkpoints
 */
export async function open(
  dir: string,
  url: string,
  sql: postgres.Sql,
  { account, rows, checkpointEvery }: { account: string; rows: number; checkpointEvery: number },
): Promise<Twin> {
  const script = join(dir, 'twin.sql');
  await writeFile(script, statement);
  await sql`CREATE TABLE twin AS SELECT seq, ARRAY(
      SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + seq), 12, '0') || left(md5(random()::text || seq || n), 20))::uuid
        FROM generate_series(1, ${rows}::integer) n) AS calls
    FROM generate_series(2, ${batchesMax}::integer) seq`;
  await sql`ALTER TABLE twin ADD PRIMARY KEY (seq)`;
  await sql`VACUUM ANALYZE twin`;
  const [{ epoch }] = await sql<[{ epoch: string }]>`SELECT ledger.open_writer(${writer}) AS epoch`;
  // The first batch leases the amount that all others spend.
  await sql`SELECT ledger.batch(${writer}, ${epoch}, 1, 0, false, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
    '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', ${[account]}, '{credit}', '{100}', '{100000000}', '{0}', '{false}')`;
  const [{ lot }] = await sql<
    [{ lot: string }]
  >`SELECT lot_id AS lot FROM ledger.lease WHERE writer_id = ${writer}`;
  // Like the writer: a value that is the same in all rows is sent once, except for nullable ones.
  const all = (value: string | number) => `{${Array.from({ length: rows }, () => value).join(',')}}`;
  const same = (value: string | number) => `{${value}}`;
  const columns = {
    writer,
    epoch,
    checkpoint_every: checkpointEvery,
    draws: same(0),
    accounts: same(account),
    lots: all(lot),
    plans: all('credit'),
    services: same('lists'),
    operations: same('"POST /v1/small"'),
    statuses: same(200),
    units: same(5),
    prices: same(100),
    amounts: same(500),
  };
  const settings = Object.entries(columns).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return {
    async rowsPerSecond(seconds) {
      const [{ seq }] = await sql<
        [{ seq: string }]
      >`SELECT max(seq) AS seq FROM ledger.batch WHERE writer_id = ${writer}`;
      const args = [
        '-n',
        '-M',
        'prepared',
        '-c',
        '1',
        '-T',
        String(seconds),
        '-f',
        script,
        '-D',
        `seq=${seq}`,
      ];
      const printed = await Program.output('pgbench', [...args, ...settings, url]);
      const [, batches = '0', tps = '0'] =
        /actually processed: (\d+)[\s\S]*tps = ([\d.]+)/.exec(printed) ?? [];
      if (Number(seq) + Number(batches) >= batchesMax) throw new Error('pgbench ran out of batches');
      return Number(tps) * rows;
    },
  };
}

const statement = `
\\set seq :seq + 1
\\set checkpoint :seq % :checkpoint_every = 0
SELECT ledger.batch(:writer::text, :epoch::text::bigint, :seq::bigint, :seq::bigint - 1, :checkpoint::boolean,
  calls, :draws::text::smallint[], :accounts::text::text[], :lots::text::bigint[], :plans::text::text[], :services::text::text[],
  :operations::text::text[], :statuses::text::smallint[], :units::text::bigint[], :prices::text::bigint[], :amounts::text::bigint[], '{}', '{}')
FROM twin WHERE seq = :seq;
`;
