import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { contacts } from '../../src/direct/adapters/contacts.ts';
import * as Database from '../../src/direct/adapters/database.ts';
import { keys, register } from '../../src/direct/adapters/keys.ts';
import * as Migrations from '../../src/direct/adapters/migrations.ts';
import { records } from '../../src/direct/adapters/records.ts';
import * as App from '../../src/direct/http/app.ts';
import { apis } from '../../src/direct/http/operations.ts';
import * as Key from '../../src/direct/keys/key.ts';
import type { Plan } from '../../src/direct/keys/plan.ts';
import type { DataSet } from '../../src/direct/operation.ts';
import type { PersonRecord } from '../../src/direct/records/person.ts';
import * as RateWindow from '../../src/direct/usage/rate-window.ts';
import { createDatabase } from '../support/database.ts';
import type { Answer, Body } from './house.ts';

export const adminToken = 'operator-0123456789-0123456789-0123456789';
const unhurried: Plan = { name: 'Test', requestsPerSecond: 100_000, recordsPerMonth: 1_000_000_000 };
export const startMs = Date.UTC(2026, 4, 14, 9, 30);

export type Person = {
  slug: string;
  memberNumber?: number;
  profileToken?: string;
  salesToken?: string;
  record?: Partial<PersonRecord>;
  emails?: { email: string; jobOrder: number; companySlug?: string; verifiedAtMs: number | null }[];
  phones?: { phone: string; kind: string | null }[];
};
export type Desk = Awaited<ReturnType<typeof open>>;

/** The interface over people whom the test names, with a clock that only the test moves. It has no other data. */
export async function open(people: readonly Person[] = [], token: string | null = adminToken) {
  const database = await createDatabase();
  const sql = Database.open(database.url, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  await Migrations.migrate(sql);
  for (const table of ['person', 'email', 'phone']) {
    await sql.unsafe(`create table direct.${table}_1 partition of direct.${table} for values in (1)`);
  }
  for (const [index, person] of people.entries()) await insert(sql, index + 1, person);
  const clock = { nowMs: startMs };
  const lines: object[] = [];
  const log = (entry: object, error: unknown) => void lines.push({ ...entry, error });
  const { url, server } = await serve(sql, { clock: () => clock.nowMs, token, log });

  async function issue(plan: Plan = unhurried, allowed: readonly string[] | null = null): Promise<string> {
    const secret = Key.draw();
    await keys(sql).add(Key.issue(secret, plan, clock.nowMs, allowed));
    return secret;
  }
  const key = await issue();

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
  const json = (body: unknown) => (body === undefined ? {} : { body: JSON.stringify(body) });

  return {
    url,
    databaseUrl: database.url,
    sql,
    clock,
    lines,
    key,
    issue,
    send,
    post: (path: string, body: unknown, as: string = key): Promise<Answer> =>
      send(path, { method: 'POST', headers: { 'x-api-key': as }, ...json(body) }),
    keyInfo: (as: string = key): Promise<Answer> =>
      send('/v2/account/key-info', { headers: { 'x-api-key': as } }),
    admin: (method: string, path: string, body?: unknown, as: string = adminToken): Promise<Answer> =>
      send(path, { method, headers: { authorization: `Bearer ${as}` }, ...json(body) }),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await sql.end();
      await database.drop();
    },
  };
}

type Surroundings = { clock: () => number; token: string | null; log(entry: object, error: unknown): void };

/** The interface on a port of its own, over what a desk has put into the database. */
export async function serve(sql: Database.Sql, { clock, token, log }: Surroundings) {
  const data = { generation: 1, cursorSecret: 'secret', contacts: contacts(sql, 1) } as DataSet;
  const app = App.create({
    clock,
    service: {
      keys: keys(sql),
      records: records(sql),
      rates: RateWindow.create(),
      dataSets: { live: () => data, of: () => null },
      apis,
      publicUrl: 'http://127.0.0.1',
    },
    admin: token === null ? null : { token, register: register(sql), apis, metrics: async () => '' },
    isReady: async () => true,
    isOutage: Database.isOutage,
    log,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function insert(sql: Database.Sql, id: number, person: Person): Promise<void> {
  const record = { network_url: `https://www.network.example/in/${person.slug}`, ...person.record };
  await sql`
    insert into direct.person (generation, id, slug, member_number, profile_token, sales_token, record, search)
    values (1, ${id}, ${person.slug}, ${person.memberNumber ?? null}, ${person.profileToken ?? null},
            ${person.salesToken ?? null}, ${sql.json(record as never)}, ''::tsvector)`;
  for (const { email, jobOrder, companySlug = null, verifiedAtMs } of person.emails ?? []) {
    await sql`
      insert into direct.email (generation, person_id, email, company_slug, email_domain, job_order, verified_at)
      values (1, ${id}, ${email}, ${companySlug}, ${email.split('@')[1] ?? ''}, ${jobOrder},
              ${verifiedAtMs === null ? null : new Date(verifiedAtMs)})`;
  }
  for (const { phone, kind } of person.phones ?? []) {
    await sql`insert into direct.phone (generation, person_id, phone, kind) values (1, ${id}, ${phone}, ${kind})`;
  }
}
