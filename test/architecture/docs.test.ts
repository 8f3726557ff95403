import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = globSync('{*.md,docs/**/*.md,{src,packages}/**/*.md,sdk/*/*.md}', { cwd: root }).filter(
  (page) => !page.includes('node_modules'),
);

const sql = globSync('{migrations,packages/data-api/migrations}/**/*.sql', { cwd: root })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
  .replaceAll('"', '');

/** Returns the anchors of a page's headings, as GitHub makes them. */
function headings(text: string): string[] {
  return [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('names only files that are there', () => {
    const named = [
      ...text.matchAll(/`((?:test|src|docs|bench|openapi|migrations|sdk|packages)\/[^`\s]*)`/g),
    ].map(([, path = '']) => path);
    const places = [root, join(root, dirname(page))];
    // The compiled package has a .js for each .ts of src.
    const source = (path: string) => path.replace(/^((?:packages\/[a-z-]+\/)?src\/.*)\.js$/, '$1.ts');
    const isAbsent = (path: string) => places.every((cwd) => globSync(source(path), { cwd }).length === 0);
    expect(named.filter(isAbsent)).toEqual([]);
  });

  test('links only to files that are there', () => {
    const linked = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/^[a-z]+:/.test(path));
    expect(linked.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
  });

  test('links only to headings that are there', () => {
    const targets = [...text.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)];
    const missing = targets.filter(([, path = '', anchor = '']) => {
      const target = path === '' ? text : readFileSync(join(root, dirname(page), path), 'utf8');
      return !headings(target).includes(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test('names only tables and functions that the migrations create', () => {
    const named = [...text.matchAll(/`(?:shop|ledger|direct)\.([a-z_]+)(?:\([^)`]*\))?`/g)];
    const missing = named.filter(([, name = '']) => name !== 'env' && !new RegExp(`\\b${name}\\b`).test(sql));
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  test('says only commands that exist', () => {
    const scripts: Record<string, string> = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ).scripts;
    const said = [...text.matchAll(/\bnpm run ([\w:-]+)\b(?! -w)/g)].map(([, name = '']) => name);
    const isSdk = page.startsWith('sdk/') || page === 'docs/sdk.md';
    expect(said.filter((name) => !isSdk && scripts[name] === undefined)).toEqual([]);
    const ofPackages = [...text.matchAll(/\bnpm (?:run )?([\w:-]+) -w (packages\/[\w-]+)/g)];
    const missing = ofPackages.filter(([, name = '', path = '']) => {
      const manifest = join(root, path, 'package.json');
      return !existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).scripts[name] === undefined;
    });
    expect(missing.map(([command]) => command)).toEqual([]);
  });
});

describe('docs/database.md', () => {
  const text = readFileSync(join(root, 'docs/database.md'), 'utf8');
  const entities = [...text.matchAll(/^ {2}\w+\["([\w.]+)"\] \{\n([\s\S]*?)\n {2}\}/gm)].map(
    ([, table = '', columns = '']) => ({
      table,
      columns: columns.split('\n').map((line) => line.trim().split(' ')[1] ?? ''),
    }),
  );

  test('draws tables and columns that the migrations create', () => {
    expect(entities.length).toBeGreaterThan(20);
    for (const { table, columns } of entities) {
      const [, body = ''] = new RegExp(`create table ${table} \\(([\\s\\S]*?)\\n\\)`, 'i').exec(sql) ?? [];
      expect([table, columns.filter((name) => !new RegExp(`\\b${name}\\b`).test(body))]).toEqual([table, []]);
    }
  });

  test('names every table that the migrations create and keep', () => {
    const created = [...sql.matchAll(/create table (\w+\.\w+) \(/gi)].map(([, table = '']) => table);
    expect(created.length).toBeGreaterThan(40);
    const dropped = [...sql.matchAll(/^drop table ([^;]+);/gim)].flatMap(([, tables = '']) =>
      tables.split(/,\s*/),
    );
    expect(created.filter((table) => !text.includes(table) && !dropped.includes(table))).toEqual([]);
  });
});

test('docs/monitoring.md lists every event of the log', () => {
  const [, table = ''] = readFileSync(join(root, 'docs/monitoring.md'), 'utf8').split('## Log events');
  const listed = new Set([...table.matchAll(/`([a-z_]+)`/g)].map(([, event]) => event));
  const event = /\b(?:report|warn)(?:\?\.)?\(\s*'([a-z]+_[a-z_]+)'|\blog\.\w+\(\{\s*event: '([a-z_]+)'/g;
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const events = sources.flatMap((source) =>
    [...source.matchAll(event)].map((found) => found[1] ?? found[2]),
  );
  expect(events.length).toBeGreaterThan(60);
  expect([...new Set(events.filter((name) => !listed.has(name)))]).toEqual([]);
});
