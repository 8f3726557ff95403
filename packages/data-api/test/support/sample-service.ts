import { Writable } from 'node:stream';
import pino from 'pino';
import { createDatabase } from '../../../../test/support/database.ts';
import * as Database from '../../src/adapters/database.ts';
import { keys } from '../../src/adapters/keys.ts';
import * as Config from '../../src/config.ts';
import * as Sample from '../../src/data/sample.ts';
import * as Key from '../../src/keys/key.ts';
import type { Plan } from '../../src/keys/plan.ts';
import * as Program from '../../src/program.ts';

/** A small sample, the same in every test file. */
const sizesDefault: Sample.Sizes = { companies: 400, people: 3_000, jobs: 3_000 };
export const northwind = 'https://www.network.example/company/northwind-analytics';
export const unlimited: Plan = { name: 'Test', requestsPerSecond: 100_000, recordsPerMonth: 1_000_000_000 };
const startMs = Date.UTC(2026, 4, 14, 9, 30);

// biome-ignore lint/suspicious/noExplicitAny: tests read response bodies by field, as callers do
export type Body = any;
export type Answer = { status: number; headers: Headers; body: Body };
export type SampleService = Awaited<ReturnType<typeof start>>;

/** Starts the program with the sample data on its own database. Only the test advances the clock. */
export async function start(sizes: Sample.Sizes = sizesDefault) {
  const database = await createDatabase();
  const clock = { nowMs: startMs };
  const lines: string[] = [];
  const log = pino(
    new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const config = {
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    apiKey: null,
    publicUrl: null,
    adminTokenDigest: null,
    clientAddressHeader: null,
    sampleScale: 1,
    searchTermsMax: Config.searchTermsMaxDefault,
    largeSearchMs: Config.largeSearchMsDefault,
    emails: null,
    live: null,
  };
  const program = await Program.start(config, { clock: () => clock.nowMs, log, sizes });
  const sql = Database.openPool(database.url, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  const world = Sample.generate({
    seed: Sample.seed,
    todayMs: startMs - (startMs % 86_400_000),
    ...sizes,
  });

  async function issue(
    plan: Plan = unlimited,
    allowedApis: readonly string[] | null = null,
  ): Promise<string> {
    const key = Key.draw();
    await keys(sql).add(Key.issue(key, plan, clock.nowMs, allowedApis));
    return key;
  }
  const key = await issue();

  async function keyOf(text: string): Promise<Key.Key> {
    const found = await keys(sql).byDigest(Key.digest(text));
    if (found === null) throw new Error('no such key');
    return found;
  }

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(program.url + path, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  return {
    url: program.url,
    databaseUrl: database.url,
    clock,
    lines,
    sql,
    key,
    /** Data loaded into the program, in its original order. */
    world: {
      companies: [...world.companies],
      people: [...world.people],
      jobs: [...world.jobs],
      emails: [...world.emails],
      phones: [...world.phones],
    },
    issue,
    keyOf,
    /** Starts another process on the same database, with other settings. */
    startAnother: (settings: Partial<Config.Config>): Promise<Program.Program> =>
      Program.start({ ...config, ...settings }, { clock: () => clock.nowMs, log, sizes }),
    send,
    post: (path: string, body: unknown, as: string = key): Promise<Answer> =>
      send(path, {
        method: 'POST',
        headers: { 'x-api-key': as, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    keyInfo: (as: string = key): Promise<Answer> =>
      send('/v2/account/key-info', { headers: { 'x-api-key': as } }),
    async remaining(as: string = key): Promise<number> {
      return (await this.keyInfo(as)).body.records_remaining;
    },
    /** All pages of a query, in order. */
    async pages(path: string, body: object, as: string = key): Promise<Body[]> {
      const pages: Body[] = [];
      let cursor: string | null = null;
      do {
        const answer: Answer = await this.post(path, { ...body, cursor }, as);
        if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
        pages.push(answer.body);
        cursor = answer.body.cursor;
      } while (cursor !== null);
      return pages;
    },
    async close(): Promise<void> {
      await program.stop();
      await sql.end();
      await database.drop();
    },
  };
}
