import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import * as Database from '../src/adapters/database.ts';
import * as Config from '../src/config.ts';
import * as Key from '../src/keys/key.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const northwind = 'https://www.network.example/company/northwind-analytics';
const key = Key.draw();

let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: Database.Sql;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  database = await createDatabase();
  sql = Database.openPool(database.url, { connectionsMax: 1, statementTimeoutMs: 10_000 });
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

type Started = { child: ChildProcess; url: string; log(): string };

async function start(environment: Record<string, string> = {}): Promise<Started> {
  const child = fork(main, {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      DIRECT_PORT: '0',
      DIRECT_API_KEY: key,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  running.add(child);
  let log = '';
  child.stdout?.on('data', (chunk) => {
    log += String(chunk);
  });
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}: ${log}`))),
  ]);
  expect(message).toEqual({ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  return { child, url: (message as { url: string }).url, log: () => log };
}

const ask = (url: string) =>
  fetch(`${url}/v2/jobs/company`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ company_network_url: northwind, max_results: 50 }),
  });

describe('the process', () => {
  const sampleTimeoutMs = 120_000;
  it('prepares an empty database once, though two start at once, and serves with the key it was given', {
    timeout: sampleTimeoutMs,
  }, async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const versions = await sql`select version, live from direct.data_set_version`;
    expect([...versions]).toEqual([{ version: 1, live: true }]);
    const [counts] = await sql`
      select (select count(*) from direct.company) as companies, (select count(*) from direct.person) as people,
             (select count(*) from direct.job) as jobs, (select count(*) from direct.api_key) as keys`;
    expect(counts).toMatchObject({ companies: 3_000, people: 30_000, jobs: 20_000, keys: 1 });
    for (const { url, log } of [one, other]) {
      const answer = await ask(url);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ results_length: 50 });
      expect(log()).not.toContain(key);
    }
  });

  it('does not load again when it starts again', async () => {
    await start();
    expect((await sql`select count(*) as loads from direct.data_set_version`)[0]?.loads).toBe(1);
  });

  it('answers what is under way when told to stop, then ends well', async () => {
    const { child, url, log } = await start();
    const ended = once(child, 'exit');
    const blocker = Database.openPool(database.url, { connectionsMax: 1, statementTimeoutMs: 10_000 });
    const held = await blocker.reserve();
    await held`begin`;
    await held`lock table direct.job in access exclusive mode`;
    const answer = ask(url);
    await waiting();
    child.kill('SIGTERM');
    while (!log().includes('stopping')) await once(child.stdout ?? child, 'data');
    await held`rollback`;
    held.release();
    expect((await answer).status).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect(log()).toContain('"reason":"SIGTERM"');
    await expect(ask(url)).rejects.toThrow();
    await blocker.end();
  });

  it('ends when whoever started it is gone', async () => {
    const { child } = await start();
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
  });

  it('refuses to start on a database that it cannot reach', async () => {
    const nowhere = new URL(database.url);
    nowhere.pathname = '/no-such-database';
    await expect(start({ DATABASE_URL: nowhere.href })).rejects.toThrow(/exit 1/);
  });

  it('refuses a database whose applied migrations read otherwise than its own', async () => {
    await sql`update direct.migration set digest = 'other' where name like '0002%'`;
    await expect(start()).rejects.toThrow(/was changed after it was applied to this database/);
  });

  /** Waits until a statement of the child process is waiting for the lock. */
  async function waiting(): Promise<void> {
    for (;;) {
      const [row] = await sql<{ count: number }[]>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'sluice-direct'`;
      if ((row?.count ?? 0) > 0) return;
    }
  }
});

describe('the configuration', () => {
  it('names everything wrong with it at once', () => {
    expect(() =>
      Config.read({
        DIRECT_PORT: '99999',
        DIRECT_API_KEY: 'short',
        DIRECT_PUBLIC_URL: 'ftp://x',
        DATABASE_URL: '',
      }),
    ).toThrow(
      'the data API cannot start: DIRECT_PORT must be a port from 0 to 65535; DIRECT_API_KEY must be sk_ and 43 characters of base64url; DIRECT_PUBLIC_URL must be an http:// or https:// address; DATABASE_URL is missing',
    );
  });

  it('has defaults for all but the database', () => {
    expect(
      Config.read({ DATABASE_URL: 'postgres://localhost/x', DIRECT_PUBLIC_URL: 'https://api.example/' }),
    ).toEqual({
      host: '127.0.0.1',
      port: 4021,
      databaseUrl: 'postgres://localhost/x',
      apiKey: null,
      adminTokenDigest: null,
      clientAddressHeader: null,
      publicUrl: 'https://api.example',
      sampleScale: 1,
      searchTermsMax: 4_000,
      largeSearchMs: 1_000,
      emails: null,
      live: null,
    });
  });
});
