import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { needs?: string | string[]; permissions?: Record<string, string>; steps: Step[] };

const root = join(import.meta.dirname, '../..');
const workflow = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'));
const jobs: Record<string, Job> = workflow.jobs;
const commands = (name: string) => jobs[name]?.steps.map(({ run = '' }) => run).join('\n') ?? '';

test('a release needs a tag, the whole test run, and a version that the tag names', () => {
  expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
  expect(commands('test')).toContain('.ci/run');
  expect([jobs.build?.needs, jobs.npm?.needs, jobs.image?.needs]).toEqual(['test', 'build', 'build']);
  expect(commands('build')).toMatch(/test "\$GITHUB_REF_NAME" = "v\$\(node -p/);
});

test('the package has provenance, and is published with no stored token', () => {
  expect(commands('npm')).toContain('--provenance');
  expect(JSON.stringify(workflow)).not.toMatch(/secrets\./);
});

test('the image has labels, provenance, a bill of materials and an attestation', () => {
  const build = jobs.image?.steps.find(({ uses = '' }) => uses.startsWith('docker/build-push-action'));
  expect(build?.with).toMatchObject({
    provenance: 'mode=max',
    sbom: true,
    labels: expect.stringMatching(/\S/),
  });
  expect(jobs.image?.steps.map(({ uses = '' }) => uses.split('@')[0])).toContain(
    'actions/attest-build-provenance',
  );
});

test('a job can write only what it publishes', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  const writes = Object.entries(jobs).flatMap(([name, { permissions = {} }]) =>
    Object.entries(permissions).flatMap(([what, access]) => (access === 'write' ? [`${name}: ${what}`] : [])),
  );
  expect(writes.sort()).toEqual([
    'image: attestations',
    'image: id-token',
    'image: packages',
    'notes: contents',
    'npm: id-token',
  ]);
});
