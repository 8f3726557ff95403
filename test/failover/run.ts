import postgres from 'postgres';
import * as Attempt from '../faults/attempt.ts';
import * as Buyer from '../faults/buyer.ts';
import { Callers } from '../faults/callers.ts';
import { Gateway } from '../faults/gateway.ts';
import * as Judge from '../faults/judge.ts';
import { environment } from '../faults/run.ts';
import * as Upstream from '../faults/upstream.ts';
import { Dice } from '../purchase/dice.ts';
import * as Program from '../support/program.ts';
import { type Durations, failures } from './failures.ts';
import { type ClusterKind, HaCluster } from './ha-cluster.ts';
import { Purchases } from './purchases.ts';
import { Sales } from './sales.ts';
import { TimeLine } from './time-line.ts';

export type Options = Durations & {
  rounds: number;
  seed: number;
  /** The next round begins until then. */
  secondsMax: number;
  /** Only failures whose description contains this. */
  only?: string;
  /** Observe where the time of each round goes. */
  hasTimeLine?: boolean;
  /** The comparison has to find what a cluster of another kind loses. */
  kind?: ClusterKind;
  /** Called after each round. */
  progress?: (round: Round) => void;
};

export type Round = {
  round: number;
  what: string;
  pauseMs: number;
  /** The events of the round with their times, if the run observes them. */
  moments: string[];
  breaches: string[];
};

export type Report = {
  rounds: Round[];
  calls: number;
  purchases: { answered: number; repeated: number };
  answers: Readonly<{ [what: string]: number }>;
  books: Judge.LedgerStore;
  breaches: string[];
};

const accountsCount = 8;
const callers = 6;
/** Pause of a caller between two calls. */
const betweenMs = 60;
/** Sales are observed for this long after the cluster is whole again. */
const afterMs = 2_000;
const soldMsMax = 30_000;
/** A process whose connections lead to a primary that was replaced ends itself (docs/high-availability.md). */
const explainedEnd = /"event":"pool_lost"/;

/** Performs rounds of failures on a cluster of three nodes while three gateways sell, and then compares callers and books. */
export async function run({
  rounds,
  seed,
  secondsMax,
  only = '',
  hasTimeLine = false,
  kind = {},
  progress,
  ...durations
}: Options): Promise<Report> {
  const dice = new Dice(seed);
  const chosen = failures.filter(({ what }) => what.includes(only));
  const cluster = await HaCluster.open(kind);
  const types = { int8: { to: 20, from: [20], serialize: String, parse: Number } };
  const sql = postgres(cluster.url, {
    max: 1,
    onnotice: () => {},
    fetch_types: false,
    types,
  }) as unknown as postgres.Sql;
  const ending: (() => Promise<unknown>)[] = [() => sql.end({ timeout: 1 }), () => cluster.close()];
  try {
    const upstream = await Upstream.open(() => {});
    ending.unshift(() => upstream.close());
    const gateways: Gateway[] = [];
    for (const name of ['gateway-0', 'gateway-1', 'gateway-2']) {
      const gateway = new Gateway(name, await Program.freePort(), environment(upstream.url), undefined);
      ending.unshift(() => gateway.stop());
      gateways.push(gateway);
      // The last one knows all nodes, and so still reaches a former primary that HAProxy has left.
      if (name === 'gateway-2') await gateway.open(cluster.severalHostsUrl, null);
      else await gateway.open(cluster.url, () => 'pass');
    }
    const first = gateways[0] as Gateway;
    const accounts = await Promise.all(
      Array.from({ length: accountsCount }, () => Buyer.open(first.url, sql)),
    );
    const sales = new Sales();
    const crowd = new Callers(dice, gateways, accounts, sales, () => {}, { streams: 0.1, jobs: 0.05 });
    const purchases = new Purchases(cluster.url, dice, accounts);
    purchases.start();
    await cluster.healthy();
    const startedMs = performance.now();
    let isOver = false;
    let calls = 0;
    const work = async () => {
      while (!isOver) {
        calls += 1;
        if (calls % 40 === 0) await renewBudgets(sales, accounts, first.url);
        await crowd.call();
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
      }
    };
    const working = Array.from({ length: callers }, work);
    const done: Round[] = [];
    for (let round = 1; round <= rounds && performance.now() - startedMs < secondsMax * 1_000; round++) {
      const failure = chosen[(round - 1) % chosen.length] as (typeof failures)[number];
      const fromMs = performance.now();
      const timeLine = hasTimeLine ? new TimeLine(cluster) : null;
      const breaches = await failure
        .strike(cluster, sales, durations)
        .catch((fault) => [`the round was not finished: ${fault}`]);
      const whole = await cluster.healthy().then(
        () => true,
        (fault: unknown) => {
          breaches.push(`${fault}`);
          return false;
        },
      );
      if (!(await sales.soldAfter(performance.now(), soldMsMax)))
        breaches.push('nothing is sold after the repair');
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const pause = sales.longestPause(fromMs, performance.now());
      const moments = (await timeLine?.end()) ?? [];
      if (timeLine)
        moments.push(
          `${seconds(pause.fromMs - fromMs)} last sale, ${seconds(pause.toMs - fromMs)} next sale`,
        );
      done.push({
        round,
        what: failure.what,
        pauseMs: Math.round(pause.toMs - pause.fromMs),
        moments,
        breaches,
      });
      progress?.(done.at(-1) as Round);
      // A further failure would find a cluster that may lose what it confirmed, or sell nothing.
      if (!whole) break;
    }
    isOver = true;
    await Promise.all([...working, purchases.end()]);
    for (const gateway of gateways) await gateway.ready();
    sales.breaches.push(
      ...done.flatMap(({ round, breaches }) => breaches.map((breach) => `round ${round}: ${breach}`)),
    );
    const books = await Judge.judge({ sql, gateways, accounts, record: sales, upstream, explainedEnd });
    sales.breaches.push(...(await purchases.compare(sql)));
    return {
      rounds: done,
      calls,
      purchases: { answered: purchases.answered.length, repeated: purchases.repeated },
      answers: { ...sales.counts, ...sales.streamed.counts },
      books,
      breaches: sales.breaches,
    };
  } finally {
    Attempt.close();
    for (const end of ending) await end().catch((fault: unknown) => process.stderr.write(`${fault}\n`));
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function renewBudgets(sales: Sales, accounts: readonly Buyer.Buyer[], url: string): Promise<void> {
  const [at] = sales.wanting.budget;
  const buyer = at === undefined ? undefined : accounts[at];
  if (at === undefined || buyer === undefined) return;
  sales.wanting.budget.delete(at);
  await Buyer.renew(buyer, url);
}
