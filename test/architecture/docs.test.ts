import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = globSync('{*.md,docs/**/*.md,src/**/*.md,sdk/*/*.md}', { cwd: root }).filter(
  (page) => !page.includes('node_modules'),
);

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('names only files that are there', () => {
    const named = [...text.matchAll(/`((?:test|src|docs|bench|openapi|migrations|sdk)\/[^`\s]*)`/g)].map(
      ([, path = '']) => path,
    );
    const places = [root, join(root, dirname(page))];
    expect(named.filter((path) => places.every((cwd) => globSync(path, { cwd }).length === 0))).toEqual([]);
  });

  test('links only to files that are there', () => {
    const linked = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/^[a-z]+:/.test(path));
    expect(linked.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
  });

  test('says only commands that exist', () => {
    const scripts: Record<string, string> = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ).scripts;
    const said = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    const isSdk = page.startsWith('sdk/') || page === 'docs/sdk.md';
    expect(said.filter((name) => !isSdk && scripts[name] === undefined)).toEqual([]);
  });
});
