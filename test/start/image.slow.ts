import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import * as Program from '../support/program.ts';

const source = resolve(import.meta.dirname, '../..');
let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
const programs: Program.Program[] = [];

/** Builds the content of the container image: the files that may be copied, and the packages that its file installs. */
beforeAll(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  const [, ...lines] = (await readFile(join(source, '.dockerignore'), 'utf8')).trim().split('\n');
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const ignored = lines.filter((line) => !line.startsWith('!'));
  const filter = (path: string) => !ignored.some((pattern) => matchesGlob(relative(source, path), pattern));
  for (const name of allowed) await cp(join(source, name), join(folder, name), { recursive: true, filter });
  const dockerfile = await readFile(join(source, 'Dockerfile'), 'utf8');
  for (const [, names] of dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm))
    for (const name of names?.split(' ') ?? []) expect(allowed).toContain(name);
  const [, install = ''] = /^RUN (npm ci .+)$/m.exec(dockerfile) ?? [];
  execFileSync('sh', ['-c', install], { cwd: folder, stdio: 'ignore', timeout: 240_000 });
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function run(script: string, env: Record<string, string>): Promise<void> {
  programs.push(await Program.start(script, { DATABASE_URL: database.url, ...env }, `${folder}/`));
}

test('what the image holds is all that the shop needs to open', async () => {
  const [port, direct, sandbox] = [
    await Program.freePort(),
    await Program.freePort(),
    await Program.freePort(),
  ];
  const key = `sk_${'k'.repeat(43)}`;
  await run('packages/data-api/src/main.ts', {
    DIRECT_PORT: String(direct),
    DIRECT_API_KEY: key,
    DIRECT_SAMPLE_SCALE: '0.05',
  });
  await run('packages/stripe-sandbox/src/main.ts', { SANDBOX_PORT: String(sandbox) });
  // As in the compose file: settings that are present and empty.
  await run('src/main.ts', {
    PORT: String(port),
    UPSTREAM_URL: `http://127.0.0.1:${direct}`,
    UPSTREAM_API_KEY: key,
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_NETWORK_ID: 'profile_test_sluice',
    STRIPE_API_BASE: `http://127.0.0.1:${sandbox}`,
    SMTP_URL: '',
    MAIL_FROM: '',
    CLIENT_ADDRESS_HEADER: '',
  });
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
});
