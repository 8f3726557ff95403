import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as SettingDocs from '../../src/process/setting-docs.ts';
import { groups, table } from '../../src/process/setting-table.ts';
import * as Settings from '../../src/process/settings.ts';

const root = new URL('../../', import.meta.url);
const settings = Object.entries(groups).flatMap(([, group]) => Object.entries(group));

it('has docs/settings.md up to date (npm run sluice -- settings --write)', () => {
  const page = readFileSync(new URL('docs/settings.md', root), 'utf8');
  expect(page).toBe(SettingDocs.fill(page));
});

it('documents every setting of the table, once', () => {
  expect(settings.map(([name]) => name).sort()).toEqual(Object.keys(table).sort());
});

it.each(settings)('%s has a default that it accepts and a description', (name, { default: usual, about }) => {
  const faults: string[] = [];
  const read = Settings.reader({ [name]: usual ?? '' }, faults);
  read(name as keyof typeof table);
  expect(faults.filter((fault) => !fault.includes(' is missing. '))).toEqual([]);
  expect(about).toMatch(/^[`A-Zh].*[.)]$/);
});

it('has every setting that the gateway reads from its environment', () => {
  const files = ['src/config.ts', 'src/process/x402-settings.ts', 'src/cli/compose.ts', 'src/cli/banner.ts'];
  const read = files.flatMap((file) => [
    ...readFileSync(new URL(file, root), 'utf8').matchAll(/(?:\benv\.|\bread\(')([A-Z][A-Z0-9_]+)/g),
  ]);
  const names = new Set(read.map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(30);
  const elsewhere = ['DIRECT_API_KEY'];
  expect([...names].filter((name) => !(name in table) && !elsewhere.includes(name))).toEqual([]);
});
