import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Orders from '../../src/adapters/postgres/orders.ts';
import type { CreditPlan } from '../../src/catalog/plan.ts';
import * as Checkout from '../../src/journeys/checkout.ts';
import * as Notice from '../../src/journeys/payment-notice.ts';
import * as Purchase from '../../src/journeys/purchase.ts';
import * as Reconciliation from '../../src/journeys/reconciliation.ts';
import type { Till } from '../../src/journeys/settlement.ts';
import { id } from '../../src/kernel/id.ts';
import * as Money from '../../src/kernel/money.ts';
import type { Order } from '../../src/payment/order.ts';
import type { Payment, Processor } from '../../src/payment/processor.ts';
import { createDatabase } from '../support/database.ts';

/** What becomes of a charge at the processor, and of its answer; `killed`: whoever asked for it is gone by then. */
export const fates = [
  'taken',
  'declined',
  'taken, answer lost',
  'declined, answer lost',
  'taken, asker killed',
  'never arrives',
  'never arrives, asker killed',
] as const;
export type Fate = (typeof fates)[number];

/** A processor in memory, in which every payment is known. */
class FakeProcessor {
  fate: Fate = 'taken';
  /** A charge waits for this before it arrives. */
  gate: Promise<void> = Promise.resolve();
  /** Whether the time of all hosted pages is over. */
  isClosed = false;
  /** Told when a charge's fate is that its asker is killed. */
  kill: (lane: string) => void = () => {};
  readonly #payments = new Map<string, Payment>();
  readonly #sessions = new Map<string, { order: string; payment: string | null }>();
  readonly #keys = new Map<string, Payment>();
  #made = 0;

  /** The processor as the process of `lane` reaches it. */
  seenFrom(lane: string): Processor {
    return {
      charge: (order, challengeId) => this.charge(order, challengeId, lane),
      chargesOf: (order) => this.chargesOf(order),
      readPayment: (payment) => this.readPayment(payment),
      openCheckout: (order) => this.openCheckout(order),
      readCheckout: (session) => this.readCheckout(session),
      readNotice: (text) => this.readNotice(text),
    };
  }

  /** What was taken, in all. */
  get taken(): Payment[] {
    return [...this.#payments.values()].filter(({ state }) => state === 'succeeded');
  }

  async charge(order: Order, challengeId: string, lane: string): ReturnType<Processor['charge']> {
    const { fate } = this;
    await this.gate;
    await breath();
    if (!fate.startsWith('never')) {
      const known = this.#keys.get(challengeId);
      this.#keys.set(challengeId, known ?? this.#pay(order, fate.startsWith('taken'), challengeId));
      await breath();
    }
    if (fate.endsWith('killed')) {
      this.kill(lane);
      return new Promise(() => {});
    }
    const payment = this.#keys.get(challengeId);
    if (!payment || fate.startsWith('never') || fate.endsWith('lost')) return { kind: 'unknown' };
    return payment.state === 'succeeded'
      ? { kind: 'succeeded', payment }
      : { kind: 'declined', reason: 'No.', detail: null };
  }

  async chargesOf({ id: order }: Order): Promise<Payment[]> {
    await breath();
    return [...this.#payments.values()].filter((one) => one.order === order && one.challengeId !== null);
  }

  async readPayment(payment: string): Promise<Payment> {
    await breath();
    const found = this.#payments.get(payment);
    if (!found) throw new Error(`no payment ${payment}`);
    return found;
  }

  async openCheckout({ id: order }: Order) {
    await breath();
    const session = `cs_${order}`;
    if (!this.#sessions.has(session)) this.#sessions.set(session, { order, payment: null });
    return this.readCheckout(session);
  }

  async readCheckout(session: string) {
    await breath();
    const { order, payment } = this.#sessions.get(session) ?? { order: null, payment: null };
    return {
      session,
      order,
      url: payment === null && !this.isClosed ? `https://pay.test/${session}` : null,
      payment: payment === null ? null : (this.#payments.get(payment) ?? null),
    };
  }

  /** A person pays the open page of an order, if there is one. */
  payPage(order: Order): void {
    const session = this.#sessions.get(`cs_${order.id}`);
    if (session?.payment === null && !this.isClosed) session.payment = this.#pay(order, true, null).id;
  }

  /** The notices that it has to give: one for each success, and one for each paid page. */
  notices(): string[] {
    const payments = this.taken.map((payment) => `payment ${payment.id}`);
    const pages = [...this.#sessions]
      .filter(([, { payment }]) => payment)
      .map(([name]) => `checkout ${name}`);
    return [...payments, ...pages];
  }

  readNotice(body: string): ReturnType<Processor['readNotice']> {
    const [kind, object] = body.split(' ');
    if ((kind !== 'payment' && kind !== 'checkout') || object === undefined) return null;
    return { id: `evt_${object}`, type: kind, object: { kind, id: object } };
  }

  #pay(order: Order, succeeds: boolean, challengeId: string | null): Payment {
    this.#made += 1;
    const payment: Payment = {
      id: `pi_${order.id}_${this.#made}`,
      order: order.id,
      challengeId,
      state: succeeds ? 'succeeded' : 'failed',
      received: succeeds ? order.amount : Money.zero,
      failure: succeeds ? null : 'No.',
    };
    this.#payments.set(payment.id, payment);
    return payment;
  }
}

/** Lets everything else that can go on go on. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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
  /** The process is killed and started again. */
  restart(at: number): Promise<void>;
  /** From now on it is so much later. */
  pass(ms: number): void;
  /** What the order's lots were given, in micro-dollars. */
  credit(): Promise<number>;
};

export async function open(): Promise<World> {
  const database = await createDatabase();
  await migrate(database.url);
  const sql = Connection.open(database.url, 8);
  return {
    sale: (account) => openSale(sql, account),
    async close() {
      await sql.end();
      await database.drop();
    },
  };
}

/** A process that can be killed: from then on nothing that it began goes on. */
type Process = {
  till: Till;
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

  async function restart(process: number): Promise<void> {
    const lane = lanes[process] ?? '';
    const old = processes[process];
    processes[process] = start(lane);
    await old?.kill();
    await sql`SELECT ledger.open_lane(${lane})`;
  }
  processor.kill = (lane) => void restart(lanes.indexOf(lane));
  await Promise.all([restart(0), restart(1)]);

  const request = { plan, amount: plan.min, returnUrl: null, account, body, address: id('address') };
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
  const doing = <T>(process: number, work: (shop: Till) => Promise<T>): Promise<T | null> =>
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
    pass: (ms) => {
      laterMs += ms;
    },
    async credit() {
      const [row] = await sql<[{ credit: number }]>`SELECT coalesce(sum(amount), 0)::bigint AS credit
        FROM ledger.posting WHERE key = ${`purchase:${order.id}`} OR key LIKE ${`purchase:${order.id}:%`}`;
      return row.credit;
    },
  };
}

function startProcess(shop: Till): Process {
  const killed = Promise.withResolvers<null>();
  let isDead = false;
  const asked = new Set<unknown>();
  const never = new Promise<never>(() => {});
  const mortal = <T extends object>(whole: T, isDatabase: boolean): T =>
    new Proxy(whole, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || name === 'readNotice') return member;
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
function only(order: string, shop: Till): Till {
  const mine = (all: readonly Order[]) => all.filter(({ id }) => id === order);
  const orders: Till['orders'] = {
    ...shop.orders,
    inDoubt: async () => mine(await shop.orders.inDoubt()),
    closedPages: async (nowMs) => mine(await shop.orders.closedPages(nowMs)),
  };
  return { ...shop, orders };
}

function till(sql: Connection.Connection, lane: string, processor: FakeProcessor, clock: () => number): Till {
  return {
    publicUrl: 'https://shop.test',
    catalog: {
      storefront: { name: 'Shop', description: '', contact: '' },
      upstream: { description: '', key: { header: 'x-api-key', value: '{key}' }, timeoutMs: 1_000 },
      services: [],
      operations: [],
      plans: [plan],
    },
    clock,
    orders: Orders.open(sql, lane),
    notices: Orders.openNotices(sql),
    processor: processor.seenFrom(lane),
    challengeSecrets: { current: 'a secret of the test, of more than 32 bytes' },
    networkId: 'profile_1',
    report: (event, detail) => {
      if (event === 'not_reconciled') throw new Error(`${event} ${JSON.stringify(detail)}`);
    },
    lane: { touch: () => {} },
  };
}
