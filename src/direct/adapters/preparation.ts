import { secret } from '../../kernel/id.ts';
import * as Sample from '../data/sample.ts';
import * as Key from '../keys/key.ts';
import * as Plan from '../keys/plan.ts';
import * as DataSet from './data-set.ts';
import * as Database from './database.ts';
import * as Generations from './generations.ts';
import { keys } from './keys.ts';
import * as Migrations from './migrations.ts';

export type Wishes = {
  databaseUrl: string;
  /** A key of the plan Storefront, to be made unless it is there. */
  apiKey: string | null;
  sizes: Sample.Sizes;
  nowMs: number;
};
export type Prepared = { cursorSecret: string };

const dayMs = 86_400_000;
const sampleDaysMax = 7;
const connectionsMax = 6;
const statementTimeoutMs = 120_000;

/** Brings a database to where the program can serve from it: tables, data, the secret of cursors, the first key. */
export async function prepare({ databaseUrl, apiKey, sizes, nowMs }: Wishes): Promise<Prepared> {
  const sql = Database.open(databaseUrl, { connectionsMax, statementTimeoutMs });
  try {
    return await Migrations.alone(sql, async () => {
      await Migrations.migrate(sql);
      if (apiKey !== null) await keys(sql).add(Key.issue(apiKey, Plan.storefront, nowMs));
      const live = await Generations.live(sql);
      if (live === null) await loadSample(sql, sizes, nowMs);
      else if (isOutdated(live, sizes, nowMs)) await loadSample(sql, sizes, nowMs).catch(unlessUnderWay);
      return { cursorSecret: await cursorSecret(sql) };
    });
  } finally {
    await sql.end();
  }
}

/** Whether the live data are our sample, and so old that its addresses are soon no longer told. */
function isOutdated({ digests }: Generations.Generation, sizes: Sample.Sizes, nowMs: number): boolean {
  const day = Sample.dayOf(digests.emails, sizes);
  return day !== null && nowMs - day > sampleDaysMax * dayMs;
}

/** Whoever loads just now brings something newer. */
function unlessUnderWay(error: unknown): void {
  if (!(error instanceof DataSet.LoadUnderWay)) throw error;
}

/** Makes the sample of the day the live data set, unless it is. */
function loadSample(sql: Database.Sql, sizes: Sample.Sizes, nowMs: number): Promise<DataSet.Loaded> {
  const options = { seed: Sample.seed, todayMs: nowMs - (nowMs % dayMs), ...sizes };
  return DataSet.load(sql, { given: Sample.generate(options), digests: Sample.digests(options), nowMs });
}

/** One secret for all processes on this database, drawn by the first. */
async function cursorSecret(sql: Database.Sql): Promise<string> {
  await sql`
    insert into direct.setting (name, value) values ('cursor_secret', ${secret('cs')}) on conflict do nothing`;
  const [row] = await sql<{ value: string }[]>`select value from direct.setting where name = 'cursor_secret'`;
  if (!row) throw new Error('the secret of cursors is not in the database');
  return row.value;
}
