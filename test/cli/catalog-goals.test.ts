import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as CatalogGoals from '../../src/cli/commands/catalog-goals.ts';
import * as GoalRehearsal from '../../src/cli/goal-rehearsal.ts';
import * as Wait from '../../src/cli/wait.ts';
import * as Sluice from './sluice.ts';

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

test('the output says how many of the goals were asked, and counts where a percentage would say nothing', async () => {
  const few = { [track]: goals[track].slice(0, 3), [points]: goals[points].slice(0, 3) };
  const { code, out, err } = await Sluice.here(['catalog', 'goals', await parcels(few)]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('6 of 6 goals were asked');
  expect(out).toMatch(/First call right: \d of 6\. Whole chain right: \d of 6\./);
  expect(out).toMatch(/Answered without a question: \d of 6(; of these wrong: \d of \d)?\./);
  expect(out).not.toMatch(/wrong: -|NaN/);
});

test('a rehearsal tells which goal it asks, of how many', async () => {
  const said: string[] = [];
  const loaded = await CatalogFile.read(await parcels(goals));
  const { goals: all, asked } = GoalRehearsal.rehearse(loaded, 5, (what) => said.push(what));
  expect([all, said.at(-1)]).toEqual([10, `Asking goals: ${asked} of ${asked}`]);
  expect(said[0]).toBe('Teaching the advisor, 1 of 5 times');
});

test.each([
  [true, ['\rAsking ...\u001b[K', '\r\u001b[K']],
  [false, []],
])('a progress line is for terminals alone (terminal: %s)', (isTTY, expected) => {
  const before = process.stderr.isTTY;
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    process.stderr.isTTY = isTTY;
    const { show, end } = Wait.progress();
    for (const what of ['Asking', 'Asking at once again']) show(what);
    end();
    expect(write.mock.calls.map(([text]) => text)).toEqual(expected);
  } finally {
    write.mockRestore();
    process.stderr.isTTY = before;
  }
});

test('a goal beside an operation and in the file is one goal, and the file has the say', async () => {
  const path = await parcels({ [points]: ['Where is  my box', 'lockers'] });
  const text = await readFile(path, 'utf8');
  const call = `{ call: "${track}", units: 1`;
  expect(text).toContain(call);
  await writeFile(path, text.replace(call, `${call}, asks: [where is my box, follow it]`));
  const { catalog } = await CatalogFile.read(path);
  expect(catalog.goals).toEqual([
    { ask: 'follow it', calls: [track], kind: 'asked' },
    { ask: 'Where is  my box', calls: [points], kind: 'asked' },
    { ask: 'lockers', calls: [points], kind: 'asked' },
  ]);
});
