import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Orders from '../../src/adapters/postgres/orders.ts';
import { openSubscriptions } from '../../src/adapters/postgres/subscriptions.ts';
import * as TopUps from '../../src/adapters/postgres/top-ups.ts';
import type { CreditPlan } from '../../src/catalog/plan.ts';
import * as Checkout from '../../src/journeys/checkout.ts';
import * as Comparison from '../../src/journeys/comparison.ts';
import * as Notice from '../../src/journeys/payment-notice.ts';
import * as Purchase from '../../src/journeys/purchase.ts';
import * as Reconciliation from '../../src/journeys/reconciliation.ts';
import type { Counter } from '../../src/journeys/settlement.ts';
import type { TopUpTill } from '../../src/journeys/top-up.ts';
import { id } from '../../src/kernel/id.ts';
import * as Money from '../../src/kernel/money.ts';
import type { Order } from '../../src/payment/order.ts';
import { createDatabase } from '../support/database.ts';
import { FakeProcessor } from './fake-processor.ts';

const plan: CreditPlan = {
  id: 'credit',
  kind: 'credit',
  name: 'Credit',
  description: '',
  covers: '*',
  requestsPerSecond: 10,
  min: Money.ofCents(50),
  max: Money.ofCents(100_000),
};
const body = Buffer.from('{}');

/** The stories of buying on a real database, with a processor and a clock of the test's own. */
export type World = {
  /** A fresh offer in a shop of two processes, and a processor that knows nothing else. */
  sale(account: string | null): Promise<Sale>;
  sql: Connection.Connection;
  close(): Promise<void>;
};

/** One order, and all that can happen to it. `at`: the process that it happens in, 0 or 1. */
export type Sale = {
  processor: FakeProcessor;
  read(): Promise<Order>;
  /** Null where the process was killed before it could answer. */
  submit(at: number, token: string): Promise<Purchase.PurchaseAnswer | null>;
  openPage(at: number): Promise<unknown>;
  payPage(): Promise<void>;
  comeBack(at: number): Promise<unknown>;
  notice(at: number, which: number): Promise<unknown>;
  reconcile(at: number): Promise<unknown>;
  /** The books of this order beside the processor's. */
  compare(repair: boolean): Promise<Comparison.Comparison>;
  /** The process is killed and started again. */
  restart(at: number): Promise<void>;
  /** From now on it is so much later. */
  pass(ms: number): void;
  /** What the order's lots were given, in micro-dollars. */
  credit(): Promise<number>;
  /** What is left of them, what is owed of that, and what the processor's side of the books says came in, less what went back. */
  books(): Promise<{ remaining: number; owed: number; processor: number }>;
};

export async function open(): Promise<World> {
  const database = await createDatabase();
  await migrate(database.url);
  const sql = Connection.open(database.url, 8);
  return {
    sale: (account) => openSale(sql, account),
    sql,
    async close() {
      await sql.end();
      await database.drop();
    },
  };
}

/** What a process of the shop has that sells and tops up. */
export type Stall = Counter & TopUpTill;

/** A process that can be killed: from then on nothing that it began goes on. */
export type Process = {
  till: Stall;
  killed: PromiseWithResolvers<null>;
  /** Resolves when nothing that it asked of the database is on its way any more. */
  kill(): Promise<void>;
};

async function openSale(sql: Connection.Connection, account: string | null): Promise<Sale> {
  const processor = new FakeProcessor();
  const lanes = [id('lane'), id('lane')];
  let laterMs = 0;
  const start = (lane: string) => startProcess(till(sql, lane, processor, () => Date.now() + laterMs));
  const processes = lanes.map(start);
  const at = (process: number) => (processes[process] ?? start('nobody')).till;

  const restarted: Promise<unknown>[] = [];
  /** Dead at once. The lane opens anew when nothing of any process before is on its way to the database any more. */
  function restart(process: number): Promise<void> {
    const lane = lanes[process] ?? '';
    const dead = processes[process]?.kill();
    processes[process] = start(lane);
    const opened = Promise.all([restarted[process], dead]).then(async () => {
      await sql`SELECT ledger.open_lane(${lane})`;
    });
    restarted[process] = opened;
    return opened;
  }
  processor.kill = (lane) => void restart(lanes.indexOf(lane));
  await Promise.all([restart(0), restart(1)]);

  const request = {
    plan,
    amount: plan.min,
    replaces: null,
    returnUrl: null,
    account,
    body,
    address: id('address'),
  };
  const offered = await Purchase.run(at(0), { ...request, credential: { kind: 'none' } });
  if (offered.kind !== 'payment_required') throw new Error(`no offer: ${offered.kind}`);
  const { challenge, order } = offered;
  const orders = Orders.open(sql, 'witness');
  async function read(): Promise<Order> {
    const found = await orders.find(order.id);
    if (!found) throw new Error(`no order ${order.id}`);
    return found;
  }
  /** Lets a process do something, for as long as it lives. */
  const doing = <T>(process: number, work: (shop: Counter) => Promise<T>): Promise<T | null> =>
    Promise.race([work(at(process)), processes[process]?.killed.promise ?? null]);
  return {
    processor,
    read,
    restart,
    submit: (process, token) =>
      doing(process, (shop) => {
        const credential = { kind: 'credential' as const, challenge, payload: { spt: token } };
        return Purchase.run(shop, { ...request, credential });
      }),
    openPage: (process) => doing(process, (shop) => Checkout.open(shop, order.id)),
    payPage: async () => processor.payPage(await read()),
    comeBack: (process) => doing(process, (shop) => Checkout.comeBack(shop, order.id, `cs_${order.id}`)),
    async notice(process, which) {
      const notices = processor.notices();
      const chosen = notices[which % Math.max(1, notices.length)];
      if (chosen) await doing(process, (shop) => Notice.receive(shop, chosen, ''));
    },
    reconcile: (process) => doing(process, (shop) => Reconciliation.run(only(order.id, shop))),
    compare: (repair) => Comparison.run(only(order.id, at(0)), 0, repair),
    pass: (ms) => {
      laterMs += ms;
    },
    async credit() {
      const [row] = await sql<[{ credit: number }]>`SELECT coalesce(sum(amount), 0)::bigint AS credit
        FROM ledger.posting WHERE key = ${`purchase:${order.id}`} OR key LIKE ${`purchase:${order.id}:%`}`;
      return row.credit;
    },
    async books() {
      const [row] = await sql<[{ remaining: number; owed: number; processor: number }]>`
        SELECT sum(k.avail)::bigint AS remaining, sum(k.owed)::bigint AS owed, (SELECT sum(p.amount) FROM ledger.posting p
            WHERE p.contra = 'processor' AND p.account_id = o.account_id)::bigint AS processor
          FROM shop.purchase o JOIN ledger.bucket k ON k.account_id = o.account_id WHERE o.id = ${order.id} GROUP BY o.account_id`;
      return { ...row };
    },
  };
}

export function startProcess(shop: Stall): Process {
  const killed = Promise.withResolvers<null>();
  let isDead = false;
  const asked = new Set<unknown>();
  const never = new Promise<never>(() => {});
  const mortal = <T extends object>(whole: T, isDatabase: boolean): T =>
    new Proxy(whole, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (
          typeof member !== 'function' ||
          ['readNotice', 'payments', 'invoices', 'grantedSince'].includes(String(name))
        )
          return member;
        return async (...given: unknown[]) => {
          if (isDead) return never;
          const asking = member.apply(target, given);
          if (isDatabase) asked.add(asking);
          const result: unknown = await asking;
          asked.delete(asking);
          return isDead ? never : result;
        };
      },
    });
  return {
    till: {
      ...shop,
      orders: mortal(shop.orders, true),
      topUps: mortal(shop.topUps, true),
      notices: mortal(shop.notices, true),
      processor: mortal(shop.processor, false),
    },
    killed,
    async kill() {
      isDead = true;
      killed.resolve(null);
      await Promise.allSettled(asked);
    },
  };
}

/** The shop with no other open order than this one: other sales run beside it, at processors of their own. */
function only(order: string, shop: Counter): Counter {
  const mine = (all: readonly Order[]) => all.filter(({ id }) => id === order);
  const orders: Counter['orders'] = {
    ...shop.orders,
    inDoubt: async () => mine(await shop.orders.inDoubt()),
    closedPages: async (nowMs) => mine(await shop.orders.closedPages(nowMs)),
    async *grantedSince() {
      const found = await shop.orders.find(order);
      if (found?.state === 'granted') yield found;
    },
  };
  return { ...shop, orders };
}

export function till(
  sql: Connection.Connection,
  lane: string,
  processor: FakeProcessor,
  clock: () => number,
): Stall {
  return {
    publicUrl: 'https://shop.test',
    catalog: {
      storefront: { name: 'Shop', description: '', contact: '' },
      upstream: { description: '', key: { header: 'x-api-key', value: '{key}' }, timeoutMs: 1_000 },
      services: [],
      operations: [],
      plans: [plan],
      retired: [],
      openings: new Map(),
    },
    clock,
    orders: Orders.open(sql, lane),
    subscriptions: openSubscriptions(sql),
    topUps: TopUps.open(sql, lane),
    notices: Orders.openNotices(sql),
    processor: processor.seenFrom(lane),
    challengeSecrets: { current: 'a secret of the test, of more than 32 bytes' },
    networkId: 'profile_1',
    coin: null,
    report: (event, detail) => {
      if (event === 'not_reconciled') throw new Error(`${event} ${JSON.stringify(detail)}`);
    },
    lane: { touch: () => {} },
  };
}
