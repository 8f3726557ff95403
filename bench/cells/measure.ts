import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { id, slotOf, slotsMax } from '@sluice/kernel/id';
import postgres from 'postgres';
import * as Accounts from '../../src/adapters/postgres/accounts.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Proc from '../paid-call/proc.ts';
import * as Program from '../paid-call/program.ts';
import * as Samples from '../samples.ts';
import type { Cluster } from './clusters.ts';
import type { Done, Load, Setup } from './process.ts';

const driver = fileURLToPath(new URL('process.ts', import.meta.url));
const credit = 1_000_000_000;

/** A process under measurement, with the clusters whose CPU counts for it. */
export type Subject = {
  child: ChildProcess;
  pid: number;
  clusters: readonly Cluster[];
  stop(): Promise<void>;
};

/** Calls per second, CPU microseconds per call, calls per batch, and milliseconds of a call. */
export type Sample = {
  perSecond: number;
  nodeUs: number;
  postgresUs: number;
  rows: number;
  p50: number;
  p99: number;
};

/** Creates a database of the shop in each cluster, with accounts that have credit and whose slots are the cell's. */
export async function cells(
  clusters: readonly Cluster[],
  name: string,
  accountsMax: number,
): Promise<{ urls: string[]; accounts: string[] }> {
  const urls = await Promise.all(clusters.map((cluster) => cluster.createDatabase(name)));
  const accounts: string[] = [];
  for (const [cell, url] of urls.entries()) {
    await migrate(url);
    const sql = postgres(url, { max: 4, onnotice: () => {} }) as unknown as postgres.Sql;
    const mine: string[] = [];
    while (mine.length < accountsMax / urls.length) {
      const account = id('acc');
      if (Math.floor((slotOf(account) * urls.length) / slotsMax) === cell) mine.push(account);
    }
    await Promise.all(mine.map((account) => fund(sql, account)));
    await sql.end();
    accounts.push(...mine);
  }
  // Neighbours in the list are in different cells, as the calls of a shop are.
  return { urls, accounts: accounts.sort((a, b) => (a.slice(8) < b.slice(8) ? -1 : 1)) };
}

async function fund(sql: postgres.Sql, account: string): Promise<void> {
  const order = id('pur', account);
  await Accounts.openAccounts(sql).register(account, null);
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
    VALUES (${order}, ${account}, 'credit', ${credit}, now() + interval '1 hour')`;
  await sql`SELECT shop.grant_purchase(${order}, ${id('pi')}, ${account})`;
}

/** Starts a process with a writer in each of the databases. */
export async function start(setup: Setup, clusters: readonly Cluster[], dir: string): Promise<Subject> {
  const program = await Program.node([driver, JSON.stringify(setup)], {}, join(dir, `${setup.name}.log`));
  return { child: program.child, pid: program.pid, clusters, stop: () => program.stop() };
}

export async function sample({ child, pid, clusters }: Subject, load: Load): Promise<Sample> {
  const postgresMs = () => Samples.sum(clusters.map((cluster) => Proc.cpuMs(cluster.pid)));
  const before = { nodeMs: Proc.cpuMs(pid), postgresMs: postgresMs() };
  const startMs = performance.now();
  const { calls, batches, latenciesMs } = await ask(child, load);
  return {
    perSecond: (calls * 1_000) / (performance.now() - startMs),
    nodeUs: ((Proc.cpuMs(pid) - before.nodeMs) * 1_000) / calls,
    postgresUs: ((postgresMs() - before.postgresMs) * 1_000) / calls,
    rows: calls / batches,
    p50: Samples.median(latenciesMs),
    p99: Samples.quantile(latenciesMs, 0.99),
  };
}

/** Lets a process make calls, and returns what it counted. */
export async function ask(child: ChildProcess, load: Load): Promise<Done> {
  const answer = once(child, 'message');
  const over = new AbortController();
  const gone = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`a ledger process ended with ${code}`);
  });
  gone.catch(() => {});
  child.send(load);
  const [done] = (await Promise.race([answer, gone])) as [Done];
  over.abort();
  return done;
}
