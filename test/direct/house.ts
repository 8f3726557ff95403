import { Writable } from 'node:stream';
import pino from 'pino';
import * as Database from '../../src/direct/adapters/database.ts';
import { keys } from '../../src/direct/adapters/keys.ts';
import * as Sample from '../../src/direct/data/sample.ts';
import * as Key from '../../src/direct/keys/key.ts';
import type { Plan } from '../../src/direct/keys/plan.ts';
import * as Program from '../../src/direct/program.ts';
import { createDatabase } from '../support/database.ts';

/** A small world, the same in every file. */
const usual: Sample.Sizes = { companies: 400, people: 3_000, jobs: 3_000 };
export const northwind = 'https://www.network.example/company/northwind-analytics';
export const unhurried: Plan = { name: 'Test', requestsPerSecond: 100_000, recordsPerMonth: 1_000_000_000 };
const startMs = Date.UTC(2026, 4, 14, 9, 30);

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a caller would, by the fields they promise
export type Body = any;
export type Answer = { status: number; headers: Headers; body: Body };
export type House = Awaited<ReturnType<typeof open>>;

/** The program on a database of its own, with a clock that only the test moves. */
export async function open(sizes: Sample.Sizes = usual) {
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
    adminToken: null,
    sampleScale: 1,
    emails: null,
  };
  const program = await Program.start(config, { clock: () => clock.nowMs, log, sizes });
  const sql = Database.open(database.url, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  const world = Sample.generate({
    seed: Sample.seed,
    todayMs: startMs - (startMs % 86_400_000),
    ...sizes,
  });

  async function issue(
    plan: Plan = unhurried,
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
    /** What the program was loaded with, in its own order. */
    world: {
      companies: [...world.companies],
      people: [...world.people],
      jobs: [...world.jobs],
      emails: [...world.emails],
      phones: [...world.phones],
    },
    issue,
    keyOf,
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
