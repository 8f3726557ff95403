import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import * as Customer from '../support/customer.ts';
import * as Program from '../support/program.ts';
import * as Haproxy from './haproxy.ts';
import { Load, type Result } from './load.ts';
import * as Upstream from './upstream.ts';

export type Options = {
  /** A database server's URL of an empty database. */
  databaseUrl: string;
  /** Number of replacements of each of the two gateways. */
  rounds: number;
  /** Calls per second. */
  rate: number;
  /** Streams that are open at any time. */
  streams: number;
  /** DRAIN_SECONDS of the gateways. */
  drainSeconds: number;
  /** No replacement is started after this time. */
  secondsMax?: number;
  /** Called after each replacement with its time. */
  progress?: (done: number, ms: number) => void;
};

export type Report = Result & {
  seconds: number;
  replacements: number;
  /** Exit codes of the replaced processes that were not 0. */
  exits: (number | null)[];
  /** Micro-dollars that the ledger charged. */
  charged: number;
  breaches: unknown[];
  /** Log lines of level error. */
  faults: string[];
};

const creditMicro = 1_000_000_000;
const drainMaxSeconds = 30;
const catalog = fileURLToPath(new URL('../fixtures/replace.yaml', import.meta.url));

/** Replaces two gateways behind HAProxy in turn while calls and streams run, and compares what callers received with the ledger. */
export async function run(options: Options): Promise<Report> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-replace-'));
  const upstream = await Upstream.open();
  const ports = [await Program.freePort(), await Program.freePort()];
  const sql = postgres(options.databaseUrl, { max: 1, onnotice: () => {} }) as unknown as postgres.Sql;
  const gateways: Program.Program[] = [];
  const start = (index: number) => {
    const env = environment(options.databaseUrl, upstream.url, ports[index] ?? 0);
    return Program.start('src/main.ts', { ...env, DRAIN_SECONDS: String(options.drainSeconds) });
  };
  let balancer: Haproxy.Balancer | null = null;
  try {
    for (const index of [0, 1]) gateways.push(await start(index));
    balancer = await Haproxy.start(dir, ports);
    const { until } = balancer;
    for (const index of [0, 1]) await until(index, true);
    const buyer = await Customer.register(`http://127.0.0.1:${ports[0]}`);
    await Customer.credit(sql, buyer, creditMicro);
    const startedMs = performance.now();
    const load = new Load(balancer.url, buyer.token, options.rate, options.streams);
    const report = { exits: [] as (number | null)[], faults: [] as string[], replacements: 0 };
    const end = async (index: number) => {
      const gateway = gateways[index] as Program.Program;
      const exited = once(gateway.child, 'exit');
      gateway.child.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) report.exits.push(code);
      report.faults.push(
        ...gateway
          .output()
          .split('\n')
          .filter((line) => line.includes('"level":50')),
      );
    };
    for (let round = 0; round < options.rounds; round++)
      for (const index of [0, 1]) {
        const sinceMs = performance.now();
        if (sinceMs - startedMs > (options.secondsMax ?? Number.POSITIVE_INFINITY) * 1_000) break;
        await end(index);
        gateways[index] = await start(index);
        await until(index, true);
        report.replacements += 1;
        options.progress?.(report.replacements, performance.now() - sinceMs);
      }
    const result = await load.stop();
    const seconds = (performance.now() - startedMs) / 1_000;
    for (const index of [0, 1]) await end(index);
    const charged = await chargedTo(sql, buyer.account);
    const breaches = [...(await sql`SELECT * FROM ledger.verify()`)];
    return { ...result, ...report, seconds, charged, breaches };
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await balancer?.stop();
    await upstream.close();
    await sql.end({ timeout: 1 });
    await rm(dir, { recursive: true });
  }
}

/** Returns the settings of a gateway that sells `test/fixtures/replace.yaml`. */
export function environment(databaseUrl: string, upstreamUrl: string, port: number): Record<string, string> {
  return {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:4020',
    DATABASE_URL: databaseUrl,
    CATALOG: catalog,
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_API_KEY: 'upstream-key-0123456789',
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_replace',
    STRIPE_NETWORK_ID: 'profile_replace',
    LOG_LEVEL: 'warn',
    DRAIN_MAX_SECONDS: String(drainMaxSeconds),
  };
}

/** Returns the micro-dollars that the ledger charged an account. */
export async function chargedTo(sql: postgres.Sql, account: string): Promise<number> {
  const [row] = await sql<[{ charged: number }]>`
    SELECT coalesce(sum(amount), 0)::float8 AS charged FROM ledger.usage WHERE account_id = ${account}`;
  return row.charged;
}
