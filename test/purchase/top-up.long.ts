import { id } from '@sluice/kernel/id';
import * as Money from '@sluice/kernel/money';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openTopUpConsents } from '../../src/adapters/postgres/top-up-consents.ts';
import { openTopUps } from '../../src/adapters/postgres/top-ups.ts';
import * as ResolveInDoubt from '../../src/journeys/resolve-in-doubt.ts';
import * as StripeWebhook from '../../src/journeys/stripe-webhook.ts';
import * as TopUp from '../../src/journeys/top-up.ts';
import type { Order } from '../../src/payment/order.ts';
import { createMigrated } from '../support/database.ts';
import * as Books from './books.ts';
import { FakeProcessor, fates } from './fake-processor.ts';
import * as World from './world.ts';

const usd = (cents: number) => Money.ofCents(cents);
const terms = { below: usd(200), amount: usd(500), monthlyMax: usd(2_000) };
const card = { customer: 'cus_1', method: 'pm_1', brand: 'visa', last4: '4242' };
const livesBeside = 6;

let database: Awaited<ReturnType<typeof createMigrated>>;
let sql: Connection.Connection;
beforeAll(async () => {
  database = await createMigrated();
  sql = Connection.openConnection(database.url, 12);
  await sql`INSERT INTO ledger.writer VALUES ('spender', 1, false, 0, 0, now())`;
  await sql`CREATE FUNCTION spend(p_account text, p_amount bigint) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      v_lot ledger.lot;
      v_left bigint := p_amount;
    BEGIN
      FOR v_lot IN SELECT * FROM ledger.lot WHERE account_id = p_account ORDER BY id FOR UPDATE LOOP
        CONTINUE WHEN least(v_left, v_lot.avail) = 0;
        UPDATE ledger.lot SET avail = avail - least(v_left, v_lot.avail) WHERE account_id = p_account AND id = v_lot.id;
        INSERT INTO ledger.usage (call_id, draw, account_id, lot_id, plan_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
          VALUES (gen_random_uuid(), 0, p_account, v_lot.id, v_lot.plan_id, 's', 'o', 200, least(v_left, v_lot.avail), 1, least(v_left, v_lot.avail), 'spender', 1, 1);
        v_left := v_left - least(v_left, v_lot.avail);
      END LOOP;
    END $$`;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** An account with top-ups in a shop of two processes, and a processor that is used by no other account. */
class Life {
  readonly account = id('acc');
  readonly processor = new FakeProcessor();
  /** The promises that were broken. */
  readonly breaches: string[] = [];
  /** The idempotency keys of charges, in the order in which the processor first received them. */
  readonly names: string[] = [];
  readonly #writers = [id('writer'), id('writer')];
  #processes: World.Process[] = [];
  #restarts: Promise<unknown>[] = [];

  static async begin(startCents = 300): Promise<Life> {
    const life = new Life();
    life.processor.kill = (writer) => void life.restart(life.#writers.indexOf(writer));
    life.processor.arrives = (order, name) => life.#look(order, name);
    await sql`INSERT INTO shop.account (id, origin) VALUES (${life.account}, 'anonymous')`;
    if (startCents > 0) await life.give(startCents);
    await Promise.all([life.restart(0), life.restart(1)]);
    await life.agree();
    return life;
  }

  /** Requests top-ups for the account, and agrees to them unless that was done before. */
  async agree(): Promise<void> {
    if (await openTopUps(sql, '').set(this.account, 'credit', terms)) return;
    const consents = openTopUpConsents(sql);
    const { id: consent } = await consents.offer(id('tuc'), this.account, 'credit', terms, Date.now());
    await consents.agree(consent, { ...card, consent }, null);
  }

  async give(cents: number): Promise<void> {
    await sql`SELECT shop.grant_credit(${id('gift')}, ${this.account}, 'credit', 'usd', ${usd(cents)}, NULL, 'test', 'test')`;
  }

  /** Spends this amount of the account's balance, or all of it. */
  async spend(cents: number): Promise<void> {
    await sql`SELECT spend(${this.account}, ${usd(cents)})`;
  }

  /** Runs the periodic job of one process. */
  run(at: number): Promise<unknown> {
    return this.#doing(at, (shop) => TopUp.chargeDue(shop));
  }

  reconcile(at: number): Promise<unknown> {
    return this.#doing(at, (shop) => ResolveInDoubt.resolveAll(shop));
  }

  async notice(at: number, which: number): Promise<void> {
    const notices = this.processor.notices();
    const chosen = notices[which % Math.max(1, notices.length)];
    if (chosen)
      await this.#doing(at, (shop) => StripeWebhook.receive({ ...shop, ...World.unfrozen }, chosen, ''));
  }

  /** Makes every claim so old that its process is considered gone. */
  async pass(): Promise<void> {
    await sql`UPDATE shop.purchase SET claimed_at = claimed_at - interval '2 minutes'
      WHERE account_id = ${this.account} AND claimed_by IS NOT NULL`;
  }

  restart(at: number): Promise<unknown> {
    const writer = this.#writers[at] ?? '';
    const dead = this.#processes[at]?.kill();
    this.#processes[at] = World.startProcess(
      World.paymentContext(sql, writer, this.processor, () => Date.now()),
    );
    const opened = Promise.all([this.#restarts[at], dead]).then(
      () => sql`SELECT ledger.open_writer(${writer})`,
    );
    this.#restarts[at] = opened;
    return opened;
  }

  async state() {
    const topUp = await openTopUps(sql, '').of(this.account);
    if (topUp === null) throw new Error('no top-ups');
    return topUp;
  }

  async balance(): Promise<number> {
    const [row] = await sql<[{ balance: number }]>`SELECT coalesce(sum(avail), 0)::bigint AS balance
      FROM ledger.lot WHERE account_id = ${this.account}`;
    return row.balance;
  }

  taken(): number {
    return this.processor.taken.reduce((sum, { received }) => sum + received, 0);
  }

  /** Returns the credit granted by top-ups. */
  async granted(): Promise<number> {
    const [row] = await sql<
      [{ granted: number }]
    >`SELECT coalesce(sum(p.amount), 0)::bigint AS granted FROM ledger.posting p
      JOIN shop.purchase o ON p.key = 'purchase:' || o.id WHERE o.account_id = ${this.account} AND o.rail = 'top_up'`;
    return row.granted;
  }

  /** Checks that a charge which reaches the processor for the first time is needed and allowed. */
  async #look(order: Order, name: string): Promise<void> {
    if (this.names.includes(name)) return;
    this.names.push(name);
    const ungranted = this.taken() - (await this.granted());
    if (ungranted > 0) this.breaches.push(`${name}: another charge has been paid and not granted`);
    if (this.taken() + order.amount > terms.monthlyMax)
      this.breaches.push(`${name}: more than a month may have`);
  }

  #doing(at: number, work: (shop: World.SellingProcess) => Promise<unknown>): Promise<unknown> {
    const process = this.#processes[at];
    if (!process) throw new Error(`no process ${at}`);
    return Promise.race([work(this.#only(process.paymentContext)), process.killed.promise]);
  }

  /** Limits the shop to this account, because other tests use it at the same time with their own processors. */
  #only(shop: World.SellingProcess): World.SellingProcess {
    const mine = (orders: Order[]) => orders.filter(({ account }) => account === this.account);
    const { account } = this;
    return {
      ...shop,
      topUps: {
        ...shop.topUps,
        claim: shop.topUps.claim,
        due: async () => (await shop.topUps.due()).filter((one) => one === account),
        inDoubt: async () => mine(await shop.topUps.inDoubt()),
      },
      orders: {
        ...shop.orders,
        inDoubt: async () => mine(await shop.orders.inDoubt()),
        closedPages: async () => [],
      },
    };
  }
}

test('an account that has less than it wants is charged once, and not before', async () => {
  const life = await Life.begin();
  await life.run(0);
  expect(life.taken()).toBe(0);
  await life.spend(101);
  await Promise.all([life.run(0), life.run(1), life.run(0)]);
  await life.run(1);
  expect(life.names).toEqual([`topup_${life.account}_1`]);
  expect(await life.balance()).toBe(usd(699));
  expect(await life.state()).toMatchObject({ state: 'on', chargedThisMonth: usd(500) });
});

test('a month never costs more than was agreed, and the next one begins anew', async () => {
  const life = await Life.begin(0);
  for (let round = 0; round < 6; round += 1) {
    await Promise.all([life.run(0), life.run(1)]);
    await life.spend(10_000);
  }
  expect(life.taken()).toBe(usd(2_000));
  expect(await life.state()).toMatchObject({ state: 'on' });
  await sql`UPDATE shop.purchase SET created_at = created_at - interval '31 days' WHERE account_id = ${life.account}`;
  await sql`UPDATE shop.purchase SET created_at = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 ms'
    WHERE account_id = ${life.account}`;
  expect((await life.state()).chargedThisMonth).toBe(0);
});

test('the first decline stops it, until it is agreed to anew', async () => {
  const life = await Life.begin(0);
  life.processor.fate = 'declined';
  await life.run(0);
  expect(await life.state()).toMatchObject({ state: 'stopped', reason: 'No.' });
  life.processor.fate = 'taken';
  await life.run(1);
  expect(life.names).toHaveLength(1);
  await life.agree();
  await life.run(1);
  expect(await life.balance()).toBe(usd(500));
});

test('a charge whose answer was lost is asked for again under its own name', async () => {
  const life = await Life.begin(0);
  life.processor.fate = 'never arrives';
  await life.run(0);
  life.processor.fate = 'taken';
  await life.run(1);
  expect(life.taken()).toBe(0);
  await life.pass();
  await life.run(1);
  expect(life.names).toEqual([`topup_${life.account}_1`]);
  expect(await life.granted()).toBe(usd(500));
});

test.each([2, 25])(
  'a charge that has been in doubt for %i hours is looked up, and not made again under a name that is forgotten',
  async (hours) => {
    const life = await Life.begin(0);
    life.processor.fate = 'taken, answer lost';
    await life.run(0);
    await sql`UPDATE shop.purchase SET created_at = created_at - ${`${hours} hours`}::interval WHERE account_id = ${life.account}`;
    life.processor.forgetKeys();
    life.processor.fate = 'taken';
    await life.pass();
    await life.run(1);
    await life.reconcile(1);
    expect([life.taken(), await life.granted()]).toEqual([usd(500), usd(500)]);
  },
);

test('money that goes back stops it: no card is charged to make up for that', async () => {
  const life = await Life.begin(0);
  await life.run(0);
  const [payment] = life.processor.taken;
  life.processor.goBack('dispute', payment?.id ?? '', usd(500), 'needs_response', true);
  await life.notice(0, 1);
  await Promise.all([life.run(0), life.run(1)]);
  expect(life.taken()).toBe(usd(500));
  expect(await life.state()).toMatchObject({ state: 'stopped' });
  // An earlier agreement does not count either, because its holder may have changed their mind.
  expect(await openTopUps(sql, '').set(life.account, 'credit', terms)).toBe(false);
});

test('a refund in part stops it only where the card would be charged at once for the money that went back', async () => {
  const life = await Life.begin(0);
  const refunded = async (which: number, cents: number) => {
    life.processor.goBack('refund', life.processor.taken[which]?.id ?? '', usd(cents), 'succeeded', true);
    await life.notice(0, life.processor.notices().length - 1);
    await Promise.all([life.run(0), life.run(1)]);
    return (await life.state()).state;
  };
  const agreedStill = () => openTopUps(sql, '').set(life.account, 'credit', terms);
  await life.run(0);
  expect(await refunded(0, 100)).toBe('on');
  // The buyer spends on, and is charged as before.
  await life.spend(250);
  await life.run(0);
  expect([await life.balance(), life.taken()]).toEqual([usd(650), usd(1_000)]);
  expect(await refunded(1, 499)).toBe('stopped');
  expect([await life.balance(), life.taken()]).toEqual([usd(151), usd(1_000)]);
  // The holder of the card has agreed still: the buyer can turn it on again.
  expect(await agreedStill()).toBe(true);
  // The rest of that payment: then the whole of it went back.
  expect(await refunded(1, 1)).toBe('stopped');
  expect(await agreedStill()).toBe(false);
});

test('no charge is made without the consent of a holder to as much', async () => {
  const life = await Life.begin(0);
  for (const [column, value] of [
    ['amount', 100],
    ['monthly_max', 100],
    ['below', 1],
  ] as const) {
    await sql`UPDATE shop.top_up_consent SET ${sql(column)} = ${value} WHERE account_id = ${life.account}`;
    await life.run(0);
    await sql`UPDATE shop.top_up_consent SET amount = ${terms.amount}, monthly_max = ${terms.monthlyMax}, below = ${terms.below} WHERE account_id = ${life.account}`;
  }
  await sql`UPDATE shop.top_up_consent SET state = 'ended' WHERE account_id = ${life.account}`;
  await life.run(0);
  expect(life.names).toEqual([]);
  await sql`UPDATE shop.top_up_consent SET state = 'agreed' WHERE account_id = ${life.account}`;
  await life.run(0);
  expect(life.taken()).toBe(usd(500));
});

test('what an account has agreed to goes along when it joins another, and is charged once', async () => {
  const life = await Life.begin(0);
  const into = await Life.begin(1_000);
  await openTopUps(sql, '').end(into.account);
  await sql`SELECT shop.join_accounts(${life.account}, ${into.account})`;
  await Promise.all([life.run(0), into.run(0)]);
  expect(life.taken() + into.taken()).toBe(0);
  await into.spend(900);
  await Promise.all([life.run(0), into.run(0), into.run(1)]);
  expect([life.taken(), into.taken()]).toEqual([0, usd(500)]);
});

const at = fc.nat({ max: 1 });
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('run' as const), at, fate: fc.constantFrom(...fates) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('spend' as const), cents: fc.integer({ min: 1, max: 700 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconcile' as const), at }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('notice' as const), at, which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const), at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('agree' as const) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

async function perform(life: Life, what: Act): Promise<unknown> {
  switch (what.does) {
    case 'run':
      life.processor.fate = what.fate;
      return life.run(what.at);
    case 'spend':
      return life.spend(what.cents);
    case 'notice':
      return life.notice(what.at, what.which);
    case 'restart':
    case 'reconcile':
      return life[what.does](what.at);
    case 'pass':
    case 'agree':
      return life[what.does]();
  }
}

/** Rounds in which a claim is resolved, and a need is served, at the latest. */
const roundsMax = 50;

/**
 * Lets both processes work until it is done. Histories beside this one list accounts that are due, too, and skip those of others, while
 * `due_top_ups` locks what it lists: a later round finds it.
 */
async function work(life: Life, isDone: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < roundsMax && !(await isDone()); round += 1) {
    await life.pass();
    await life.reconcile(0);
    await Promise.all([life.run(0), life.run(1)]);
  }
}

async function play(steps: Act[][]): Promise<void> {
  const life = await Life.begin();
  for (const step of steps) {
    await Promise.all(step.map((what) => perform(life, what)));
    expect(await life.granted()).toBeLessThanOrEqual(life.taken());
  }
  await Promise.all([life.restart(0), life.restart(1)]);
  await life.pass();
  life.processor.fate = 'taken';
  await life.reconcile(0);
  await Promise.all([life.run(0), life.run(1)]);
  const claimed = () =>
    sql`SELECT id FROM shop.purchase WHERE account_id = ${life.account} AND state = 'claimed'`;
  await work(life, async () => (await claimed()).length === 0);
  expect(life.breaches).toEqual([]);
  expect(await life.granted()).toBe(life.taken());
  expect(life.taken()).toBeLessThanOrEqual(terms.monthlyMax);
  expect([...(await claimed())]).toEqual([]);
  const { state, chargedThisMonth } = await life.state();
  expect(chargedThisMonth).toBe(life.taken());
  // At the end the account has been topped up as far as the terms allow.
  const isServed = async () =>
    (await life.balance()) >= terms.below || life.taken() + terms.amount > terms.monthlyMax;
  await work(life, async () => state === 'stopped' || (await isServed()));
  expect(state === 'stopped' || (await isServed())).toBe(true);
}

test('one need is charged once and a month never more than was agreed, whatever happens in two processes', async () => {
  const steps = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: livesBeside, maxLength: livesBeside }), async (all) => {
      await Promise.all(all.map(play));
    }),
    { numRuns: 25, endOnFailure: true },
  );
  await Books.proves(sql);
});
