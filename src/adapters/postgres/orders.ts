import * as Money from '../../kernel/money.ts';
import type { Claim, Notices, Order, Orders } from '../../payment/order.ts';
import { ownAccount, pageGraceMs } from '../../payment/order.ts';
import type { Terms } from '../../payment/period.ts';
import type { Reversal } from '../../payment/reversal.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import type { Connection } from './connection.ts';

/** How long an offer that nobody took is kept. */
const untakenKeptMs = 3 * 24 * 60 * 60 * 1000;
/** How long declines are kept; longer than any limit looks back. */
const declineKeptMs = 24 * 60 * 60 * 1000;
/** Of more, any may come first: those that cannot be ended must not keep the others waiting for ever. */
/** Lanes bring back what was recalled with their next batch. */
const recallLookMs = 60;
const recallLooksMax = 5;
const listedMax = 200;

/** A row of shop.purchase. */
export type Row = {
  id: string;
  state: Order['state'];
  account_id: string | null;
  plan_id: string;
  amount: number;
  units: number | null;
  terms: Terms | null;
  rail: Order['rail'];
  period_end: Date | null;
  return_url: string | null;
  saved_card: SavedCard | null;
  challenge_id: string | null;
  checkout_session: string | null;
  payment: string | null;
  failure: string | null;
  created_at: Date;
  expires_at: Date;
  claimed_at: Date | null;
  doubted: boolean;
  granted_at: Date | null;
};

/**
 * Orders in PostgreSQL; whatever moves money is a function of migrations/0002_orders.sql.
 * @param lane the ledger lane of this process: it tells the others whether a claim of ours is still worked on
 */
export function open(sql: Connection, lane: string): Orders {
  return {
    async offer({ id, account, plan, amount, period, rail, returnUrl, expiresMs }) {
      await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, units, terms, rail, return_url, expires_at)
        VALUES (${id}, ${account}, ${plan}, ${amount}, ${period?.units ?? null}, ${period ? sql.json(period.terms) : null}, ${rail},
          ${returnUrl}, ${new Date(expiresMs)}) ON CONFLICT DO NOTHING`;
    },
    async find(id) {
      const [row] = await sql<Row[]>`SELECT * FROM shop.purchase WHERE id = ${id}`;
      return row ? order(row) : null;
    },
    async periods(account) {
      type Row = {
        id: string;
        subscription_id: string;
        renews: boolean;
        plan_id: string;
        units: number;
        terms: Terms;
        left: number;
        period_start: Date;
        period_end: Date;
      };
      const rows = await sql<
        Row[]
      >`SELECT o.id, o.subscription_id, s.processor_id IS NOT NULL AS renews, o.plan_id, o.units, o.terms, t.remaining AS left, o.period_start, o.period_end
        FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id AND s.ended_at IS NULL
          JOIN ledger.posting p ON p.key = 'purchase:' || o.id CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
          JOIN ledger.statement(${account}) t ON t.bucket_id = c.id AND t.expires_at > clock_timestamp()
        WHERE c.account_id = ${account} AND c.moved_to IS NULL AND s.account_id = ${account} AND o.state = 'granted' AND o.period_start <= clock_timestamp() AND o.period_end > clock_timestamp()
        ORDER BY o.period_end`;
      return rows.map((row) => ({
        order: row.id,
        subscription: row.subscription_id,
        renews: row.renews,
        plan: row.plan_id,
        price: row.terms.price,
        units: row.units,
        left: row.left,
        startMs: row.period_start.getTime(),
        endMs: row.period_end.getTime(),
      }));
    },
    async *grantedSince(sinceMs) {
      let after = '';
      for (;;) {
        const rows = await sql<Row[]>`SELECT * FROM shop.purchase
          WHERE state = 'granted' AND granted_at >= ${new Date(sinceMs)} AND id > ${after} ORDER BY id LIMIT ${listedMax}`;
        for (const row of rows) yield order(row);
        if (rows.length < listedMax) return;
        after = rows.at(-1)?.id ?? '';
      }
    },
    async paidFor(account, after, limit) {
      const rows = await sql<Row[]>`SELECT o.* FROM shop.purchase o
        WHERE o.account_id = ${account} AND o.state = 'granted' AND (${after}::text IS NULL OR (o.created_at, o.id) < (
          SELECT a.created_at, a.id FROM shop.purchase a WHERE a.id = ${after} AND a.account_id = ${account}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`;
      return rows.map(order);
    },
    async begun(account, after, limit) {
      const rows = await sql<Row[]>`SELECT o.* FROM shop.purchase o
        WHERE (${account}::text IS NULL OR o.account_id = ${account}) AND o.state <> 'offered' AND (${after}::text IS NULL OR (o.created_at, o.id) < (
          SELECT a.created_at, a.id FROM shop.purchase a WHERE a.id = ${after}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`;
      return rows.map(order);
    },
    async paidBy(payment) {
      const [row] = await sql<Row[]>`SELECT * FROM shop.purchase WHERE payment = ${payment}`;
      return row ? order(row) : null;
    },
    async look(id) {
      const [row] = await sql<[{ look: number | null }]>`SELECT shop.look_at(${id}) AS look`;
      return row.look;
    },
    async reverse(id, look, found) {
      const [row] = await sql<
        [{ written: boolean }]
      >`SELECT shop.write_reversals(${id}, ${look}, ${sql.json([...found])}) AS written`;
      return row.written;
    },
    async lossOf(id) {
      const [row] = await sql<[{ loss: number }]>`SELECT shop.loss_of(${id}) AS loss`;
      return Money.ofMicro(row.loss);
    },
    async reversalsOf(id) {
      return await sql<Reversal[]>`SELECT id, kind, amount, status, counts, reason FROM shop.reversal
        WHERE purchase_id = ${id} ORDER BY created_at, id`;
    },
    async claim(id, challengeId, credentialDigest) {
      const [claim] = await sql<
        [Claim]
      >`SELECT standing, own FROM shop.claim_purchase(${id}, ${challengeId}, ${credentialDigest}, ${lane})`;
      return claim;
    },
    async release({ id, claimedMs }) {
      await sql`SELECT shop.release_purchase(${id}, ${moment(claimedMs)})`;
    },
    async grant(order, payment) {
      if (order.period?.terms.replaces) await bringBack(sql, order.id);
      const [row] = await sql<
        [{ account: string | null }]
      >`SELECT shop.grant_purchase(${order.id}, ${payment.id}, ${ownAccount(order)}, ${payment.challengeId}) AS account`;
      return row.account;
    },
    async decline({ id, claimedMs }, failure, subjects) {
      const [row] = await sql<
        [{ declined: boolean }]
      >`SELECT shop.decline_purchase(${id}, ${moment(claimedMs)}, ${failure}, ${sql.array([...subjects])}) AS declined`;
      return row.declined;
    },
    async attachCheckout(id, session) {
      await sql`UPDATE shop.purchase SET checkout_session = ${session} WHERE id = ${id}`;
    },
    async inDoubt() {
      const rows = await sql<Row[]>`SELECT * FROM shop.purchase p
        WHERE claimed_by IS NOT NULL AND NOT shop.at_work(p) ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(order);
    },
    async closedPages(nowMs) {
      const rows = await sql<Row[]>`SELECT * FROM shop.purchase
        WHERE checkout_session IS NOT NULL AND expires_at < ${new Date(nowMs - pageGraceMs)}
        ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(order);
    },
    async puzzle(id, reason) {
      await sql`UPDATE shop.purchase SET unreconciled = ${reason} WHERE id = ${id} AND unreconciled IS DISTINCT FROM ${reason}`;
    },
    async nthDecline(subjects, nth, sinceMs) {
      const [row] = await sql<[{ at: Date | null }]>`SELECT max(at) AS at FROM (
          SELECT at, row_number() OVER (PARTITION BY subject ORDER BY at DESC) AS n FROM shop.decline
          WHERE subject = ANY (${sql.array([...subjects])}) AND at > ${new Date(sinceMs)}
        ) recent WHERE n = ${nth}`;
      return row.at?.getTime() ?? null;
    },
    async sweep(nowMs) {
      await sql`DELETE FROM shop.purchase
        WHERE state = 'offered' AND checkout_session IS NULL AND expires_at < ${new Date(nowMs - untakenKeptMs)}`;
      await sql`DELETE FROM shop.decline WHERE at < ${new Date(nowMs - declineKeptMs)}`;
    },
  };
}

/** The processor's notices in PostgreSQL. */
export function openNotices(sql: Connection): Notices {
  return {
    async record(id, type) {
      const [row] = await sql<
        [{ done: boolean }]
      >`INSERT INTO shop.processor_event AS e (id, type) VALUES (${id}, ${type})
        ON CONFLICT (id) DO UPDATE SET attempts = e.attempts + 1 RETURNING done_at IS NOT NULL AS done`;
      return !row.done;
    },
    async done(id) {
      await sql`UPDATE shop.processor_event SET done_at = clock_timestamp() WHERE id = ${id}`;
    },
    async failed(id, reason) {
      await sql`UPDATE shop.processor_event SET failed_at = clock_timestamp(), failure = ${reason} WHERE id = ${id}`;
    },
  };
}

/** Waits, a bounded moment, until lanes hold no more of the plan that an order replaces than what calls under way need. */
async function bringBack(sql: Connection, orderId: string): Promise<void> {
  for (let look = 0; look < recallLooksMax; look++) {
    const [{ leased }] = await sql<[{ leased: number }]>`SELECT shop.recall_replaced(${orderId}) AS leased`;
    if (leased === 0) return;
    await new Promise((resolve) => setTimeout(resolve, recallLookMs));
  }
}

function moment(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function order(row: Row): Order {
  return {
    id: row.id,
    state: row.state,
    account: row.account_id,
    plan: row.plan_id,
    amount: Money.ofMicro(row.amount),
    period: row.units !== null && row.terms !== null ? { units: row.units, terms: row.terms } : null,
    rail: row.rail,
    periodEndMs: row.period_end?.getTime() ?? null,
    returnUrl: row.return_url,
    savedCard: row.saved_card,
    challengeId: row.challenge_id,
    checkoutSession: row.checkout_session,
    payment: row.payment,
    failure: row.failure,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at.getTime(),
    claimedMs: row.claimed_at?.getTime() ?? null,
    doubted: row.doubted,
    grantedMs: row.granted_at?.getTime() ?? null,
  };
}
