import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as BodyLimit from '../../src/catalog/body-limit.ts';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

const yaml = readFileSync('test/fixtures/uploads.yaml', 'utf8');

/** Returns the faults of the fixture after `from` was replaced with `to`. */
function faults(from: string, to: string): string[] {
  expect(yaml).toContain(from);
  const parsed = File.parse(yaml.replace(from, to), 'uploads.yaml');
  return parsed.ok ? [] : parsed.faults.map(Fault.format);
}

describe('the rules for resources', () => {
  test('are read with their defaults', () => {
    const parsed = File.parse(yaml, 'uploads.yaml');
    if (!parsed.ok) throw new Error(parsed.faults.map(Fault.format).join('\n'));
    const rules = new Map(parsed.catalog.operations.map((operation) => [operation.id, operation]));
    expect(rules.get('POST /v1/files')?.owns).toEqual({ pointer: ['id'], kind: 'file', days: null });
    expect(rules.get('GET /v1/files/{file_id}/content')?.owned).toEqual([
      { parameter: 'file_id', segment: 2, kind: 'file' },
    ]);
    expect(rules.get('GET /v1/files')?.onlyOwned).toEqual({
      ...{ list: ['data'], key: ['id'], kind: 'file', remove: [['last_id']], link: false },
    });
    expect(rules.get('POST /v1/audio')).not.toHaveProperty('owns');
    expect(File.warnings(yaml, 'uploads.yaml')).toEqual([]);
  });

  test('have short forms for one kind of resources', () => {
    const short = yaml
      .replaceAll('owns: { id: /id, kind: file }', 'owns: /id')
      .replaceAll('owned: { file_id: file }', 'owned: [file_id]')
      .replaceAll(', kind: file', '');
    const parsed = File.parse(short, 'uploads.yaml');
    if (!parsed.ok) throw new Error(parsed.faults.map(Fault.format).join('\n'));
    const kinds = parsed.catalog.operations.flatMap(({ owns, owned = [], onlyOwned }) =>
      [owns, onlyOwned, ...owned].flatMap((rule) => rule?.kind ?? []),
    );
    expect(new Set(kinds)).toEqual(new Set(['resource', 'job']));
  });

  test.each([
    [
      'owned: { job: job }',
      'owned: [id]',
      /:\d+:\d+ .*owned names id, which is no parameter of the path: write it as in call$/,
    ],
    [
      'owns: { id: /job/number, kind: job, days: 7 }',
      'yield: {}',
      /owned needs an operation that creates a job/,
    ],
    ['owns: { id: /id, kind: file }', 'owns: id', /owns is "id": write a JSON Pointer into the answer/],
    ['days: 7', 'days: 0', /days is 0: the least is 1/],
    ['key: /id, kind', 'kind', /key is missing/],
    ['remove: [/last_id]', 'remove: [last_id]', /remove\[0\] is "last_id": write a JSON Pointer/],
  ])('are refused with line and column where they cannot hold: %s', (from, to, expected) => {
    const found = faults(from, to);
    expect(found.some((line) => expected.test(line))).toBe(true);
    for (const line of found) expect(line).toMatch(/^uploads\.yaml:\d+:\d+ /);
  });

  test.each([
    [
      '        only_owned: { list: /data, key: /id, kind: file, remove: [/last_id] }\n',
      /^uploads\.yaml:\d+:\d+ .*call GET \/v1\/files may list the resources of all buyers: add only_owned$/,
    ],
    [
      'content", units: 1, owned: { file_id: file } }',
      /call GET \/v1\/files\/\{file_id\}\/content takes \{file_id\} from every buyer: add owned: \[file_id\]$/,
    ],
  ])('are missed with a warning where a neighbour has them: %s', (rule, expected) => {
    const without = yaml.replace(rule, rule.startsWith('content') ? 'content", units: 1 }' : '');
    const warnings = File.warnings(without, 'uploads.yaml');
    expect(warnings.length).toBe(1);
    expect(warnings[0]).toMatch(expected);
  });
});

describe('the limit of a body', () => {
  test.each([
    ['25MB', 25_000_000],
    ['1MiB', 1_048_576],
    ['3GB', 3_000_000_000],
    ['4KiB', 4096],
    [5000, 5000],
    ['25', null],
    ['25 MB', null],
    ['1.5MB', null],
  ])('%s is %s bytes', (text, bytes) => {
    expect(BodyLimit.parseBytes(text)).toBe(bytes);
  });

  test.each([
    ['25mb', /body_bytes is "25mb": write a whole number with a unit, such as 25MB$/],
    ['6GB', /body_bytes is 6GB: write 1KB to 5GB$/],
    ['0KB', /body_bytes is 0KB: write 1KB to 5GB$/],
    ['100', /body_bytes is 100: the least is 1000$/],
  ])('%s is refused', (text, expected) => {
    expect(faults('body_bytes: 256MB', `body_bytes: ${text}`).join('\n')).toMatch(expected);
  });
});
