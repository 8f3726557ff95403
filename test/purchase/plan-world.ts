import { id, uuidv7 } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { type CreditPlan, findForSale, type Plan, type SubscriptionPlan } from '../../src/catalog/plan.ts';
import * as Checkout from '../../src/journeys/checkout.ts';
import * as Purchase from '../../src/journeys/purchase.ts';
import * as ResolveInDoubt from '../../src/journeys/resolve-in-doubt.ts';
import * as RestoreOrders from '../../src/journeys/restore-orders.ts';
import * as StripeWebhook from '../../src/journeys/stripe-webhook.ts';
import type { Order, Orders } from '../../src/payment/order.ts';
import { type OpenWriter, openWriter } from '../ledger/open-writer.ts';
import { createMigrated } from '../support/database.ts';
import type { Account, Holdings } from '../support/value-judge.ts';
import { FakeProcessor } from './fake-processor.ts';
import { paymentContext, unfrozen } from './world.ts';

const tickEveryMs = 10;
const restLooksMax = 200;
const slowPaymentMs = 4 * 24 * 60 * 60_000;
const shared = { name: '', description: '', covers: '*' as const, requestsPerSecond: 10 };
const period = {
  ...shared,
  kind: 'subscription' as const,
  every: 'month' as const,
  rollover: false,
  graceDays: 0,
};
const usd = (cents: number) => Money.ofCents(cents);
const units = (amount: number) => ({ asset: 'unit' as const, amount });

/** Three tiers with different prices per unit, and credit. */
export const mini: SubscriptionPlan = { ...period, id: 'mini', price: usd(500), included: units(40) };
export const small: SubscriptionPlan = { ...period, id: 'small', price: usd(1_000), included: units(100) };
export const large: SubscriptionPlan = { ...period, id: 'large', price: usd(4_000), included: units(1_000) };
/** Includes dollars of usage instead of units. */
export const usage: SubscriptionPlan = {
  ...period,
  id: 'usage',
  price: usd(2_000),
  included: { asset: 'usd', amount: 500_000 },
};
export const credit: CreditPlan = {
  ...shared,
  id: 'credit',
  kind: 'credit',
  min: usd(50),
  max: usd(100_000),
};
export const plans: readonly Plan[] = [mini, small, usage, large, credit];
const creditUnitPrice = Money.ofMicro(1_000);
/** The price of the most expensive unit of all plans, in micro-dollars. */
export const dearestUnit = 125_000;

/** A shop of two processes with its own database, and a processor for each buyer. */
export type World = {
  sql: Connection.Connection;
  buyer(): Promise<Buyer>;
  close(): Promise<void>;
};

export type Offer = {
  order: string;
  amount: Money.Money /** `now`: the plan as the catalogue has it at that time. */;
  pay(at: number, token: string, now?: SubscriptionPlan): Promise<string>;
};

/** One account and everything that it can do. `at`: the process that does it, 0 or 1. */
export type Buyer = {
  account: string;
  processor: FakeProcessor;
  /** Returns null when the shop makes no offer. */
  offer(plan: string, replaces?: string | null): Promise<Offer | null>;
  /** Opens the order's page. Returns the message to the visitor. */
  openPage(at: number, order: string): Promise<string>;
  payPage(order: string, slowly?: boolean): Promise<boolean>;
  /** Buys a plan by a credential and returns its order. Throws when it cannot be bought. */
  buy(plan: string, replaces?: string): Promise<string>;
  find(order: string): Promise<Order | null>;
  /** Uses units until they run out, at most this many. */
  use(at: number, units: number): Promise<void>;
  notices(at: number): Promise<void>;
  reconcile(at: number): Promise<void>;
  /** Restores orders that are missing from the database, from their payments. */
  enterAgain(): Promise<void>;
  /** Moves the clocks of the shop's processes forward. */
  pass(ms: number): void;
  left(): Promise<Record<string, number>>;
  holdings(): Promise<Holdings>;
  /** Returns the account's state for the judge, once all events were received and all work is done. */
  rest(): Promise<Account>;
};

/**
 * @param meddle may wrap the orders of the shop
 * @param flaws statements for the database (test/support/sql-flaw.ts)
 */
export async function open(
  meddle: (orders: Orders) => Orders = (orders) => orders,
  flaws: readonly string[] = [],
): Promise<World> {
  const database = await createMigrated();
  const sql = Connection.openConnection(database.url, 8);
  for (const flaw of flaws) await sql.unsafe(flaw);
  const writers = await Promise.all(['a', 'b'].map((name) => openWriter(database.url, name, Date.now)));
  const ticking = setInterval(() => {
    for (const { writer } of writers) writer.tick();
  }, tickEveryMs);
  return {
    sql,
    buyer: () => openBuyer(sql, writers, meddle),
    async close() {
      clearInterval(ticking);
      for (const { end } of writers) await end();
      await sql.end({ timeout: 1 });
      await database.drop();
    },
  };
}

async function openBuyer(
  sql: Connection.Connection,
  writers: readonly OpenWriter[],
  meddle: (orders: Orders) => Orders,
): Promise<Buyer> {
  const account = id('acc');
  await sql`SELECT shop.register(${account}, 'trial', 0)`;
  const processor = new FakeProcessor();
  let laterMs = 0;
  const mine = new Set<string>();
  const only = (all: readonly Order[]) => all.filter((order) => mine.has(order.id));
  const shops = writers.map(({ name }) => {
    const shop = paymentContext(sql, name, processor, () => Date.now() + laterMs, plans);
    const orders = meddle(shop.orders);
    return {
      ...shop,
      orders: {
        ...orders,
        inDoubt: async () => only(await orders.inDoubt()),
        closedPages: async (nowMs: number) => only(await orders.closedPages(nowMs)),
      },
    };
  });
  const shopAt = (at: number) => shops[at] ?? must(shops[0]);

  async function offer(planId: string, replaces: string | null = null): Promise<Offer | null> {
    const plan = must(findForSale(plans, planId));
    const request = {
      plan,
      amount: plan.kind === 'credit' ? plan.min : plan.price,
      replaces,
      returnUrl: null,
      account,
      body: Buffer.from('{}'),
      address: account,
    };
    const answer = await Purchase.purchase(shopAt(0), { ...request, credential: { kind: 'none' } });
    if (answer.kind !== 'payment_required' || answer.challenge === null) return null;
    const { order, challenge } = answer;
    mine.add(order.id);
    return {
      order: order.id,
      amount: order.amount,
      async pay(at, token, now) {
        const credential = { kind: 'credential' as const, challenge, payload: { spt: token } };
        // Another buyer's clock may be days ahead: an offer that was deleted while it was being claimed is not charged.
        return Purchase.purchase(shopAt(at), { ...request, plan: now ?? plan, credential }).then(
          ({ kind }) => kind,
          (fault: unknown) => {
            if (String(fault).includes('went away while it was paid')) return 'forgotten';
            throw fault;
          },
        );
      },
    };
  }

  async function holdings(): Promise<Holdings> {
    const rows = await sql<{ plan_id: string; asset: string; used: number; left: number }[]>`
      SELECT coalesce(u.plan_id, s.plan_id) AS plan_id, coalesce(u.asset, s.asset) AS asset, coalesce(u.used, 0)::bigint AS used, coalesce(s.remaining, 0)::bigint AS left
      FROM (SELECT k.plan_id, k.asset, sum(u.amount) AS used FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
          WHERE u.account_id = ${account} GROUP BY 1, 2) u
        FULL JOIN (SELECT plan_id, asset, sum(remaining) AS remaining FROM ledger.statement(${account})
          WHERE expires_at IS NULL OR expires_at > clock_timestamp() GROUP BY 1, 2) s ON s.plan_id = u.plan_id AND s.asset = u.asset`;
    const value = (of: 'used' | 'left') =>
      rows.reduce((sum, row) => sum + row[of] * unitPrice(row.plan_id), 0);
    return { used: value('used'), left: value('left') };
  }

  async function lossTold(): Promise<number> {
    const [row] = await sql<
      [{ loss: number; pending: number }]
    >`SELECT coalesce(sum(l.loss), 0)::bigint AS loss, coalesce(sum(l.pending), 0)::bigint AS pending
      FROM shop.purchase o CROSS JOIN LATERAL shop.reversal_losses(o.id) l WHERE o.account_id = ${account} AND o.state = 'granted'`;
    return row.pending > 0 ? Number.NaN : row.loss;
  }

  async function notices(at: number): Promise<void> {
    for (const notice of processor.notices())
      await StripeWebhook.receive({ ...shopAt(at), ...unfrozen }, notice, '');
  }

  const browser = { secret: Checkout.newBrowser(), payer: null };
  const buyer: Buyer = {
    account,
    processor,
    offer,
    openPage: async (at, order) =>
      (await Checkout.openCheckout(shopAt(at), order, browser, true, '127.0.0.1')).kind,
    async payPage(order, slowly) {
      const found = await shopAt(0).orders.find(order);
      return found !== null && processor.payPage(found, slowly);
    },
    async buy(plan, replaces) {
      const made = must(await offer(plan, replaces ?? null));
      const kind = await made.pay(0, 'spt_1');
      if (kind !== 'granted') throw new Error(`${plan} is ${kind}`);
      return made.order;
    },
    find: (order) => shopAt(0).orders.find(order),
    async use(at, units) {
      const { writer } = must(writers[at]);
      const callId = uuidv7(Date.now());
      const ids = plans.map((plan) => plan.id);
      const held = await writer.hold({ callId, account, plans: ids, price: creditUnitPrice, units });
      if (held.kind !== 'held') return;
      const settled = await writer.settle(held.hold, { units, status: 200, service: 's', operation: 'o' });
      if (settled.kind === 'settled') writer.delivered(settled.seq);
    },
    notices,
    reconcile: (at) => ResolveInDoubt.resolveAll(shopAt(at)),
    async enterAgain() {
      const kinds = new Map(plans.map((plan) => [plan.id, plan.kind]));
      for (const payment of processor.taken)
        if ((await shopAt(0).orders.find(payment.order ?? '')) === null)
          await RestoreOrders.restoreOrder(shopAt(0), payment, kinds);
    },
    pass(ms) {
      laterMs += ms;
    },
    async left() {
      const rows = await sql<
        { plan_id: string; left: number }[]
      >`SELECT plan_id, sum(remaining)::bigint AS left
        FROM ledger.statement(${account}) WHERE expires_at IS NULL OR expires_at > clock_timestamp() GROUP BY 1`;
      return Object.fromEntries(
        rows.filter(({ left }) => left > 0).map(({ plan_id, left }) => [plan_id, left]),
      );
    },
    holdings,
    async rest() {
      // Slow payments arrive long after everything else.
      await notices(0);
      laterMs += slowPaymentMs;
      await ResolveInDoubt.resolveAll(shopAt(1));
      for (const order of mine) processor.settle(order, 'succeeded');
      await notices(0);
      await notices(1);
      await ResolveInDoubt.resolveAll(shopAt(0));
      await notices(1);
      let told = await lossTold();
      for (let look = 0; Number.isNaN(told) && look < restLooksMax; look++) {
        await sql`SELECT ledger.collect_clawbacks()`;
        await new Promise((resolve) => setTimeout(resolve, tickEveryMs));
        told = await lossTold();
      }
      const payments = processor.taken.map(async ({ id: payment, received }) => {
        const gone = (await processor.reversalsOf(payment)).filter(({ isEffective }) => isEffective);
        return { id: payment, received, reversed: gone.reduce((sum, { amount }) => sum + amount, 0) };
      });
      const granted = await sql<{ payment: string }[]>`SELECT payment FROM shop.purchase
        WHERE state = 'granted' AND account_id = ${account}`;
      return {
        ...(await holdings()),
        payments: await Promise.all(payments),
        given: 0,
        granted: new Set(granted.map(({ payment }) => payment)),
        lossTold: told,
      };
    },
  };
  return buyer;
}

/** The list price of a unit of a plan, or of a micro-dollar of usage. */
function unitPrice(planId: string): number {
  const plan = plans.find((one) => one.id === planId);
  return plan?.kind === 'subscription' ? plan.price / plan.included.amount : 1;
}

function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('there is none');
  return value;
}
