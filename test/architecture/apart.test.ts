import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { apart } from '../../vitest.config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Matches what stays behind in a process: modules that are replaced, loaded again or loaded by another test, and the environment. */
const lasting =
  /\bvi\.(?:mock|doMock|resetModules)\(|\bprocess\.env(?:\.\w+|\[[^\]]+\]) \??=[^=]|\bdelete process\.env\b|\bimport\(\S*\.(?:test|long)\.ts/;

it('a test file that changes what others import runs in a process of its own', () => {
  const changing = globSync(['test/**/*.{test,long}.ts', 'packages/*/test/**/*.{test,long}.ts'], {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  }).filter((path) => lasting.test(readFileSync(root + path, 'utf8')));
  expect(changing.toSorted()).toEqual(apart.toSorted());
});
