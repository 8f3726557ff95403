import { sha256Hex } from '@sluice/kernel/digest';
import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import { openCardAttempts } from '../../src/adapters/postgres/card-attempts.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openFraudSignals } from '../../src/adapters/postgres/fraud-signals.ts';
import * as Orders from '../../src/adapters/postgres/orders.ts';
import { openSubscriptions } from '../../src/adapters/postgres/subscriptions.ts';
import { openTopUpConsents } from '../../src/adapters/postgres/top-up-consents.ts';
import { openTopUps } from '../../src/adapters/postgres/top-ups.ts';
import type { CreditPlan, Plan } from '../../src/catalog/plan.ts';
import type { IdentityContext } from '../../src/identity/identity-context.ts';
import * as Checkout from '../../src/journeys/checkout.ts';
import * as Purchase from '../../src/journeys/purchase.ts';
import * as ReconciliationReport from '../../src/journeys/reconciliation-report.ts';
import * as ResolveInDoubt from '../../src/journeys/resolve-in-doubt.ts';
import * as RestoreOrders from '../../src/journeys/restore-orders.ts';
import * as StripeWebhook from '../../src/journeys/stripe-webhook.ts';
import type { TopUpContext } from '../../src/journeys/top-up.ts';
import type { Order } from '../../src/payment/order.ts';
import type { CheckoutContext } from '../../src/payment/payment-context.ts';
import { english } from '../../src/text/texts.ts';
import { createMigrated } from '../support/database.ts';
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

/** Sales on a real database, with a processor and a clock that the test controls. */
export type World = {
  /** Creates an offer in a shop of two processes, with a processor that is used by no other sale. */
  sale(account: string | null): Promise<Sale>;
  sql: Connection.Connection;
  close(): Promise<void>;
};

/** One order and everything that can happen to it. `at`: the process that does it, 0 or 1. */
export type Sale = {
  processor: FakeProcessor;
  read(): Promise<Order>;
  /** Returns null when the process was killed before it could respond. */
  submit(at: number, token: string): Promise<Purchase.PurchaseResult | null>;
  /** Opens the payment link in browser 0 or 1, which closes the page of the other one. */
  openPage(
    at: number,
    browser?: number,
    payer?: Checkout.Opener['payer'],
  ): Promise<Checkout.CheckoutResult | null>;
  /** Returns the pages that a browser was sent to and that can be paid now. */
  openPages(): string[];
  payPage(): Promise<void>;
  /** Returns true when the browser was issued the tokens. */
  comeBack(at: number, browser?: number): Promise<boolean>;
  /** Returns true when the response to a credential contains tokens. */
  tokens(at: number, answer: Purchase.PurchaseResult): Promise<boolean>;
  notice(at: number, which: number): Promise<unknown>;
  reconcile(at: number): Promise<unknown>;
  /** Compares the records of this order with the processor's. */
  compare(repair: boolean): Promise<ReconciliationReport.Comparison>;
  /** Kills the process and starts it again. */
  restart(at: number): Promise<void>;
  /** Moves time forward. */
  pass(ms: number): void;
  /** Returns the amount granted to the order's lots, in micro-dollars. */
  credit(): Promise<number>;
  /** Returns the lots' remaining amount, the amount owed, and the ledger's net receipts from the processor. */
  books(): Promise<{ remaining: number; owed: number; processor: number }>;
};

export async function open(): Promise<World> {
  const database = await createMigrated();
  // The whole ledger is verified over this connection as well, which takes longer than a statement of a process may.
  const sql = Connection.openConnection(database.url, 8, 30_000);
  return {
    sale: (account) => openSale(sql, account),
    sql,
    async close() {
      await sql.end();
      await database.drop();
    },
  };
}

/** The dependencies of a process that sells and tops up. */
/** No account of these worlds is frozen. */
export const unfrozen = {
  accounts: { isFrozen: async () => false } as Partial<
    IdentityContext['accounts']
  > as IdentityContext['accounts'],
};

export type SellingProcess = CheckoutContext & TopUpContext;

/** A process that can be killed, after which nothing that it started continues. */
export type Process = {
  paymentContext: SellingProcess;
  killed: PromiseWithResolvers<null>;
  /** Resolves when none of its database statements is under way any more. */
  kill(): Promise<void>;
};

async function openSale(sql: Connection.Connection, account: string | null): Promise<Sale> {
  if (account !== null)
    await sql`INSERT INTO shop.account (id, origin) VALUES (${account}, 'anonymous') ON CONFLICT DO NOTHING`;
  const processor = new FakeProcessor();
  const writers = [id('writer'), id('writer')];
  let laterMs = 0;
  const start = (writer: string) =>
    startProcess(paymentContext(sql, writer, processor, () => Date.now() + laterMs));
  const processes = writers.map(start);
  const at = (process: number) => (processes[process] ?? start('nobody')).paymentContext;

  const browsers = [Checkout.newBrowser(), Checkout.newBrowser()];
  const sentTo = new Set<string>();

  const restarted: Promise<unknown>[] = [];
  /** Kills the process at once. Its writer opens again when no statement of any previous process is under way. */
  function restart(process: number): Promise<void> {
    const writer = writers[process] ?? '';
    const dead = processes[process]?.kill();
    processes[process] = start(writer);
    const opened = Promise.all([restarted[process], dead]).then(async () => {
      await sql`SELECT ledger.open_writer(${writer})`;
    });
    restarted[process] = opened;
    return opened;
  }
  processor.kill = (writer) => void restart(writers.indexOf(writer));
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
  const offered = await Purchase.purchase(at(0), { ...request, credential: { kind: 'none' } });
  if (offered.kind !== 'payment_required' || offered.challenge === null)
    throw new Error(`no offer: ${offered.kind}`);
  const { challenge, order } = offered;
  const orders = Orders.openOrders(sql, 'witness');
  async function read(): Promise<Order> {
    const found = await orders.find(order.id);
    if (!found) throw new Error(`no order ${order.id}`);
    return found;
  }
  /** Runs `work` in a process, as long as it lives. */
  const doing = <T>(process: number, work: (shop: CheckoutContext) => Promise<T>): Promise<T | null> =>
    Promise.race([work(at(process)), processes[process]?.killed.promise ?? null]);
  return {
    processor,
    read,
    restart,
    submit: (process, token) =>
      doing(process, (shop) => {
        const credential = { kind: 'credential' as const, challenge, payload: { spt: token } };
        return Purchase.purchase(shop, { ...request, credential });
      }),
    async openPage(process, browser = 0, payer = null) {
      const opened = await doing(process, (shop) =>
        Checkout.openCheckout(
          shop,
          order.id,
          { secret: browsers[browser] ?? '', payer },
          true,
          request.address,
        ),
      );
      if (opened?.kind === 'redirect') sentTo.add(opened.url.split('/').at(-1) ?? '');
      return opened;
    },
    openPages: () => processor.openAmong(sentTo),
    payPage: async () => void processor.payPage(await read()),
    async comeBack(process, browser = 0) {
      const secret = browsers[browser] ?? '';
      const issued = await doing(process, async (shop) => {
        const session = (await read()).checkoutSession ?? `cs_${order.id}_0`;
        const back = await Checkout.comeBack(shop, order.id, session, secret);
        const evidence = { credentialDigest: null, isFirstClaim: false, browserDigest: sha256Hex(secret) };
        return back.kind === 'paid' && back.isPayer && shop.orders.issueTokens(back.order, evidence);
      });
      return issued === true;
    },
    async tokens(process, answer) {
      if (answer.kind !== 'granted') return false;
      return (await doing(process, (shop) => shop.orders.issueTokens(answer.order, answer.payer))) === true;
    },
    async notice(process, which) {
      const notices = processor.notices();
      const chosen = notices[which % Math.max(1, notices.length)];
      if (chosen) await doing(process, (shop) => StripeWebhook.receive({ ...shop, ...unfrozen }, chosen, ''));
    },
    reconcile: (process) => doing(process, (shop) => ResolveInDoubt.resolveAll(only(order.id, shop))),
    compare: (repair) =>
      ReconciliationReport.compare(only(order.id, at(0)), 0, repair, (payment) =>
        RestoreOrders.restoreOrder(at(0), payment, new Map([[plan.id, plan.kind]])),
      ),
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
        SELECT sum(k.avail)::bigint AS remaining, sum(k.clawback_due)::bigint AS owed, (SELECT sum(p.amount) FROM ledger.posting p
            WHERE p.contra = 'processor' AND p.account_id = o.account_id)::bigint AS processor
          FROM shop.purchase o JOIN ledger.lot k ON k.account_id = o.account_id WHERE o.id = ${order.id} GROUP BY o.account_id`;
      return { ...row };
    },
  };
}

export function startProcess(shop: SellingProcess): Process {
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
          ['parseWebhookEvent', 'payments', 'invoices', 'grantedSince'].includes(String(name))
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
    paymentContext: {
      ...shop,
      orders: mortal(shop.orders, true),
      topUps: mortal(shop.topUps, true),
      webhookEvents: mortal(shop.webhookEvents, true),
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

/** Limits the shop to this order, because other sales use it at the same time with their own processors. */
function only(order: string, shop: CheckoutContext): CheckoutContext {
  const mine = (all: readonly Order[]) => all.filter(({ id }) => id === order);
  const orders: CheckoutContext['orders'] = {
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

export function paymentContext(
  sql: Connection.Connection,
  writer: string,
  processor: FakeProcessor,
  clock: () => number,
  plans: readonly Plan[] = [plan],
): SellingProcess {
  return {
    publicUrl: 'https://shop.test',
    texts: english,
    catalog: {
      storefront: { name: 'Shop', description: '', contact: '' },
      upstream: {
        description: '',
        key: { header: 'x-api-key', value: '{key}' },
        mount: '',
        responseFields: [],
        readinessPath: null,
        timeoutMs: 1_000,
      },
      upstreams: new Map(),
      services: [],
      operations: [],
      plans,
      retired: [],
      openings: new Map(),
    },
    isTaxed: false,
    clock,
    orders: Orders.openOrders(sql, writer),
    subscriptions: openSubscriptions(sql),
    topUps: openTopUps(sql, writer),
    consents: openTopUpConsents(sql),
    webhookEvents: Orders.openWebhookEvents(sql),
    fraudSignals: openFraudSignals(sql),
    cardAttempts: openCardAttempts(sql),
    cardLimits: { declinesMax: 5, waitSeconds: 60, stopSeconds: 86_400, pagesPerHour: 1_000 },
    processor: processor.seenFrom(writer),
    challengeSecrets: { current: 'a secret of the test, of more than 32 bytes' },
    rails: ['mpp', 'card', 'x402'],
    networkId: 'profile_1',
    acceptedTokens: null,
    report: (event, detail) => {
      if (event === 'not_reconciled') throw new Error(`${event} ${JSON.stringify(detail)}`);
    },
    writer: { touch: () => {} },
  };
}
