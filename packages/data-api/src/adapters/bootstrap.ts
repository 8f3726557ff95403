import { secret } from '@sluice/kernel/id';
import * as Sample from '../data/sample.ts';
import * as Key from '../keys/key.ts';
import * as Plan from '../keys/plan.ts';
import * as DataSet from './data-set.ts';
import * as DataSetVersions from './data-set-versions.ts';
import * as Database from './database.ts';
import { keys } from './keys.ts';
import * as Migrations from './migrations.ts';

export type BootstrapOptions = {
  databaseUrl: string;
  /** API key for the gateway on the plan `Storefront`, created unless it exists. */
  apiKey: string | null;
  sizes: Sample.Sizes;
  nowMs: number;
};
export type Bootstrapped = {
  cursorSecret: string;
  /** Seals the browser sessions of the dashboard. */
  sessionSecret: string;
};

const dayMs = 86_400_000;
const sampleDaysMax = 7;
const connectionsMax = 6;
const statementTimeoutMs = 120_000;

/** Prepares a database for serving: applies migrations, loads the sample, and creates the first key and the cursor secret. */
export async function bootstrap({
  databaseUrl,
  apiKey,
  sizes,
  nowMs,
}: BootstrapOptions): Promise<Bootstrapped> {
  const sql = Database.openPool(databaseUrl, { connectionsMax, statementTimeoutMs });
  try {
    return await Migrations.withMigrationLock(sql, async () => {
      await Migrations.migrate(sql);
      if (apiKey !== null) await keys(sql).add(Key.issue(apiKey, Plan.storefront, nowMs));
      const live = await DataSetVersions.live(sql);
      if (live === null) await loadSample(sql, sizes, nowMs);
      else if (isOutdated(live, sizes, nowMs)) await loadSample(sql, sizes, nowMs).catch(ignoreRunningLoad);
      return {
        cursorSecret: await sharedSecret(sql, 'cursor_secret', 'cs'),
        sessionSecret: await sharedSecret(sql, 'session_secret', 'ss'),
      };
    });
  } finally {
    await sql.end();
  }
}

/** Returns true if the live data are the sample and so old that its email verifications are about to expire. */
function isOutdated(
  { digests }: DataSetVersions.DataSetVersion,
  sizes: Sample.Sizes,
  nowMs: number,
): boolean {
  const day = Sample.dayOf(digests.emails, sizes);
  return day !== null && nowMs - day > sampleDaysMax * dayMs;
}

/** Ignores a load that is already running: it makes the sample unnecessary. */
function ignoreRunningLoad(error: unknown): void {
  if (!(error instanceof DataSet.LoadUnderWay)) throw error;
}

/** Loads today's sample and makes it live. Does nothing if it is live already. */
function loadSample(sql: Database.Sql, sizes: Sample.Sizes, nowMs: number): Promise<DataSet.Loaded> {
  const options = { seed: Sample.seed, todayMs: nowMs - (nowMs % dayMs), ...sizes };
  return DataSet.load(sql, { given: Sample.generate(options), digests: Sample.digests(options), nowMs });
}

/** Returns the secret that all processes on this database share. The first process creates it. */
async function sharedSecret(sql: Database.Sql, name: string, prefix: string): Promise<string> {
  await sql`
    insert into direct.setting (name, value) values (${name}, ${secret(prefix)}) on conflict do nothing`;
  const [row] = await sql<{ value: string }[]>`select value from direct.setting where name = ${name}`;
  if (!row) throw new Error(`the secret ${name} is missing in direct.setting`);
  return row.value;
}
