import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as GoalsFile from '../../src/catalog/goals-file.ts';
import * as GoalPrompt from '../../src/cli/goal-prompt.ts';
import * as Sluice from './sluice.ts';

const parcels = fileURLToPath(new URL('../../packages/advisor/test/fixtures/parcels.yaml', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-prompt-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A catalogue of `count` operations with descriptions that are far too long. */
async function large(count: number): Promise<string> {
  const words = 'many words '.repeat(40);
  const operations = Array.from({ length: count }, (_, at) => `/v1/thing-${at}`);
  const parameters = Array.from({ length: 12 }, (_, at) => ({
    name: `p${at}`,
    in: 'query',
    required: at % 2 === 0,
    description: words,
    schema: { type: 'string', enum: Array.from({ length: 3 }, (_, value) => `${words}${value}`) },
  }));
  const operation = { summary: words, description: words, parameters, responses: {} };
  const paths = Object.fromEntries(operations.map((path) => [path, { get: operation }]));
  await writeFile(
    join(folder, 'api.json'),
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths }),
  );
  const catalog = {
    storefront: { name: 'Things', description: 'Things.', contact: 'help@things.example' },
    upstream: { description: 'api.json', key: { header: 'authorization', value: 'Bearer {key}' } },
    services: [
      {
        slug: 'things',
        name: 'Things',
        description: 'Things.',
        unit: 'call',
        price_usd: '0.01',
        operations: operations.map((path) => ({ call: `GET ${path}`, units: 1 })),
      },
    ],
    plans: [{ id: 'credit', kind: 'credit', covers: '*', min_usd: '1', max_usd: '100' }],
  };
  const path = join(folder, 'large.yaml');
  await writeFile(path, JSON.stringify(catalog));
  return path;
}

test('a prompt names each operation, what it needs and returns, and what finds that', async () => {
  const loaded = await CatalogFile.read(parcels);
  const { prompts } = GoalPrompt.write(loaded);
  const [only] = prompts;
  expect(prompts).toHaveLength(1);
  expect(only?.operations).toEqual(loaded.catalog.operations.map(({ id }) => id));
  for (const id of only?.operations ?? []) expect(only?.text).toContain(`\n${id}\n`);
  expect(only?.text).toMatch(/Needs: tracking_number \(.*\)/);
  expect(only?.text).toMatch(/Returns: .*status/);
});

test('the format that a prompt shows is a valid file of goals', async () => {
  const loaded = await CatalogFile.read(parcels);
  const [only] = GoalPrompt.write(loaded).prompts;
  const path = join(folder, 'answer.yaml');
  await writeFile(path, only?.text ?? '');
  const read = await GoalsFile.read([path], only?.operations ?? []);
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && new Set(read.goals.map(({ kind, calls }) => `${kind} ${calls.length}`))).toEqual(
    new Set(['asked 1', 'asked 2', 'outside 0', 'vague 0']),
  );
});

test('many operations get a prompt for each six, each of a bounded length, and what is left out is said', async () => {
  const loaded = await CatalogFile.read(await large(130));
  const { prompts, shortened, unlisted } = GoalPrompt.write(loaded);
  expect(prompts.flatMap(({ operations }) => operations)).toEqual(
    loaded.catalog.operations.map(({ id }) => id),
  );
  expect(Math.max(...prompts.map(({ operations }) => operations.length))).toBe(6);
  expect(Math.max(...prompts.map(({ text }) => text.length))).toBeLessThanOrEqual(GoalPrompt.charsMax);
  expect(shortened).toHaveLength(130);
  expect(unlisted).toBeGreaterThan(0);
});

test('the command writes the files, never over others, and says what to do with them', async () => {
  const catalog = await large(8);
  const write = () => Sluice.here(['catalog', 'goals', catalog, '--prompt', join(folder, 'prompt.txt')]);
  const { code, out, err } = await write();
  expect([code, err]).toEqual([0, '']);
  expect((await readdir(folder)).filter((name) => name.startsWith('prompt')).sort()).toEqual([
    'prompt-1.txt',
    'prompt-2.txt',
  ]);
  expect(out).toContain('goals: [goals-1.yaml, goals-2.yaml]');
  expect(out).toContain('shortened (8 operations)');
  expect((await write()).code).toBe(1);
  expect((await write()).err).toMatch(/prompt-1\.txt exists/);
});

test('answers to several prompts are named as a list, and their goals add up', async () => {
  const text = await readFile(await large(8), 'utf8');
  await writeFile(join(folder, 'goals-1.yaml'), 'asks: { GET /v1/thing-0: [the first] }');
  await writeFile(join(folder, 'goals-2.yaml'), 'asks: { GET /v1/thing-7: [the last] }');
  const path = join(folder, 'both.yaml');
  await writeFile(path, JSON.stringify({ goals: ['goals-1.yaml', 'goals-2.yaml'], ...JSON.parse(text) }));
  expect((await CatalogFile.read(path)).catalog.goals).toEqual([
    { ask: 'the first', calls: ['GET /v1/thing-0'], kind: 'asked' },
    { ask: 'the last', calls: ['GET /v1/thing-7'], kind: 'asked' },
  ]);
});
