import { expect, test } from 'vitest';
import { allFindings, findings } from './prose.ts';

test.each([
  ['src/a.ts', '/** Whether the plan is open. */', 'headless clause'],
  ['src/a.ts', '// The first. What is left is dropped.', 'headless clause'],
  ['migrations/a.sql', '-- Who pays.', 'headless clause'],
  ['src/a.ts', '  size: number;\t// How many there are', 'headless clause'],
  ['docs/a.md', '## How money arrives', 'headless clause'],
  ['docs/a.md', '- The key is mended.', 'word to avoid'],
  ['src/a.ts', "const text = 'Nobody is told';", 'word to avoid'],
  ['src/a.ts', '// He pays.', 'word to avoid'],
])('rejects in %s: %s', (path, text, rule) => {
  expect(findings(path, text).map((finding) => finding.rule)).toEqual([rule]);
});

test.each([
  ['src/a.ts', '// Why not a timer? See RFC 9110.'],
  ['src/a.ts', "const bearer = 'a bearer token that understands';"],
  ['docs/a.md', '`nobody` owns it'],
  ['docs/a.md', '```\nWhat is this\n```'],
])('accepts in %s: %s', (path, text) => {
  expect(findings(path, text)).toEqual([]);
});

test('comments, documents and the gateway’s strings follow the prose rules', () => {
  expect(allFindings().map(({ path, line, rule, text }) => `${path}:${line}: ${rule}: ${text}`)).toEqual([]);
});
