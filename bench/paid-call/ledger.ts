import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Samples from '../samples.ts';
import * as Aim from './aim.ts';
import { type Spread, spread } from './contest.ts';
import { type Part, table } from './part.ts';
import * as Proc from './proc.ts';
import * as Program from './program.ts';
import type { Stage } from './stage.ts';
import * as Storefront from './storefront.ts';
import * as Twin from './twin.ts';

const driver = fileURLToPath(new URL('ledger-process.ts', import.meta.url));
const callers = 64;
const accounts = 1_000;
const warmUpSeconds = 2;
const windowSeconds = 5;

/** The figures of writers that run at the same time: calls per second in all, CPU microseconds per call. */
type Run = { perSecond: number; nodeUs: number; postgresUs: number };
type LedgerWriter = { pid: number; child: ChildProcess };

/** Measures the ledger alone against its targets. */
export const ledger: Part = async (stage, { rounds, seconds, snapshotSeconds }) => {
  const url = await stage.createDatabase();
  await migrate(url);
  const sql = postgres(url, { max: 2, onnotice: () => {} }) as unknown as postgres.Sql;
  stage.keep({ stop: () => sql.end() });
  await sql`SELECT ledger.prepare_usage(1)`;
  const all = await Promise.all(Array.from({ length: accounts }, () => Storefront.buyer(sql)));
  const hot = all[0] ?? '';
  const open = async (name: string, list: readonly string[]): Promise<LedgerWriter> =>
    stage.keep(await Program.node([driver, url, name, list.join()], {}, join(stage.dir, `${name}.log`)));
  const single = await open('single', [hot]);
  const pair = [await open('first', [hot]), await open('second', [hot])];
  const wide = await open('wide', all);
  const measure = (writers: readonly LedgerWriter[], forSeconds: number) =>
    run(stage, writers, callers, forSeconds);

  for (const writers of [[single], pair, [wide]]) await measure(writers, warmUpSeconds);
  const batch = await batchOf(sql, 'single', () => measure([single], warmUpSeconds));
  const twin = await Twin.open(stage.dir, url, sql, { account: hot, ...batch });
  const runs = {
    one: [] as Run[],
    pair: [] as Run[],
    divided: [] as Run[],
    wide: [] as Run[],
    cold: [] as Run[],
  };
  const twins: number[] = [];
  for (let round = 0; round < rounds; round++) {
    runs.one.push(await measure([single], seconds));
    twins.push(await twin.rowsPerSecond(Math.max(1, Math.round(seconds))));
    runs.pair.push(await measure(pair, seconds));
    runs.divided.push(await run(stage, pair, callers / pair.length, seconds));
    // Leases were returned while the other writers ran; obtaining them again is measured separately.
    runs.cold.push(await measure([wide], 1));
    await measure([wide], warmUpSeconds);
    runs.wide.push(await measure([wide], seconds));
  }
  const disk = await diskOf(sql, () => measure([single], seconds));
  const snapshot = await underSnapshot(url, snapshotSeconds, () => measure([single], windowSeconds));
  const ratio = (some: readonly Run[]) =>
    spread(some.map(({ perSecond }, round) => perSecond / (runs.one[round] as Run).perSecond));
  const over = (pick: (run: Run) => number) => spread(runs.one.map(pick));
  const row = (name: string, some: readonly Run[]) => [
    name,
    ...(['perSecond', 'nodeUs', 'postgresUs'] as const).map((key) =>
      Aim.spreadText(spread(some.map((one) => one[key]))),
    ),
  ];
  return {
    lines: [
      '',
      `The ledger alone, ${callers} callers a process, ${batch.rows} settlements in a commit`,
      ...table([
        ['', 'calls/s', 'µs Node', 'µs PostgreSQL'],
        row('1 process, 1 account', runs.one),
        row(`2 processes, ${callers} callers each, 1 account`, runs.pair),
        row(`2 processes, ${callers} callers in all, 1 account`, runs.divided),
        row('1 process, 1,000 accounts', runs.wide),
        row('the same, accounts that were idle', runs.cold),
        ['its pgbench twin', Aim.spreadText(spread(twins)), '', ''],
      ]),
      `Bytes a call: ${Aim.round(disk.kept)} kept as usage, ${Aim.round(disk.written)} written ahead`,
    ],
    aims: [
      Aim.atLeast(
        'ledger, of its pgbench twin',
        spread(runs.one.map(({ perSecond }, at) => perSecond / (twins[at] ?? 0))),
        0.8,
      ),
      Aim.atMost(
        'ledger, µs of CPU a call in Node',
        over(({ nodeUs }) => nodeUs),
        15,
      ),
      Aim.atMost(
        'ledger, µs of CPU a call in PostgreSQL',
        over(({ postgresUs }) => postgresUs),
        25,
      ),
      Aim.atLeast('two processes on one account, as many callers each, times one', ratio(runs.pair), 1.2),
      Aim.atMost(`CPU after ${snapshotSeconds} s under an open snapshot, times before`, snapshot, 1.5),
      // Neither may be more than 15 % slower than the other.
      Aim.atLeast('one hot account, times a thousand, calls/s', inverse(ratio(runs.wide)), 0.85),
      Aim.atLeast('a thousand accounts, times one hot, calls/s', ratio(runs.wide), 0.85),
    ],
  };
};

async function run(
  { postgresPid }: Stage,
  writers: readonly LedgerWriter[],
  callersEach: number,
  seconds: number,
): Promise<Run> {
  const nodeMs = () => Samples.sum(writers.map(({ pid }) => Proc.cpuMs(pid)));
  const before = { nodeMs: nodeMs(), postgresMs: Proc.cpuMs(postgresPid) };
  const counts = await Promise.all(writers.map((writer) => ask(writer, callersEach, seconds)));
  const calls = Samples.sum(counts);
  return {
    perSecond: calls / seconds,
    nodeUs: ((nodeMs() - before.nodeMs) * 1_000) / calls,
    postgresUs: ((Proc.cpuMs(postgresPid) - before.postgresMs) * 1_000) / calls,
  };
}

async function ask({ child }: LedgerWriter, callersEach: number, seconds: number): Promise<number> {
  const answer = once(child, 'message');
  const over = new AbortController();
  const gone = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`a ledger process ended with ${code}`);
  });
  gone.catch(() => {});
  child.send({ callers: callersEach, seconds });
  const [{ calls }] = (await Promise.race([answer, gone])) as [{ calls: number }];
  over.abort();
  return calls;
}

/** Returns the settlements per batch of a writer, and its batches per quarter second, the time between two checkpoints. */
async function batchOf(sql: postgres.Sql, writer: string, load: () => Promise<Run>) {
  const last = async () => {
    const [row] = await sql<
      [{ seq: number }]
    >`SELECT max(seq)::integer AS seq FROM ledger.batch WHERE writer_id = ${writer}`;
    return row.seq;
  };
  const before = await last();
  const { perSecond } = await load();
  const batches = ((await last()) - before) / warmUpSeconds;
  return { rows: Math.round(perSecond / batches), checkpointEvery: Math.max(1, Math.round(batches / 4)) };
}

/** Returns the bytes that a call stores as usage, and the bytes that it adds to the write-ahead log, checkpoints included. */
async function diskOf(sql: postgres.Sql, load: () => Promise<Run>) {
  const now = async () => {
    const [row] = await sql<[{ rows: number; kept: number; written: number }]>`
      SELECT (SELECT count(*) FROM ledger.usage)::float AS rows, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float AS written,
        (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'ledger.usage'::regclass)::float AS kept`;
    return row;
  };
  const before = await now();
  await load();
  const after = await now();
  return {
    kept: after.kept / after.rows,
    written: (after.written - before.written) / (after.rows - before.rows),
  };
}

/** Returns the CPU per call at the end of a period with one open snapshot (a report, a backup), relative to that before it. */
async function underSnapshot(url: string, seconds: number, measure: () => Promise<Run>): Promise<Spread> {
  const sum = ({ nodeUs, postgresUs }: Run) => nodeUs + postgresUs;
  const before = [sum(await measure()), sum(await measure())];
  const sql = postgres(url, { max: 1, connection: { idle_in_transaction_session_timeout: 0 } });
  await sql.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await sql.unsafe('SELECT count(*) FROM ledger.lot');
  const untilMs = performance.now() + seconds * 1_000;
  let last: Run | null = null;
  while (performance.now() < untilMs || last === null) last = await measure();
  const after = [sum(last), sum(await measure())];
  await sql.unsafe('COMMIT');
  await sql.end();
  return spread(after.flatMap((one) => before.map((other) => one / other)));
}

function inverse({ median, low, high }: Spread): Spread {
  return { median: 1 / median, low: 1 / high, high: 1 / low };
}
