import { systemClock } from '@sluice/kernel/clock';
import * as DataSet from '../adapters/data-set.ts';
import * as DataSetVersions from '../adapters/data-set-versions.ts';
import * as Database from '../adapters/database.ts';
import * as Migrations from '../adapters/migrations.ts';
import type { DataSets } from '../import/import.ts';
import type { Reach } from './reach.ts';

/** A connected database with its data sets. */
export type Opened = { sql: Database.Sql; dataSets: DataSets; close(): Promise<void> };

/** Enough for a load with its index builds, and for queries besides. */
const connectionsMax = 8;
const statementTimeoutMs = 120_000;
const closeTimeoutMs = 5_000;

/** Connects to the database at `url`, or the default one, and applies pending migrations. */
export async function open(reach: Reach, url: string | undefined): Promise<Opened> {
  const database = await reach(url);
  try {
    const opened = await at(database.url);
    const close = async () => {
      await opened.close();
      await database.leave();
    };
    return { ...opened, close };
  } catch (error) {
    await database.leave();
    throw error;
  }
}

/** Connects to the database at `url` and applies pending migrations. */
export async function at(url: string): Promise<Opened> {
  const sql = Database.openPool(url, { connectionsMax, statementTimeoutMs });
  const close = () => Database.close(sql, closeTimeoutMs);
  try {
    await Migrations.withMigrationLock(sql, () => Migrations.migrate(sql));
  } catch (error) {
    await close();
    throw error;
  }
  const dataSets: DataSets = {
    live: () => DataSetVersions.live(sql),
    load: (load) => DataSet.load(sql, { ...load, nowMs: systemClock() }),
  };
  return { sql, dataSets, close };
}
