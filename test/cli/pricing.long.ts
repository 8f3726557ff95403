import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as Sluice from './sluice.ts';

const list = {
  responses: {
    200: {
      description: 'OK',
      content: {
        'application/json': { schema: { type: 'object', properties: { items: { type: 'array' } } } },
      },
    },
  },
};
const description = {
  openapi: '3.0.3',
  info: { title: 'Parcels' },
  servers: [{ url: 'https://api.parcels.example' }],
  paths: {
    '/parcels': { get: { tags: ['Parcels'], ...list }, post: { tags: ['Parcels'] } },
    '/depots': { get: { tags: ['Depots'], ...list } },
    '/me': { get: { tags: ['Depots'] } },
    '/auth/token': { post: {} },
  },
};

const sluice = join(import.meta.dirname, '../../src/cli/sluice.ts');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice pricing '));
  await writeFile(join(folder, 'api.json'), JSON.stringify(description));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the imported catalogue's prices by service in micro-dollars, its trial's units and its smallest purchase. */
async function imported(args: readonly string[], input?: string) {
  const run = await Sluice.run(['catalog', 'import', 'api.json', '--force', ...args], {
    cwd: folder,
    ...(input !== undefined && { input }),
  });
  expect(run).toMatchObject({ code: 0 });
  const { services, plans } = await CatalogFile.load(join(folder, 'catalog.yaml'));
  const trial = plans.find((plan) => plan.kind === 'trial');
  const credit = plans.find((plan) => plan.kind === 'credit');
  return {
    prices: Object.fromEntries(services.map(({ slug, price }) => [slug, price])),
    trial: trial?.included ?? null,
    min: credit?.min,
    run,
  };
}

test('flags say prices, trial and smallest purchase, and nothing is asked', async () => {
  const flags = ['--price', '0.002', '--price', 'depots=0.03', '--trial', '7', '--min', '2.50'];
  const { prices, trial, min, run } = await imported(flags);
  expect(prices).toEqual({ parcels: 2_000, 'parcels-writing': 2_000, depots: 30_000 });
  expect([trial, min]).toEqual([{ asset: 'unit', amount: 7 }, 2_500_000]);
  expect(run.err).toBe('');
  expect(run.out).toContain('The trial gives 7 units, worth at most 0.21 USD.');
  expect(run.out).toContain('does not cover them');
  expect(run.out).toContain('UPSTREAM_URL=https://api.parcels.example');
});

test('answers that are piped in are taken line by line; what cannot be read is asked again', async () => {
  const { prices, trial, min, run } = await imported([], '0.004\nmuch\n0.05\n\n10\n1.00\n');
  expect(prices).toEqual({ parcels: 4_000, 'parcels-writing': 50_000, depots: 1_000 });
  expect([trial, min]).toEqual([{ asset: 'unit', amount: 10 }, 1_000_000]);
  expect(run.err).toContain('an amount such as 0.002');
});

test('one answer may go for all that follow, and the end of a pipe takes the rest as it is', async () => {
  const { prices, trial } = await imported([], '0.004\n0.01 all\n');
  expect(prices).toEqual({ parcels: 4_000, 'parcels-writing': 10_000, depots: 10_000 });
  // The default for one response, because the description states no maximum.
  expect(trial).toEqual({ asset: 'unit', amount: 100 });
});

test('what a flag has said is not asked', async () => {
  const { prices, trial } = await imported(['--price', 'parcels=1', '--trial', '0'], '0.5\n0.6\n0.75\n');
  expect(prices).toEqual({ parcels: 1_000_000, 'parcels-writing': 500_000, depots: 600_000 });
  expect(trial).toBeNull();
});

test('only what is named is sold, and nothing of the own account with the API', async () => {
  const { prices } = await imported(['--only', 'depots', '--yes']);
  expect(Object.keys(prices)).toEqual(['depots']);
  const text = await readFile(join(folder, 'catalog.yaml'), 'utf8');
  expect(text).toMatch(/GET \/me: manages your own account/);
  expect(text).toMatch(/POST \/auth\/token: manages your own account/);
});

test.each([
  [['--price', 'depot=1'], 'Did you mean "depots"?'],
  [['--only', 'parcel'], 'Did you mean "parcels"?'],
  [['--trial', 'some'], 'a whole number'],
  [['--min', '0.25'], 'from 0.50'],
])('%j is refused, and writes nothing', async (flags, said) => {
  const { code, err } = await Sluice.run(['catalog', 'import', 'api.json', '--out', 'other.yaml', ...flags], {
    cwd: folder,
  });
  expect(code).toBe(2);
  expect(err).toContain(said);
  await expect(readFile(join(folder, 'other.yaml'))).rejects.toThrow('ENOENT');
});

test('a pipe that stays open and says nothing holds nobody up', async () => {
  const child = spawn(process.execPath, [sluice, 'catalog', 'import', 'api.json', '--force'], {
    cwd: folder,
  });
  const startedMs = performance.now();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(15_000);
});
