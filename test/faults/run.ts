import postgres from 'postgres';
import { Dice } from '../purchase/dice.ts';
import * as Program from '../support/program.ts';
import * as Attempt from './attempt.ts';
import * as Buyer from './buyer.ts';
import { Callers } from './callers.ts';
import * as Cluster from './cluster.ts';
import { type Aim, Faults } from './faults.ts';
import { Gateway } from './gateway.ts';
import * as Judge from './judge.ts';
import { Record } from './record.ts';
import * as Upstream from './upstream.ts';

export type Options = {
  calls: number;
  seed: number;
  processes: number;
  callsPerFault: number;
  /** Number of crowds of callers, each with its own accounts. */
  crowds?: number;
  /** The share of metered streams among the calls. */
  streamShare?: number;
  /** The share of calls that start a job among the calls that are no streams. */
  jobShare?: number;
  /** No calls are started after this time. */
  secondsMax?: number;
  /** A statement that removes a safeguard from the database; it runs before the run starts. */
  sabotage?: string;
  /** A copy of the source tree in which a safeguard was removed. */
  tree?: string;
  /** When given, these are the only faults. */
  aims?: readonly Aim[];
  /** Called from time to time with the number of finished calls. */
  progress?: (done: number) => void;
};

export type Report = {
  calls: number;
  attempts: number;
  seconds: number;
  faults: Readonly<{ [what: string]: number }>;
  struck: Readonly<{ [moment: string]: number }>;
  answers: Readonly<{ [what: string]: number }>;
  books: Judge.LedgerStore;
  longestWaitMs: number;
  breaches: string[];
};

/** Number of accounts in one crowd. */
const accountsCount = 12;
const callers = 48;
/** Accounts that run short get a little more, so that in a run of any length most calls are made near the end of credit and budgets. */
const callsPerCredit = 25;
const callsPerBudget = 40;
const progressCalls = 500;
/** At least a tenth of the attempts of a run are streams, although calls of other kinds are attempted more often. */
const usualStreamShare = 0.25;
const usualJobShare = 0.07;

/** Performs a run: opens everything, makes calls while faults happen, waits until it is at rest, and compares. */
export async function run(options: Options): Promise<Report> {
  const {
    calls,
    seed,
    processes,
    callsPerFault,
    crowds = 1,
    streamShare = usualStreamShare,
    jobShare = usualJobShare,
    secondsMax = Number.POSITIVE_INFINITY,
    sabotage,
    tree,
    aims = null,
    progress,
  } = options;
  const dice = new Dice(seed);
  const cluster = await Cluster.open();
  const connect = () => open(cluster.url);
  const sql = connect();
  const gateways: Gateway[] = [];
  let meet: Faults['meet'] = () => 'pass';
  const record = new Record();
  const ending: (() => Promise<unknown>)[] = [() => sql.end({ timeout: 1 }), () => cluster.stop()];
  let callersAt: Callers['at'] = new Map();
  try {
    const upstream = await Upstream.open((moment, asked) => {
      const gateway = callersAt.get(asked);
      if (gateway) void meet(gateway, moment);
    });
    ending.unshift(() => upstream.close());
    for (let at = 0; at < processes; at++) {
      const gateway = new Gateway(`gateway-${at}`, await Program.freePort(), environment(upstream.url), tree);
      ending.unshift(() => gateway.stop());
      gateways.push(gateway);
      await gateway.open(cluster.url, (statement, when) => meet(gateway, `${statement} ${when}` as never));
      if (at === 0 && sabotage) await sql.unsafe(sabotage);
    }
    const accounts = await Promise.all(
      Array.from({ length: accountsCount * crowds }, () => Buyer.open((gateways[0] as Gateway).url, sql)),
    );
    const faults = new Faults(dice, gateways, cluster, connect, aims);
    meet = (gateway, moment) => faults.meet(gateway, moment);
    const crowd = new Callers(dice, gateways, accounts, record, meet, {
      streams: streamShare,
      jobs: jobShare,
    });
    callersAt = crowd.at;

    const short = (wanting: Set<number>, help: (buyer: Buyer.Buyer) => Promise<void>) => {
      const [at] = wanting;
      const buyer = at === undefined ? undefined : accounts[at];
      if (at === undefined || buyer === undefined) return;
      wanting.delete(at);
      void help(buyer);
    };

    const startedMs = performance.now();
    let begun = 0;
    const work = async () => {
      while (begun < calls && performance.now() < startedMs + secondsMax * 1_000) {
        begun += 1;
        if (begun % callsPerFault === 0) faults.next();
        if (begun % callsPerCredit === 0)
          short(record.wanting.credit, (buyer) => Buyer.give(connect, buyer, dice));
        if (begun % callsPerBudget === 0)
          short(record.wanting.budget, (buyer) => Buyer.renew(buyer, dice.pick(gateways).url));
        if (begun % progressCalls === 0) progress?.(begun);
        await crowd.call();
        faults.pass();
      }
    };
    await Promise.all(Array.from({ length: callers * crowds }, work));
    await faults.end();
    const seconds = (performance.now() - startedMs) / 1_000;
    for (const gateway of gateways) await gateway.ready();
    const books = await Judge.judge({ sql, gateways, accounts, record, upstream });
    return {
      calls: begun,
      attempts: crowd.attempts,
      seconds,
      faults: faults.counts,
      struck: faults.struck,
      answers: { ...record.counts, ...record.streamed.counts },
      books,
      longestWaitMs: Math.round(record.longestWaitMs),
      breaches: record.breaches,
    };
  } finally {
    Attempt.close();
    for (const end of ending) await end();
  }
}

/** Settings of a gateway of a run. */
export function environment(upstreamUrl: string): { [name: string]: string } {
  return {
    PUBLIC_URL: 'http://localhost:4020',
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_API_KEY: 'upk_chaos',
    // There are no card payments in a run: credit is granted as for a paid order.
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_chaos',
    STRIPE_NETWORK_ID: 'profile_test_sluice',
    STRIPE_API_BASE: 'http://127.0.0.1:9',
  };
}

function open(url: string): postgres.Sql {
  const types = { int8: { to: 20, from: [20], serialize: String, parse: Number } };
  return postgres(url, { max: 1, onnotice: () => {}, fetch_types: false, types }) as unknown as postgres.Sql;
}
