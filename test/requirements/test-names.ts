import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { root } from './statements.ts';

const outputBytesMax = 64 * 1024 * 1024;

/** Full names of all tests by file, relative to the root of the repository. */
export type TestNames = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Lists the tests of the gateway, the packages, the unmodified clients and the SDKs. Vitest parses its own files, so that
 * a name here is the name in a test report. A title of `test.each` is listed once, with its placeholders.
 */
export async function list(): Promise<TestNames> {
  const names = new Map<string, Set<string>>();
  const add = (file: string, name: string) => {
    const known = names.get(file) ?? new Set<string>();
    names.set(file, known.add(name));
  };
  for (const { file, name } of await listByVitest()) add(relative(root, file), name);
  for (const file of globSync('sdk/suite/cases/*.json', { cwd: root })) {
    const { cases } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    for (const { name } of cases) add(file, name);
  }
  for (const file of globSync('sdk/python/tests/test_*.py', { cwd: root }))
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:async )?def (test_\w+)/gm,
    ))
      add(file, name);
  return names;
}

async function listByVitest(): Promise<{ file: string; name: string }[]> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(root, 'test/requirements/every-test.config.ts');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'list', '--root', root, '--config', config, '--json'],
    { cwd: root, env, maxBuffer: outputBytesMax },
  );
  return JSON.parse(stdout);
}
