import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as Compose from './compose.ts';
import * as Cluster from './embedded/cluster.ts';

/** A database to work on; `leave` stops the server if it was started for this. */
export type ShopDatabase = { url: string; leave(): Promise<void> };

/** Returns the database for commands that only read: DATABASE_READ_URL, which may be a standby, or the shop's database. */
export function reachForReading(env: NodeJS.ProcessEnv): Promise<ShopDatabase> {
  return reach(env, env.DATABASE_READ_URL);
}

/**
 * Returns the database at `url`, or of DATABASE_URL, or of `sluice start` in DATA_DIR, which is started if it does not run. Throws when
 * there is none.
 */
export async function reach(env: NodeJS.ProcessEnv, url?: string): Promise<ShopDatabase> {
  const { dataDir } = Compose.read(env);
  const dir = join(dataDir, 'postgres');
  const given = url || env.DATABASE_URL || (await Cluster.visit(dir, 'sluice').catch(() => null));
  if (given) return { url: given, leave: async () => {} };
  if (!(await stat(join(dir, 'data')).catch(() => null)))
    throw new Error(`there is no database in ${dir}: run sluice start, or set DATABASE_URL`);
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'logs', 'postgres.log');
  const cluster = await Cluster.openCluster({ dir, database: 'sluice', durable: true, logFile });
  return { url: cluster.url, leave: () => cluster.stop() };
}
