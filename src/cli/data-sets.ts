import * as DataSet from '../direct/adapters/data-set.ts';
import * as Database from '../direct/adapters/database.ts';
import * as Generations from '../direct/adapters/generations.ts';
import * as Migrations from '../direct/adapters/migrations.ts';
import type { DataSets } from '../direct/import/import.ts';
import { systemClock } from '../kernel/clock.ts';
import * as ShopDatabase from './shop-database.ts';

/** The data sets of a database, ready to be read and loaded. */
export type Opened = { sql: Database.Sql; dataSets: DataSets; close(): Promise<void> };

/** Those of a load and its indexes, and one to look with. */
const connectionsMax = 8;
const statementTimeoutMs = 120_000;
const closeTimeoutMs = 5_000;

/** Opens the database at `url`, or the usual one, and makes the tables where they are not there yet. */
export async function open(url: string | undefined): Promise<Opened> {
  const database = await ShopDatabase.reach(process.env, url);
  const sql = Database.open(database.url, { connectionsMax, statementTimeoutMs });
  const close = async () => {
    await Database.close(sql, closeTimeoutMs);
    await database.leave();
  };
  try {
    await Migrations.alone(sql, () => Migrations.migrate(sql));
  } catch (error) {
    await close();
    throw error;
  }
  const dataSets: DataSets = {
    live: () => Generations.live(sql),
    load: (load) => DataSet.load(sql, { ...load, nowMs: systemClock() }),
  };
  return { sql, dataSets, close };
}
