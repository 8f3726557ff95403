import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as GoalsFile from '../../src/catalog/goals-file.ts';

const sold = ['GET /v1/parcels/{id}', 'GET /v1/rates'];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-goals-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The faults of a file of goals, each as `line: reason`. */
async function faultsOf(text: string): Promise<string[]> {
  const path = join(folder, 'goals.yaml');
  await writeFile(path, text);
  const read = await GoalsFile.read([path], sold);
  return read.ok ? [] : read.faults.map(({ line, reason }) => `${line}: ${reason}`);
}

test('goals of one call, chains, and goals without an answer are read', async () => {
  const text = `
asks:
  GET /v1/parcels/{id}: [where is 1Z999, "case #7 of 1Z999"]   # a comment
  GET /v1/rates:
    - what does it cost to Oslo # with a comment
chains:
  - ask: the price of sending 1Z999 back
    calls: ["GET /v1/parcels/{id}", GET /v1/rates]
outside: [send me a raincoat]
vague: [parcels]
`;
  const path = join(folder, 'good.yaml');
  await writeFile(path, text);
  expect(await GoalsFile.read([path], sold)).toMatchObject({
    ok: true,
    goals: [
      { ask: 'where is 1Z999', calls: ['GET /v1/parcels/{id}'], kind: 'asked' },
      { ask: 'case #7 of 1Z999', calls: ['GET /v1/parcels/{id}'], kind: 'asked' },
      { ask: 'what does it cost to Oslo', calls: ['GET /v1/rates'], kind: 'asked' },
      { ask: 'the price of sending 1Z999 back', calls: sold, kind: 'asked' },
      { ask: 'send me a raincoat', calls: [], kind: 'outside' },
      { ask: 'parcels', calls: [], kind: 'vague' },
    ],
  });
});

test('a goal with two answers is refused', async () => {
  const text = `
asks:
  GET /v1/parcels/{id}: [Where is  it]
  GET /v1/rates: [where is it]
vague: [where is it]
`;
  expect(await faultsOf(text)).toEqual([
    '4: this goal has two answers: GET /v1/parcels/{id}, and GET /v1/rates. Keep one, or say what differs',
    '5: this goal has two answers: GET /v1/parcels/{id}, and vague. Keep one, or say what differs',
  ]);
});

test('a goal that YAML would end at its number sign is refused, and needs quotes', async () => {
  const text = 'asks:\n  GET /v1/rates:\n    - to which group was #7120 sent\n    - "in quotes #7120"\n';
  expect(await faultsOf(text)).toEqual([
    '3: YAML takes what follows " #" as a comment: put this goal in quotes',
  ]);
});

test('a chain of one call, and a goal that is no text, are refused with what YAML read', async () => {
  const text = `
asks:
  GET /v1/rates: [3300, {present: these}, "", null]
chains:
  - { ask: the price, calls: [GET /v1/rates] }
`;
  const noText = (kind: string) => expect.stringMatching(new RegExp(`^3: this is ${kind} for YAML`));
  expect(await faultsOf(text)).toEqual([
    noText('a number'),
    noText('a mapping'),
    '3: write a goal in 1 to 2000 characters',
    noText('empty'),
    '5: a chain has two calls or more: write a goal that one call answers under asks',
  ]);
});

test('an answer of an assistant is read with its fences and what stands around them, and lines keep their numbers', async () => {
  const text = `Here is your file:

\`\`\`yaml
asks:
  GET /v1/rates:
    - "what does it cost: \\"Oslo\\""
\`\`\`
You said: continue
\`\`\`
    - and to Bergen
vague: [parcels]
\`\`\`
Shall I write more?
`;
  const path = join(folder, 'fenced.yaml');
  await writeFile(path, text);
  expect(await GoalsFile.read([path], sold)).toMatchObject({
    ok: true,
    goals: [
      { ask: 'what does it cost: "Oslo"', calls: ['GET /v1/rates'] },
      { ask: 'and to Bergen', calls: ['GET /v1/rates'] },
      { ask: 'parcels', kind: 'vague' },
    ],
  });
  const wrong = text.replace('and to Bergen', '{"task": "rates"}');
  expect(await faultsOf(wrong)).toEqual([expect.stringMatching(/^10: this is a mapping for YAML/)]);
});

test('a goal that breaks the YAML is named with its line, and with what to do', async () => {
  const text = 'asks:\n  GET /v1/rates:\n    - what does it cost\n    - "rates" to Oslo\n';
  expect(await faultsOf(text)).toEqual([
    expect.stringMatching(/^4: not readable as YAML: .* put it in double quotes/),
  ]);
});

test.each([
  ['a text alone', '1: this is a string for YAML: write a mapping'],
  ['asks: [{ call: GET /v1/rates }]', '1: this is a list for YAML: write a mapping'],
  ['asks:\n  GET /v1/rates: what does it cost', '2: this is a string for YAML: write a list'],
  ['outside: send me a raincoat', '1: this is a string for YAML: write a list'],
])('goals in another form are no silent loss: %s', async (text, fault) => {
  expect(await faultsOf(text)).toEqual([fault]);
});

test('files add up, and a goal with another answer in an earlier file is refused', async () => {
  const paths = ['one.yaml', 'two.yaml'].map((name) => join(folder, name));
  await writeFile(
    paths[0] as string,
    'asks: { GET /v1/rates: [what does it cost] }\nconcepts: { rate: { en: rate } }',
  );
  await writeFile(paths[1] as string, 'vague: [rates]\nconcepts: { box: { en: box } }');
  expect(await GoalsFile.read(paths, sold)).toMatchObject({
    ok: true,
    goals: [{ ask: 'what does it cost' }, { ask: 'rates' }],
    concepts: { rate: { en: 'rate' }, box: { en: 'box' } },
  });
  await writeFile(paths[1] as string, 'vague:\n  - What does it cost');
  expect(await GoalsFile.read(paths, sold)).toMatchObject({
    ok: false,
    faults: [
      { file: paths[1], line: 2, reason: expect.stringContaining('two answers: GET /v1/rates, and vague') },
    ],
  });
});

test('goals in JSON are read with the same faults and places as in YAML', async () => {
  const goals = { asks: { 'GET /v1/rates': ['what does it cost', 'rates "é"'] }, vague: ['parcels'] };
  const path = join(folder, 'goals.json');
  await writeFile(path, JSON.stringify(goals, null, 2));
  expect(await GoalsFile.read([path], sold)).toMatchObject({
    ok: true,
    goals: [{ ask: 'what does it cost' }, { ask: 'rates "é"' }, { ask: 'parcels', kind: 'vague' }],
  });
  expect(await faultsOf(JSON.stringify({ ...goals, vague: ['What does it cost'] }, null, 2))).toEqual([
    '9: this goal has two answers: GET /v1/rates, and vague. Keep one, or say what differs',
  ]);
  expect(await faultsOf('{ "vague": ["parcels"],\n"vague": ["boxes"] }')).toEqual([
    '2: the key "vague" occurs twice in one mapping: keep one',
  ]);
});
