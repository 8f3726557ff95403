import { secret } from '../../kernel/id.ts';
import * as Sample from '../data/sample.ts';
import * as Key from '../keys/key.ts';
import * as Plan from '../keys/plan.ts';
import * as DataSet from './data-set.ts';
import * as Database from './database.ts';
import { keys } from './keys.ts';
import * as Migrations from './migrations.ts';

export type Wishes = {
  databaseUrl: string;
  /** A key of the plan Storefront, to be made unless it is there. */
  apiKey: string | null;
  sizes: Sample.Sizes;
  nowMs: number;
};
export type Prepared = { generation: number; cursorSecret: string };

const dayMs = 86_400_000;
const connectionsMax = 4;
const statementTimeoutMs = 120_000;

/** Brings a database to where the program can serve from it: tables, data, the secret of cursors, the first key. */
export async function prepare({ databaseUrl, apiKey, sizes, nowMs }: Wishes): Promise<Prepared> {
  const sql = Database.open(databaseUrl, { connectionsMax, statementTimeoutMs });
  try {
    return await Migrations.alone(sql, async () => {
      await Migrations.migrate(sql);
      if (apiKey !== null) await keys(sql).add(Key.issue(apiKey, Plan.storefront, nowMs));
      const todayMs = nowMs - (nowMs % dayMs);
      const generation =
        (await DataSet.liveGeneration(sql)) ??
        (await DataSet.load(sql, Sample.generate({ seed: Sample.seed, todayMs, ...sizes }), nowMs));
      return { generation, cursorSecret: await cursorSecret(sql) };
    });
  } finally {
    await sql.end();
  }
}

/** One secret for all processes on this database, drawn by the first. */
async function cursorSecret(sql: Database.Sql): Promise<string> {
  await sql`
    insert into direct.setting (name, value) values ('cursor_secret', ${secret('cs')}) on conflict do nothing`;
  const [row] = await sql<{ value: string }[]>`select value from direct.setting where name = 'cursor_secret'`;
  if (!row) throw new Error('the secret of cursors is not in the database');
  return row.value;
}
