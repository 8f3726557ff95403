import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const config = `${root}.dependency-cruiser.cjs`;
const rules: { name: string }[] = createRequire(import.meta.url)(config).forbidden;

type Report = { summary: { totalCruised: number; violations: { rule: { name: string } }[] } };

function cruise(folder: string): Report {
  const bin = `${root}node_modules/.bin/depcruise`;
  const { stdout } = spawnSync(bin, ['--config', config, '--output-type', 'json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

it('reads the whole source and finds no breach in it', () => {
  const { summary } = cruise(root);
  expect(summary.totalCruised).toBeGreaterThan(100);
  expect(summary.violations).toEqual([]);
});

it('catches a planted breach of every rule', () => {
  const { summary } = cruise(`${root}test/fixtures/breach`);
  const caught = new Set(summary.violations.map(({ rule }) => rule.name));
  expect([...caught].sort()).toEqual(rules.map(({ name }) => name).sort());
});
