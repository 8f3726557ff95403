import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as CatalogDiff from '../../src/catalog/catalog-diff.ts';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';
import * as JobRule from '../../src/catalog/job-rule.ts';

const source = readFileSync(new URL('../fixtures/jobs.yaml', import.meta.url), 'utf8');

function faults(from: string, to: string): string[] {
  expect(source).toContain(from);
  const parsed = File.parse(source.replace(from, to), 'c.yaml');
  return parsed.ok ? [] : parsed.faults.map(Fault.format);
}

test.each([
  ['poll: GET /v1/videos/{id}', 'poll: GET /v1/videos', 'needs one parameter'],
  ['poll: GET /v1/videos/{id}', 'poll: GET /v1/{a}/{b}', 'needs one parameter'],
  ['poll: GET /v1/videos/{id}', 'poll: POST /v1/videos/{id}', 'write GET and a path'],
  ['done: { pointer: /status, in: [succeeded] }', 'done: { pointer: /status }', 'in is missing'],
  [
    '        owns: { id: /id, kind: video }',
    '        stream: { usage: { at: /seconds } }',
    'leave one of them out',
  ],
])('%s: as %s it is reported with its place', (from, to, reason) => {
  const found = faults(from, to);
  expect(found[0]).toMatch(/^c\.yaml:\d+:\d+ /);
  expect(found.join('\n')).toContain(reason);
});

test('a changed rule of a job may raise its price', () => {
  const [before, after] = [source, source.replace('[failed, cancelled]', '[failed]')].map((text) =>
    File.parse(text, 'c.yaml'),
  );
  if (!before?.ok || !after?.ok) throw new Error('invalid');
  expect(CatalogDiff.between(before.catalog, after.catalog)).toMatchObject([
    { subject: 'operation', severity: 'raises_price', fields: [{ name: 'job' }] },
  ]);
});

test('an id stays within its segment of the path', () => {
  expect(JobRule.pollPath({ poll: '/v1/videos/{id}/state' }, 'a/b?c#d')).toBe(
    '/v1/videos/a%2Fb%3Fc%23d/state',
  );
});
