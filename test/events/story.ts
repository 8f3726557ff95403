import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import * as EventExport from '../../src/adapters/postgres/event-export.ts';
import { openSellerEvents } from '../../src/adapters/postgres/events.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { newSecret } from '../../src/payment/event-endpoint.ts';
import { createDatabase } from '../support/database.ts';
import { openReceiver, type Reply } from './receiver.ts';
import { secrets } from './secrets.ts';

const dollar = 1_000_000;
const drainMsMax = 100_000;

/** A deliberate fault of the outbox or of its readers. */
type Flaw = 'written after the commit' | 'cursor by sequence';

/** Processes that deliver. `areKilled` is true while more of them will be killed. */
type Deliverers = { areKilled(): boolean; stop(): Promise<void> };

export type Story = {
  /** The server's superuser. */
  admin: string;
  seed: number;
  accounts: number;
  /** Orders per account; more while processes are killed. */
  orders: number;
  flaw?: Flaw;
  /** Statements that change the database before the story. */
  prepare?: string;
  /** Starts the deliverers of a database. They may be killed at each receipt, before the receiver answers. */
  deliver(
    url: string,
    story: { onReceipt(listener: () => void): void; random: () => number },
  ): Promise<Deliverers>;
};

/** Faults by kind. Each list is empty when the outbox keeps its promises. */
type Verdict = {
  lost: string[];
  invented: string[];
  outOfOrder: string[];
  unverified: string[];
  missed: string[];
  doubled: string[];
  received: number;
};

/** Repeatable pseudo-random numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Sells, refunds and rolls back concurrently, on accounts whose order of events is known, while a receiver fails at random and the events are delivered
 * and exported. Compares what was received and exported with what happened.
 */
export async function tell(story: Story): Promise<Verdict> {
  const random = randomOf(story.seed);
  const database = await createDatabase(story.admin);
  await migrate(database.url);
  const sql = openPool(database.url, story.accounts + 2);
  const secret = newSecret();
  const listeners: (() => void)[] = [];
  const receiver = await openReceiver(
    () => [secret],
    (): Reply => {
      for (const listener of listeners) listener();
      const dice = random();
      return dice < 0.15 ? 500 : dice < 0.25 ? 'cut' : dice < 0.35 ? 'cut after' : dice < 0.37 ? 'hang' : 200;
    },
  );
  await openSellerEvents(sql, secrets).add({ id: 'ep_1', url: receiver.url, types: null, secret }, 'test');
  if (story.flaw === 'written after the commit')
    await sql`ALTER TABLE shop.purchase DISABLE TRIGGER purchase_granted_event`;
  if (story.prepare) await sql.unsafe(story.prepare);
  const deliverers = await story.deliver(database.url, {
    onReceipt: (listener) => listeners.push(listener),
    random,
  });
  const happened = new Map<string, string[]>();
  let isSelling = true;
  const exported = exportAll(database.url, story.flaw, () => isSelling);
  await Promise.all(
    Array.from({ length: story.accounts }, (_, at) =>
      sell(sql, `acc_${at}`, story, random, happened, deliverers.areKilled),
    ),
  );
  const subjects = () =>
    receiver.received.map(({ type, account, body }) => ({ account, what: `${type} ${subjectOf(body)}` }));
  const all = [...happened.values()].flat();
  for (const end = Date.now() + drainMsMax; Date.now() < end; await sleep(50)) {
    const left = await until(
      () => sql`SELECT FROM shop.event_lane UNION ALL SELECT FROM shop.event WHERE position IS NULL`,
    );
    if (left.length === 0) break;
  }
  await deliverers.stop();
  isSelling = false;
  const ids = await exported;
  const stored = await until(() => sql<{ id: string }[]>`SELECT id FROM shop.event ORDER BY position`);
  await sql.end({ timeout: 1 });
  await receiver.close();
  await database.drop();
  const found = subjects();
  const firsts = (account: string) => [
    ...new Set(found.filter((one) => one.account === account).map(({ what }) => what)),
  ];
  const known = new Set(all);
  const got = new Set(found.map(({ what }) => what));
  return {
    lost: all.filter((what) => !got.has(what)),
    invented: [...got].filter((what) => !known.has(what)),
    outOfOrder: [...happened].flatMap(([account, list]) => {
      const received = firsts(account);
      const kept = list.filter((what) => got.has(what));
      return received.join() === kept.join() ? [] : [`${account}: ${received.join(', ')}`];
    }),
    unverified: receiver.faults,
    missed: stored.map(({ id }) => id).filter((id) => !ids.includes(id)),
    doubled: ids.filter((id, at) => ids.indexOf(id) !== at),
    received: receiver.received.length,
  };
}

function subjectOf(body: Record<string, unknown>): unknown {
  const data = body.data as Record<string, unknown>;
  return data.refund ?? data.order ?? body.account;
}

type Sql = ReturnType<typeof openPool>;

/** One account's life: each step follows the confirmation of the former one. */
async function sell(
  sql: Sql,
  account: string,
  story: Story,
  random: () => number,
  happened: Map<string, string[]>,
  goesOn: () => boolean,
): Promise<void> {
  const list: string[] = [];
  happened.set(account, list);
  await until(
    () => sql`INSERT INTO shop.account (id, origin) VALUES (${account}, 'anonymous') ON CONFLICT DO NOTHING`,
  );
  list.push(`account.registered ${account}`);
  for (let n = 0; n < story.orders || goesOn(); n += 1) {
    const order = `pur_${account}_${n}`;
    const [isSlow, isUndone, isRefunded] = [random() < 0.3, random() < 0.2, random() < 0.4];
    for (const id of [order, `${order}_undone`])
      await until(
        () => sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at)
        VALUES (${id}, ${account}, 'credit', ${5 * dollar}, clock_timestamp() + interval '1 day') ON CONFLICT DO NOTHING`,
      );
    // Several statements in one text are one transaction.
    const grant = (id: string) =>
      `SELECT shop.grant_purchase('${id}', 'pi_${id}', 'acc_none'); SET CONSTRAINTS ALL IMMEDIATE;`;
    if (isUndone) await sql.unsafe(`${grant(`${order}_undone`)} SELECT 1 / 0`).catch(() => undefined);
    await until(() => sql.unsafe(`${grant(order)} SELECT pg_sleep(${isSlow ? 0.15 : 0})`));
    if (story.flaw === 'written after the commit' && random() < 0.8)
      // The process is killed here in the other cases.
      await sql`SELECT shop.add_event('order.granted', ${account}, ${order}, ${sql.json({ order })})`;
    list.push(`order.granted ${order}`);
    if (!isRefunded) continue;
    const refund = [
      { id: `re_${order}`, kind: 'refund', amount: dollar, tax: 0, status: 'succeeded', is_effective: true },
    ];
    await until(() => sql`SELECT shop.apply_reversals(${order}, 1, ${sql.json(refund)})`);
    list.push(`order.refunded re_${order}`);
  }
}

/** Repeats a statement until it is confirmed: the server restarts meanwhile. */
async function until<T>(statement: () => PromiseLike<T>): Promise<T> {
  for (const end = Date.now() + drainMsMax; ; ) {
    try {
      return await statement();
    } catch (fault) {
      if (Date.now() > end) throw fault;
      await sleep(50);
    }
  }
}

/** Exports again and again, each time after the cursor of the last time. Returns the ids. */
async function exportAll(url: string, flaw: Flaw | undefined, goesOn: () => boolean): Promise<string[]> {
  const sql = openPool(url, 1);
  const ids: string[] = [];
  let since: EventExport.Since = { ms: 0 };
  let seq = 0;
  const once = async () => {
    if (flaw === 'cursor by sequence') {
      const rows = await sql<
        { id: string; seq: number }[]
      >`SELECT id, seq FROM shop.event WHERE seq > ${seq} ORDER BY seq`;
      seq = rows.at(-1)?.seq ?? seq;
      ids.push(...rows.map(({ id }) => id));
      return;
    }
    const found = await EventExport.readEvents(sql, 'events', since);
    const page: string[] = [];
    for await (const rows of found?.pages ?? []) page.push(...rows.map(({ event }) => String(event)));
    ids.push(...page);
    if (found?.cursor) since = { event: found.cursor };
  };
  while (goesOn()) {
    await once().catch(() => undefined);
    await sleep(20);
  }
  await until(once);
  await sql.end({ timeout: 1 });
  return ids;
}

/**
 * Opens a pool that survives a restart of the server. The driver reads the types of arrays on each new connection, and a fault of that is an
 * unhandled rejection, so this pool reads none.
 */
export function openPool(url: string, max: number): postgres.Sql {
  const types = { int8: { to: 20, from: [20], serialize: String, parse: Number } };
  const connection = { TimeZone: 'UTC', statement_timeout: 2_000 };
  return postgres(url, {
    max,
    fetch_types: false,
    onnotice: () => {},
    connection,
    types,
  }) as unknown as postgres.Sql;
}
