import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as Cluster from '../adapters/embedded/cluster.ts';
import * as Wiring from './wiring.ts';

/** A database to work on; `leave` ends what was opened for that. */
export type ShopDatabase = { url: string; leave(): Promise<void> };

/**
 * The database at `url`, or that of DATABASE_URL, or the one that `sluice start` keeps in DATA_DIR: as it runs, or opened
 * for this. Throws where there is none.
 */
export async function reach(env: NodeJS.ProcessEnv, url?: string): Promise<ShopDatabase> {
  const { dataDir } = Wiring.read(env);
  const dir = join(dataDir, 'postgres');
  const given = url || env.DATABASE_URL || (await Cluster.visit(dir, 'sluice').catch(() => null));
  if (given) return { url: given, leave: async () => {} };
  if (!(await stat(join(dir, 'data')).catch(() => null)))
    throw new Error(
      `there is no database in ${dir}: open a shop with sluice start, or name one by DATABASE_URL`,
    );
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'logs', 'postgres.log');
  const cluster = await Cluster.open({ dir, database: 'sluice', durable: true, logFile });
  return { url: cluster.url, leave: () => cluster.stop() };
}
