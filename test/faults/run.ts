import postgres from 'postgres';
import { id } from '../../src/kernel/id.ts';
import { Dice } from '../purchase/dice.ts';
import * as Customer from '../support/customer.ts';
import * as Program from '../support/program.ts';
import * as Attempt from './attempt.ts';
import { type Account, Callers } from './callers.ts';
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
  /** No further calls are begun after this. */
  secondsMax?: number;
  /** A safeguard taken out of the database: a statement that is run in it before all begins. */
  sabotage?: string;
  /** Another `src`, in which a safeguard is taken out. */
  src?: string;
  /** Nothing else is to go wrong. */
  aims?: readonly Aim[];
  /** Is told now and then how far it is. */
  progress?: (done: number) => void;
};

export type Report = {
  calls: number;
  attempts: number;
  seconds: number;
  faults: Readonly<{ [what: string]: number }>;
  struck: Readonly<{ [moment: string]: number }>;
  answers: Readonly<{ [what: string]: number }>;
  books: Judge.Books;
  longestWaitMs: number;
  breaches: string[];
};

const accountsCount = 12;
const callers = 48;
/** Credit comes in small pieces, so that most calls are made near its end. */
const firstCreditMicroUsd = 20_000;
const creditMicroUsdMax = 30_000;
const callsPerCredit = 25;
const reversedShare = 0.15;
const budgetUsd = '0.03';
const progressCalls = 500;

/** Lives through a run: opens everything, calls while faults happen, lets it come to rest, and compares. */
export async function run(options: Options): Promise<Report> {
  const {
    calls,
    seed,
    processes,
    callsPerFault,
    secondsMax = Number.POSITIVE_INFINITY,
    sabotage,
    src,
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
      const gateway = new Gateway(`gateway-${at}`, await Program.freePort(), environment(upstream.url), src);
      ending.unshift(() => gateway.stop());
      gateways.push(gateway);
      await gateway.open(cluster.url, (statement, when) => meet(gateway, `${statement} ${when}` as never));
      if (at === 0 && sabotage) await sql.unsafe(sabotage);
    }
    const accounts = await Promise.all(
      Array.from({ length: accountsCount }, () => openAccount(gateways[0] as Gateway, sql)),
    );
    const faults = new Faults(dice, gateways, cluster, connect, aims);
    meet = (gateway, moment) => faults.meet(gateway, moment);
    const crowd = new Callers(dice, gateways, accounts, record, meet);
    callersAt = crowd.at;

    const startedMs = performance.now();
    let begun = 0;
    const work = async () => {
      while (begun < calls && performance.now() < startedMs + secondsMax * 1_000) {
        begun += 1;
        if (begun % callsPerFault === 0) faults.next();
        if (begun % callsPerCredit === 0) void give(connect, dice.pick(accounts), dice);
        if (begun % progressCalls === 0) progress?.(begun);
        await crowd.call();
        faults.pass();
      }
    };
    await Promise.all(Array.from({ length: callers }, work));
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
      answers: record.counts,
      books,
      longestWaitMs: Math.round(record.longestWaitMs),
      breaches: record.breaches,
    };
  } finally {
    Attempt.close();
    for (const end of ending) await end();
  }
}

function environment(upstreamUrl: string): { [name: string]: string } {
  return {
    PUBLIC_URL: 'http://localhost:4020',
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_API_KEY: 'upk_chaos',
    // Nobody buys by card here: credit comes as a paid order leaves it.
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

/** A new account with a little credit, and two keys, one of them with a budget. */
async function openAccount({ url }: Gateway, sql: postgres.Sql): Promise<Account> {
  const customer = await Customer.register(url);
  await Customer.credit(sql, customer, firstCreditMicroUsd);
  const make = async (terms: object) => {
    const { body } = await Customer.call(customer, 'POST', `${url}/account/keys`, {
      name: 'chaos',
      ...terms,
    });
    return body.key as string;
  };
  const [open, capped] = [await make({}), await make({ budget_usd: budgetUsd })];
  return { id: customer.account, bearers: [open, open, capped] };
}

/** An account pays for more credit, and at times a part of it goes back. That the database is away then is its luck. */
async function give(connect: () => postgres.Sql, account: Account, dice: Dice): Promise<void> {
  const order = id('pur');
  const amount = 1 + dice.int(creditMicroUsdMax);
  const back = dice.chance(reversedShare) ? 1 + dice.int(amount) : 0;
  const sql = connect();
  try {
    await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
      VALUES (${order}, ${account.id}, 'credit', ${amount}, now() + interval '1 hour')`;
    await sql`SELECT shop.grant_purchase(${order}, ${`pi_${order}`}, ${account.id})`;
    if (back === 0) return;
    const [row] = await sql<[{ look: number }]>`SELECT shop.look_at(${order}) AS look`;
    const reversal = {
      id: `re_${order}`,
      kind: 'refund',
      amount: back,
      status: 'new',
      counts: true,
      reason: null,
    };
    await sql`SELECT shop.write_reversals(${order}, ${row.look}, ${sql.json([reversal])})`;
  } catch {
  } finally {
    await sql.end({ timeout: 1 });
  }
}
