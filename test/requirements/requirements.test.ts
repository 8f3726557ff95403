import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import * as Page from './page.ts';
import * as Statements from './statements.ts';
import * as TestNames from './test-names.ts';

const sections = Statements.read();
const statements = sections.flatMap((section) => section.statements);
const named = statements.flatMap(({ id, tests = {} }) =>
  Object.entries(tests).flatMap(([file, names]) => names.map((name) => ({ id, file, name }))),
);

let existing: TestNames.TestNames;
beforeAll(async () => {
  existing = await TestNames.list();
});

it('has docs/requirements.md up to date (npm run requirements)', () => {
  const page = readFileSync(join(Statements.root, Page.pagePath), 'utf8');
  expect(page).toBe(Page.render(sections));
});

it('names only tests that exist', () => {
  expect(existing.size).toBeGreaterThan(250);
  expect(named.length).toBeGreaterThan(statements.length);
  expect(named.filter(({ file, name }) => !existing.get(file)?.has(name))).toEqual([]);
});

it('has a test or a decision for every statement', () => {
  const open = statements.filter(({ tests, decisions }) => !tests && !decisions);
  expect(open.map(({ id }) => id)).toEqual([]);
});

it('names no test file that leaves tests out', () => {
  const files = new Set(named.map(({ file }) => file).filter((file) => /\.(?:ts|mjs)$/.test(file)));
  const leavesOut = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/;
  const found = [...files].filter((file) =>
    leavesOut.test(readFileSync(join(Statements.root, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

it('numbers the statements of each section from 1, and states each once', () => {
  for (const { section, statements } of sections)
    expect(statements.map(({ id }) => id)).toEqual(
      statements.map((_, index) => `${section}-${String(index + 1).padStart(2, '0')}`),
    );
  const texts = statements.map(({ text }) => text);
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
});
