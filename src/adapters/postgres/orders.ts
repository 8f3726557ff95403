import * as Money from '../../kernel/money.ts';
import type { Notices, Order, Orders } from '../../payment/order.ts';
import type { Connection } from './connection.ts';

/** How long an offer that nobody took is kept. */
const untakenKeptMs = 3 * 24 * 60 * 60 * 1000;
/** How long declines are kept; longer than any limit looks back. */
const declineKeptMs = 24 * 60 * 60 * 1000;
const unfinishedMax = 200;

type Row = {
  id: string;
  state: Order['state'];
  account_id: string | null;
  plan_id: string;
  amount: number;
  return_url: string | null;
  challenge_id: string | null;
  checkout_session: string | null;
  payment_intent: string | null;
  failure: string | null;
  created_at: Date;
  expires_at: Date;
  claimed_at: Date | null;
  granted_at: Date | null;
};

/** Orders in PostgreSQL; whatever moves money is a function of migrations/0002_orders.sql. */
export function open(sql: Connection): Orders {
  return {
    async offer({ id, account, plan, amount, returnUrl, expiresMs }) {
      await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, return_url, expires_at)
        VALUES (${id}, ${account}, ${plan}, ${amount}, ${returnUrl}, ${new Date(expiresMs)}) ON CONFLICT DO NOTHING`;
    },
    async find(id) {
      const [row] = await sql<Row[]>`SELECT * FROM shop.purchase WHERE id = ${id}`;
      return row ? order(row) : null;
    },
    async claim(id, challengeId, credentialDigest) {
      type Claim = 'claimed' | 'same' | 'taken' | 'unknown';
      const [row] = await sql<
        [{ claim: Claim }]
      >`SELECT shop.claim_purchase(${id}, ${challengeId}, ${credentialDigest}) AS claim`;
      return row.claim;
    },
    async grant(id, paymentIntent, newAccount) {
      const [row] = await sql<
        [{ account: string | null }]
      >`SELECT shop.grant_purchase(${id}, ${paymentIntent}, ${newAccount}) AS account`;
      return row.account;
    },
    async decline(id, failure, subjects) {
      await sql`SELECT shop.decline_purchase(${id}, ${failure}, ${sql.array([...subjects])})`;
    },
    async attachCheckout(id, session) {
      await sql`UPDATE shop.purchase SET checkout_session = ${session} WHERE id = ${id}`;
    },
    async unfinished(claimedBeforeMs) {
      const rows = await sql<
        Row[]
      >`SELECT * FROM shop.purchase WHERE state = 'claimed' AND claimed_at < ${new Date(claimedBeforeMs)}
        ORDER BY claimed_at LIMIT ${unfinishedMax}`;
      return rows.map(order);
    },
    async declines(subjects, sinceMs) {
      const [row] = await sql<[{ count: number }]>`SELECT coalesce(max(n), 0) AS count FROM (
        SELECT count(*) AS n FROM shop.decline WHERE subject = ANY (${sql.array([...subjects])}) AND at > ${new Date(sinceMs)} GROUP BY subject) s`;
      return row.count;
    },
    async sweep(nowMs) {
      await sql`DELETE FROM shop.purchase WHERE state = 'offered' AND expires_at < ${new Date(nowMs - untakenKeptMs)}`;
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
  };
}

function order(row: Row): Order {
  return {
    id: row.id,
    state: row.state,
    account: row.account_id,
    plan: row.plan_id,
    amount: Money.ofMicro(row.amount),
    returnUrl: row.return_url,
    challengeId: row.challenge_id,
    checkoutSession: row.checkout_session,
    paymentIntent: row.payment_intent,
    failure: row.failure,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at.getTime(),
    claimedMs: row.claimed_at?.getTime() ?? null,
    grantedMs: row.granted_at?.getTime() ?? null,
  };
}
