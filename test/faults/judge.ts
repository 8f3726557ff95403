import type postgres from 'postgres';
import { type Account, ask } from './callers.ts';
import type { Gateway } from './gateway.ts';
import * as JobRecord from './job-record.ts';
import type { Record } from './record.ts';
import * as StreamRecord from './stream-record.ts';
import type { Asked, Upstream } from './upstream.ts';

/** The ledger's view of a run after its end. */
export type LedgerStore = {
  /** Calls that stayed charged, and calls that were reversed as undelivered, whether or not their callers had the response. */
  charged: number;
  givenBack: number;
  /** Responses that callers received completely although they were reversed as undelivered: the seller's loss. */
  lostToSeller: number;
  /** Calls that stayed charged, whose response is stored for a caller who did not receive it and may retry with the key. */
  keptForLater: number;
  /** Streams with a cost that their callers left and their upstreams finished, and how many of them were charged. */
  leftStreams: number;
  leftStreamsCharged: number;
  /** Jobs that ended and cost what their upstream counted. */
  jobs: number;
  /** Number of keys that were retried after the run. */
  keysAsked: number;
};

type Run = {
  sql: postgres.Sql;
  gateways: readonly Gateway[];
  accounts: readonly Account[];
  record: Record;
  upstream: Upstream;
  /** The last output of a process that ended because of a fault, as it is documented to. */
  explainedEnd?: RegExp;
};
type Row = {
  call_id: string;
  account_id: string;
  units: number;
  money: number;
  net: number;
  is_kept: boolean;
};

const keysAskedMax = 60;
const spendersMax = 3;
const unitsACall = 50;
const unitMicroUsd = 100;
/** Refused calls and calls that find less than they asked for, besides the ones that spend the balance. */
const furtherCallsMax = 100;
/** So many refusals in a row for credit that other calls hold mean that no call holds it. */
const inFlightMax = 20;
const settleMs = 20_000;
const lookMs = 250;
const pageRows = 10_000;

/** Waits until a run is at rest and adds every inconsistency to the record's breaches. */
export async function judge(run: Run): Promise<LedgerStore> {
  const { sql, gateways, record, explainedEnd } = run;
  await rest(run);
  const openJobs = await JobRecord.rest(sql);
  if (openJobs > 0) record.breaches.push(`${openJobs} jobs are not settled`);
  const keysAsked = await askAgain(run);
  await spendRest(run);
  for (const gateway of gateways) {
    // One that ended because of a fault may be starting.
    await gateway.ready();
    const code = await gateway.stop();
    if (code !== 0) record.breaches.push(`${gateway.name} ended with ${code} when it was told to`);
    for (const line of gateway.logged('ledger_inconsistent'))
      record.breaches.push(`${gateway.name}: ${line}`);
    // The run itself makes the database unavailable, also while a key is created or ended.
    for (const line of gateway
      .logged('fault')
      .filter((line) => !/"code":"(?:E?CONN|EPIPE|57|08|53|25006)/.test(line)))
      record.breaches.push(`${gateway.name}: ${line}`);
    for (const end of gateway.gaveUp.filter((end) => !explainedEnd?.test(end)))
      record.breaches.push(`${gateway.name} ended by itself: ${end}`);
  }
  for (const { writer_id, sum } of await sql`SELECT writer_id, sum(amount) FROM ledger.lease GROUP BY 1`)
    record.breaches.push(`${writer_id} holds ${sum} after its end`);
  for (const { id } of await sql`SELECT id FROM ledger.writer WHERE open`)
    record.breaches.push(`${id} is open after its end`);
  for (const { rule, subject, detail } of await sql`SELECT * FROM ledger.verify()`)
    record.breaches.push(`${rule}: ${subject}: ${detail}`);
  return { ...(await compare(run)), keysAsked };
}

/** Waits until every writer is open and alive again and has no unsent work. */
async function rest({ sql, gateways, record }: Run): Promise<void> {
  for (const end = performance.now() + settleMs; ; ) {
    const [row] =
      await sql`SELECT count(*) AS writers FROM ledger.writer WHERE open AND heartbeat_at > clock_timestamp() - interval '2 seconds'`;
    if (row?.writers === gateways.length) return;
    if (performance.now() > end)
      return void record.breaches.push(`${row?.writers} writers live after all faults`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Checks that a retry with a key returns its first response at every process, without another call to the upstream. */
async function askAgain({ gateways, accounts, record, upstream }: Run): Promise<number> {
  const kept = record.kept().slice(-keysAskedMax);
  const arrivalsBefore = sum(upstream.arrivals.values());
  for (const { key, call, account, asked } of kept) {
    for (const gateway of gateways) {
      const attempt = await ask(gateway, accounts[account]?.open ?? '', asked, key);
      const { kind } = attempt;
      const given = kind === 'whole' ? (attempt.headers['storefront-call'] ?? attempt.body.toString()) : kind;
      if (given !== call) record.breaches.push(`${key} is not given again by ${gateway.name}: ${given}`);
      record.take(account, asked, key, attempt);
    }
  }
  const more = sum(upstream.arrivals.values()) - arrivalsBefore;
  if (more > 0) record.breaches.push(`the upstream was called ${more} times for what is kept`);
  return kept.length;
}

/** Checks that some accounts can spend their balance to the last unit, so no hold is left. */
async function spendRest({ gateways, accounts, record, sql }: Run): Promise<void> {
  const path = '/v1/list' as const;
  for (const [at, { id, open }] of accounts.slice(0, spendersMax).entries()) {
    const callsMax = Math.ceil((await left(sql, id)) / (unitsACall * unitMicroUsd)) + furtherCallsMax;
    for (let spent = 0, max = unitsACall, inFlight = 0; ; spent++) {
      const asked: Asked = { id: `rest ${at} ${spent}`, path, max, act: 'right', count: max, bytes: 0 };
      const gateway = gateways[spent % gateways.length] as Gateway;
      const attempt = await ask(gateway, open, asked, null);
      record.take(at, asked, null, attempt);
      inFlight = attempt.kind === 'whole' && attempt.status === 429 ? inFlight + 1 : 0;
      if (attempt.kind !== 'whole' || spent === callsMax || inFlight === inFlightMax) {
        record.breaches.push(`${id} cannot spend what it has`);
        break;
      }
      if (attempt.status !== 402) continue;
      max = Math.min(unitsACall, JSON.parse(attempt.body.toString()).affordable_units);
      if (max === 0) break;
    }
    const unspent = await left(sql, id);
    if (unspent >= unitMicroUsd) record.breaches.push(`${id} has ${unspent} left that it cannot spend`);
  }
}

/** Returns the credit of an account in micro-dollars. */
async function left(sql: Run['sql'], id: string): Promise<number> {
  const [row] =
    await sql`SELECT coalesce(sum(remaining), 0)::bigint AS left FROM ledger.statement(${id}) WHERE asset = 'usd'`;
  return Number(row?.left);
}

/** Compares each call as its caller saw it with the same call in the ledger. */
async function compare({ sql, accounts, record, upstream }: Run): Promise<Omit<LedgerStore, 'keysAsked'>> {
  const books = {
    charged: 0,
    givenBack: 0,
    lostToSeller: 0,
    keptForLater: 0,
    leftStreams: 0,
    leftStreamsCharged: 0,
    jobs: 0,
  };
  const untold = new Map<string, number>();
  const known = new Set<string>();
  const { streams } = record.streamed;
  const jobs = await JobRecord.JobRecord.read(sql);
  const streamed = new Map<string, StreamRecord.Booked>();
  const rows = sql<Row[]>`
    SELECT u.call_id, min(u.account_id) AS account_id, sum(u.units)::integer AS units,
        coalesce(sum(u.amount) FILTER (WHERE k.asset = 'usd'), 0)::bigint AS money,
        sum(u.amount - coalesce(p.amount, 0))::bigint AS net, bool_or(a.call_id IS NOT NULL) AS is_kept
      FROM ledger.usage u
        LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
        LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw
        LEFT JOIN ledger.stored_response a ON a.call_id = u.call_id AND a.body IS NOT NULL
      WHERE u.plan_id IS DISTINCT FROM '#budget' GROUP BY u.call_id`;
  for await (const page of rows.cursor(pageRows)) {
    for (const { call_id, account_id, units, money, net, is_kept } of page) {
      const call = `call_${call_id}`;
      const told = record.told.get(call);
      if (jobs.take(call, { account: account_id, units, money, net, isKept: is_kept })) {
        if (told) known.add(call);
        continue;
      }
      if (net > 0) books.charged += 1;
      else if (units > 0) books.givenBack += 1;
      const stream = streams.get(call);
      if (stream) {
        streamed.set(call, { accountId: account_id, units, money, net });
        if (stream.ended && units > 0 && net === 0) books.lostToSeller += 1;
      } else if (told) {
        known.add(call);
        if (told.units !== units || told.costMicroUsd !== money)
          record.breaches.push(
            `${call}: told ${told.units} for ${told.costMicroUsd}, booked ${units} for ${money}`,
          );
        if (accounts[told.account]?.id !== account_id)
          record.breaches.push(`${call} is charged to ${account_id}`);
        if (units > 0 && net === 0) books.lostToSeller += 1;
      } else if (net > 0 && is_kept) books.keptForLater += 1;
      else if (net > 0) untold.set(account_id, (untold.get(account_id) ?? 0) + 1);
    }
  }
  const compared = jobs.compare(record.told, upstream.jobs);
  record.breaches.push(...compared.breaches);
  books.jobs = compared.ended;
  books.lostToSeller += compared.lost;
  for (const account of compared.untold) untold.set(account, (untold.get(account) ?? 0) + 1);
  const { breaches, left: leftStreams } = StreamRecord.compare(streams, streamed, (at) => accounts[at]?.id);
  record.breaches.push(...record.streamed.breaches, ...breaches);
  books.leftStreams = leftStreams.counted;
  books.leftStreamsCharged = leftStreams.charged;
  for (const [call, { units }] of record.told)
    if (units > 0 && !known.has(call)) record.breaches.push(`${call} was answered and is not on the books`);
  for (const [account, count] of untold) {
    const left = record.left.get(accounts.findIndex(({ id }) => id === account)) ?? 0;
    if (count > left)
      record.breaches.push(`${account} paid for ${count} calls that it never had, and left ${left}`);
  }
  const charged = Map.groupBy(
    [...record.told].filter(([, { key, units }]) => key !== null && units > 0),
    ([, { key }]) => key,
  );
  for (const [key, calls] of charged) {
    const net = await netOf(sql, calls.length > 1 ? calls.map(([call]) => call.slice('call_'.length)) : []);
    if (net > 1) record.breaches.push(`${key} is charged ${net} times`);
  }
  return books;
}

/** Returns how many of these calls stayed charged. */
async function netOf(sql: postgres.Sql, calls: string[]): Promise<number> {
  if (calls.length === 0) return 0;
  const rows =
    await sql`SELECT u.call_id FROM ledger.usage u LEFT JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.call_id = ANY (string_to_array(${calls.join()}, ',')::uuid[]) GROUP BY 1 HAVING sum(u.amount - coalesce(p.amount, 0)) > 0`;
  return rows.length;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
