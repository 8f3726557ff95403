import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { sha256Hex } from '@sluice/kernel/digest';
import { createDatabase } from '../../../../test/support/database.ts';
import { contacts } from '../../src/adapters/contacts.ts';
import * as Database from '../../src/adapters/database.ts';
import { keyStore, keys } from '../../src/adapters/keys.ts';
import * as Migrations from '../../src/adapters/migrations.ts';
import { records } from '../../src/adapters/records.ts';
import { usageReport } from '../../src/adapters/usage-report.ts';
import * as App from '../../src/http/app.ts';
import { apis } from '../../src/http/operations.ts';
import * as Key from '../../src/keys/key.ts';
import type { Plan } from '../../src/keys/plan.ts';
import type { DataSet } from '../../src/operation.ts';
import type { PersonRecord } from '../../src/records/person.ts';
import * as Cancellations from '../../src/usage/cancellations.ts';
import * as RateWindow from '../../src/usage/rate-window.ts';
import type { Answer, Body } from './sample-service.ts';

export const adminToken = 'operator-0123456789-0123456789-0123456789';
const unlimited: Plan = { name: 'Test', requestsPerSecond: 100_000, recordsPerMonth: 1_000_000_000 };
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
export type PeopleService = Awaited<ReturnType<typeof start>>;

/** Starts the data API with the given people only, on its own database. Only the test advances the clock. */
export async function start(people: readonly Person[] = [], token: string | null = adminToken) {
  const database = await createDatabase();
  const sql = Database.openPool(database.url, { connectionsMax: 4, statementTimeoutMs: 60_000 });
  await Migrations.migrate(sql);
  for (const table of ['person', 'email', 'phone']) {
    await sql.unsafe(`create table direct.${table}_1 partition of direct.${table} for values in (1)`);
  }
  for (const [index, person] of people.entries()) await insert(sql, index + 1, person);
  const clock = { nowMs: startMs };
  const lines: object[] = [];
  const log = (entry: object, error: unknown) => void lines.push({ ...entry, error });
  const { url, server } = await serve(sql, { clock: () => clock.nowMs, token, log });

  async function issue(plan: Plan = unlimited, allowed: readonly string[] | null = null): Promise<string> {
    const secret = Key.draw();
    await keys(sql).add(Key.issue(secret, plan, clock.nowMs, allowed));
    return secret;
  }
  const key = await issue();

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
  const json = (headers: Record<string, string>, body: unknown): RequestInit =>
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };

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
      send(path, { method: 'POST', ...json({ 'x-api-key': as }, body) }),
    keyInfo: (as: string = key): Promise<Answer> =>
      send('/v2/account/key-info', { headers: { 'x-api-key': as } }),
    admin: (method: string, path: string, body?: unknown, as: string = adminToken): Promise<Answer> =>
      send(path, { method, ...json({ authorization: `Bearer ${as}` }, body) }),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await sql.end();
      await database.drop();
    },
  };
}

type ServeOptions = { clock: () => number; token: string | null; log(entry: object, error: unknown): void };

/** Serves the people in the database on a new port. */
export async function serve(sql: Database.Sql, { clock, token, log }: ServeOptions) {
  const data = {
    version: 1,
    isFictional: false,
    cursorSecret: 'secret',
    largeSearches: null,
    contacts: contacts(sql, 1),
  } as DataSet;
  const usage = records(sql);
  const app = App.create({
    clock,
    service: {
      keys: keys(sql),
      records: usage,
      cancellations: Cancellations.create(usage),
      wasNotSent: Database.wasNotSent,
      rates: RateWindow.create(),
      dataSets: { live: () => data, byVersion: () => null },
      liveSource: () => null,
      publicUrl: 'http://127.0.0.1',
    },
    admin:
      token === null
        ? null
        : { tokenDigest: sha256Hex(token), keyStore: keyStore(sql), apis, metrics: async () => '' },
    dashboard: {
      sessionSecret: 'session-secret',
      keyStore: keyStore(sql),
      usage: usageReport(sql),
      clientAddressHeader: null,
    },
    isReady: async () => true,
    isOutage: Database.isOutage,
    withinBudget: Database.withinBudget,
    log,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function insert(sql: Database.Sql, id: number, person: Person): Promise<void> {
  const record = { network_url: `https://www.network.example/in/${person.slug}`, ...person.record };
  await sql`
    insert into direct.person (version, id, slug, member_number, profile_token, sales_token, record, search)
    values (1, ${id}, ${person.slug}, ${person.memberNumber ?? null}, ${person.profileToken ?? null},
            ${person.salesToken ?? null}, ${sql.json(record as never)}, ''::tsvector)`;
  for (const { email, jobOrder, companySlug = null, verifiedAtMs } of person.emails ?? []) {
    await sql`
      insert into direct.email (version, person_id, email, company_slug, email_domain, job_order, verified_at)
      values (1, ${id}, ${email}, ${companySlug}, ${email.split('@')[1] ?? ''}, ${jobOrder},
              ${verifiedAtMs === null ? null : new Date(verifiedAtMs)})`;
  }
  for (const { phone, kind } of person.phones ?? []) {
    await sql`insert into direct.phone (version, person_id, phone, kind) values (1, ${id}, ${phone}, ${kind})`;
  }
}
