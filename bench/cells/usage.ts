import postgres from 'postgres';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Aim from '../paid-call/aim.ts';
import { spread } from '../paid-call/contest.ts';
import { table } from '../paid-call/part.ts';
import * as Proc from '../paid-call/proc.ts';
import * as Samples from '../samples.ts';
import type { Cluster, Clusters } from './clusters.ts';
import { discardsUsage } from './divided-store.ts';
import * as Measure from './measure.ts';

const accountCounts = [10, 1_000];
const callers = 64;
const warmUpSeconds = 2;

/** Processes that share a main database, and their clusters of usage; none if the main database has the usage, too. */
type Layout = {
  name: string;
  /** The same processes on one database. */
  base: string;
  processes: readonly Measure.Subject[];
  main: Cluster;
  usage: readonly Cluster[];
  verify(): Promise<void>;
};
/** Calls per second in all, CPU microseconds per call, and calls per batch. */
type Sample = { perSecond: number; nodeUs: number; mainUs: number; usageUs: number; rows: number };

/**
 * Measures processes whose usage is in databases of their own, beside the same processes on one database, with accounts that are all in use. All
 * clusters share this machine, so the CPU per call is compared and not the calls per second.
 */
export async function usage(clusters: Clusters, rounds: number, seconds: number): Promise<string[]> {
  const [main, first, second] = [
    await clusters.start('main'),
    await clusters.start('first'),
    await clusters.start('second'),
  ];
  const layouts: Layout[] = [];
  for (const accounts of accountCounts)
    for (const divided of [[first], [first, second]])
      for (const usageClusters of [[], divided])
        layouts.push(await layout(clusters, accounts, divided.length, main, usageClusters));
  const taken = new Map<string, Sample[]>(layouts.map(({ name }) => [name, []]));
  for (const one of layouts) await sample(one, warmUpSeconds);
  for (let round = 0; round < rounds; round++)
    for (const one of layouts) {
      // Leases of the last round have returned; obtaining them again is not measured.
      await sample(one, 1);
      taken.get(one.name)?.push(await sample(one, seconds));
    }
  for (const one of layouts) await one.verify();
  const of = (name: string) => taken.get(name) ?? [];
  const text = (values: readonly number[]) => Aim.spreadText(spread(values));
  const ratio = ({ name, base }: Layout, pick: (one: Sample) => number) =>
    text(of(name).map((one, round) => pick(one) / pick(of(base)[round] as Sample)));
  const both = ({ mainUs, usageUs }: Sample) => mainUs + usageUs;
  return [
    `Usage in databases of their own, ${callers} callers a process`,
    ...table([
      [
        '',
        'calls/s',
        'µs Node',
        'µs main database',
        'µs usage databases',
        'calls a batch',
        'Node, times one database',
        'PostgreSQL, times',
        'main database, times',
      ],
      ...layouts.map((one) => [
        one.name,
        ...(['perSecond', 'nodeUs', 'mainUs', 'usageUs', 'rows'] as const).map((key) =>
          text(of(one.name).map((taken) => taken[key])),
        ),
        ratio(one, ({ nodeUs }) => nodeUs),
        ratio(one, both),
        ratio(one, ({ mainUs }) => mainUs),
      ]),
    ]),
    'In every layout, the usage of each lot is what the lot has lost.',
  ];
}

async function layout(
  clusters: Clusters,
  accountsMax: number,
  count: number,
  main: Cluster,
  usageClusters: readonly Cluster[],
): Promise<Layout> {
  const base = `${accountsMax} accounts, ${count} processes`;
  const name = usageClusters.length === 0 ? base : `${base}, divided`;
  const database = name.replaceAll(/\W+/g, '_').replace(/^/, 'with_');
  const { urls, accounts } = await Measure.cells([main], database, accountsMax);
  const usageUrls = await Promise.all(usageClusters.map((cluster) => cluster.createDatabase(database)));
  for (const url of usageUrls) await migrate(url);
  if (usageUrls.length > 0) await run(urls[0] ?? '', discardsUsage);
  const processes: Measure.Subject[] = [];
  for (let at = 0; at < count; at++) {
    const usageUrl = usageUrls[at];
    const setup = {
      urls,
      name: `${database}_${at}`,
      accounts,
      ...(usageUrl === undefined ? {} : { usageUrl }),
    };
    processes.push(await Measure.start(setup, [main, ...usageClusters], clusters.dir));
  }
  return {
    name,
    base,
    processes,
    main,
    usage: usageClusters,
    async verify() {
      await Promise.all(processes.map((one) => one.stop()));
      const lost = await run(urls[0] ?? '', lostByLot);
      const used = [];
      for (const url of usageUrls.length > 0 ? usageUrls : urls) used.push(...(await run(url, usedByLot)));
      for (const { account_id, lot_id, amount } of lost) {
        const mine = used.filter((row) => row.account_id === account_id && row.lot_id === lot_id);
        const sum = Samples.sum(mine.map((row) => Number(row.amount)));
        if (sum !== Number(amount))
          throw new Error(`${name}: lot ${lot_id} has lost ${amount}, and its usage is ${sum}`);
      }
    },
  };
}

const lostByLot = `SELECT k.account_id, k.id AS lot_id, sum(p.amount) - k.avail AS amount FROM ledger.lot k
  JOIN ledger.posting p ON p.account_id = k.account_id AND p.lot_id = k.id GROUP BY 1, 2, k.avail`;
const usedByLot = 'SELECT account_id, lot_id, sum(amount) AS amount FROM ledger.usage GROUP BY 1, 2';

async function run(url: string, text: string): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

async function sample({ processes, main, usage: others }: Layout, seconds: number): Promise<Sample> {
  const cpuMs = () => ({
    node: Samples.sum(processes.map(({ pid }) => Proc.cpuMs(pid))),
    main: Proc.cpuMs(main.pid),
    usage: Samples.sum(others.map(({ pid }) => Proc.cpuMs(pid))),
  });
  const before = cpuMs();
  const done = await Promise.all(processes.map(({ child }) => Measure.ask(child, { callers, seconds })));
  const after = cpuMs();
  const calls = Samples.sum(done.map((one) => one.calls));
  const us = (key: keyof typeof before) => ((after[key] - before[key]) * 1_000) / calls;
  return {
    perSecond: calls / seconds,
    nodeUs: us('node'),
    mainUs: us('main'),
    usageUs: us('usage'),
    rows: calls / Samples.sum(done.map(({ batches }) => batches)),
  };
}
