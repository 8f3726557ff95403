import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as Cluster from '../adapters/embedded/cluster.ts';
import * as Wiring from './wiring.ts';

/** The shop's database: a given one, the embedded one as it runs, or the embedded one opened for this. */
export async function reach(env: NodeJS.ProcessEnv): Promise<{ url: string; leave(): Promise<void> }> {
  const { dataDir } = Wiring.read(env);
  const dir = join(dataDir, 'postgres');
  const given = env.DATABASE_URL || (await Cluster.visit(dir, 'sluice').catch(() => null));
  if (given) return { url: given, leave: async () => {} };
  if (!(await stat(join(dir, 'data')).catch(() => null)))
    throw new Error(`there is no database in ${dir}; open a shop with npm start, or set DATABASE_URL`);
  const logFile = join(dataDir, 'logs', 'postgres.log');
  const cluster = await Cluster.open({ dir, database: 'sluice', durable: true, logFile });
  return { url: cluster.url, leave: () => cluster.stop() };
}
