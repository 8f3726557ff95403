import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

const page = readFileSync('docs/catalog.md', 'utf8');
const [, good = '', bad = '', output = ''] = [...page.matchAll(/```(?:yaml|text)\n([\s\S]*?)```/g)].map(
  ([, block]) => block,
);

function report(yaml: string): string {
  const parsed = File.parse(yaml, 'catalog.yaml');
  return parsed.ok ? '' : `${parsed.faults.map(Fault.format).join('\n')}\n`;
}

test("the page's example is a catalogue", () => {
  expect(report(good)).toBe('');
});

test("the page's mistakes are reported as the page shows", () => {
  expect(report(bad)).toBe(output);
});

test('the page has every key of the schema', () => {
  const { properties, $defs } = JSON.parse(readFileSync('openapi/catalog.schema.json', 'utf8'));
  const keys = [
    properties,
    ...Object.values<{ properties?: object }>($defs).map((def) => def.properties ?? {}),
  ];
  for (const key of keys.flatMap(Object.keys)) expect(page).toMatch(new RegExp(`\\b${key}\\b`));
});
