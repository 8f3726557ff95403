import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as CatalogGoals from '../../src/cli/commands/catalog-goals.ts';
import * as GoalRehearsal from '../../src/cli/goal-rehearsal.ts';

const fixtures = fileURLToPath(new URL('../../packages/advisor/test/fixtures/', import.meta.url));
const track = 'GET /v1/parcels/{tracking_number}';
const points = 'GET /v1/pickup-points';
/** Both kinds differ so much that an advisor that was not taught one of these goals still reads it. */
const goals = {
  [track]: [
    'where is my parcel',
    'parcel status',
    'track a parcel',
    'has the parcel arrived',
    'follow this parcel',
  ],
  [points]: [
    'lockers in Oslo',
    'pickup shop near me',
    'lockers nearby',
    'a shop to collect from',
    'lockers in 0150',
  ],
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-goals-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function parcels(asks: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const text = await readFile(join(fixtures, 'parcels.yaml'), 'utf8');
  const path = join(folder, 'catalog.yaml');
  await writeFile(join(folder, 'parcels-api.yaml'), await readFile(join(fixtures, 'parcels-api.yaml')));
  await writeFile(join(folder, 'goals.yaml'), JSON.stringify({ asks }));
  await writeFile(path, `goals: goals.yaml\n${text}`);
  return path;
}

test('goals are asked without having been taught, and a wrong one is named with what it was read as', async () => {
  const lie = { ...goals, [track]: [...goals[track], 'lockers by the harbour'] };
  const rehearsal = GoalRehearsal.rehearse(await CatalogFile.read(await parcels(lie)), 100);
  expect(rehearsal.asked).toBe(11);
  expect(rehearsal.mistakes).toContainEqual({
    wanted: track,
    given: points,
    goals: ['lockers by the harbour'],
  });
  expect(rehearsal.firstRight).toBe(
    rehearsal.asked - rehearsal.mistakes.reduce((sum, mistake) => sum + mistake.goals.length, 0),
  );
});

test('of many goals no more are asked than the limit', async () => {
  expect(GoalRehearsal.rehearse(await CatalogFile.read(await parcels(goals)), 5).asked).toBeLessThanOrEqual(
    5,
  );
});

test('a draft has each operation and goal, is valid, and never replaces a file', async () => {
  const path = await parcels(goals);
  const draft = join(folder, 'draft.yaml');
  const options = { draft, json: false, force: false };
  expect(await CatalogGoals.run(path, options)).toBe(0);
  expect(await CatalogGoals.run(path, options)).toBe(1);
  await writeFile(path, (await readFile(path, 'utf8')).replace('goals.yaml', 'draft.yaml'));
  const drafted = (await readFile(draft, 'utf8')).replaceAll('- ""', '- a goal');
  await writeFile(draft, drafted.replace('- a goal', '- another goal'));
  const { catalog } = await CatalogFile.read(path);
  for (const [call, asks] of Object.entries(goals))
    for (const ask of asks) expect(catalog.goals).toContainEqual({ ask, calls: [call], kind: 'asked' });
  for (const { id } of catalog.operations) expect(drafted).toContain(JSON.stringify(id));
});
