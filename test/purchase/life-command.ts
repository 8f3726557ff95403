/** `npm run life -- --purchases 2000 --seed 7` runs the simulated life of a shop with faults (life.slow.ts). */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { purchases: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const env = { ...process.env, LIFE_PURCHASES: values.purchases, LIFE_SEED: values.seed };
const args = ['vitest', 'run', '--config', 'vitest.slow.config.ts', 'test/purchase/life.slow.ts'];
process.exitCode = spawnSync('npx', args, { env, stdio: 'inherit' }).status ?? 1;
