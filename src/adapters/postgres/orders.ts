import type { Order, Orders, WebhookEvents } from '../../payment/order.ts';
import { addBillingDetails } from './billing-details.ts';
import type { Connection } from './connection.ts';
import * as OrderClaims from './order-claims.ts';
import * as OrderPages from './order-pages.ts';
import * as OrderPeriods from './order-periods.ts';
import * as OrderReplacements from './order-replacements.ts';
import * as OrderReversals from './order-reversals.ts';
import { type OrderRow, order } from './order-row.ts';
import * as Standby from './standby.ts';

/** Offers that were not paid are kept this long. */
const unpaidKeptMs = 3 * 24 * 60 * 60 * 1000;
/** Longer lists are read in random order, so that orders that cannot be resolved do not keep the others waiting forever. */
const listedMax = 200;

type OrderQueries = Pick<
  Orders,
  'find' | 'findByChallenge' | 'paidBy' | 'grantedSince' | 'paidFor' | 'begun' | 'inDoubt'
>;
type OrderRecords = Pick<Orders, 'offer' | 'markUnreconciled' | 'sweep'>;

/**
 * Orders in PostgreSQL. Only functions in migrations/functions move money.
 * @param writer the ledger writer of this process, which claims orders
 */
export function openOrders(sql: Connection, writer: string): Orders {
  return {
    ...queries(sql),
    ...records(sql),
    keepBuyer: (account, details) => addBillingDetails(sql, account, details),
    ...OrderClaims.openOrderClaims(sql, writer),
    ...OrderPages.openOrderPages(sql),
    ...OrderPeriods.openOrderPeriods(sql),
    ...OrderReplacements.openOrderReplacements(sql),
    ...OrderReversals.openOrderReversals(sql),
  };
}

/** The orders that processes list and look up. */
function queries(sql: Connection): OrderQueries {
  return {
    async find(id) {
      const [row] = await sql<OrderRow[]>`SELECT * FROM shop.purchase WHERE id = ${id}`;
      return confirmed(sql, row);
    },
    async findByChallenge(challengeId) {
      const [row] = await sql<OrderRow[]>`SELECT * FROM shop.purchase WHERE challenge_id = ${challengeId}`;
      return confirmed(sql, row);
    },
    async paidBy(payment) {
      const [row] = await sql<OrderRow[]>`SELECT * FROM shop.purchase WHERE payment = ${payment}`;
      return confirmed(sql, row);
    },
    async *grantedSince(sinceMs) {
      let after = '';
      for (;;) {
        const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase
          WHERE state = 'granted' AND granted_at >= ${new Date(sinceMs)} AND id > ${after} ORDER BY id LIMIT ${listedMax}`;
        for (const row of rows) yield order(row);
        if (rows.length < listedMax) return;
        after = rows.at(-1)?.id ?? '';
      }
    },
    async paidFor(account, after, limit) {
      const rows = await sql<OrderRow[]>`SELECT o.* FROM shop.purchase o
        WHERE o.account_id = ${account} AND o.state = 'granted' AND (${after}::text IS NULL OR (o.created_at, o.id) < (
          SELECT a.created_at, a.id FROM shop.purchase a WHERE a.id = ${after} AND a.account_id = ${account}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`;
      if (rows.length > 0) await Standby.confirmed(sql);
      return rows.map(order);
    },
    async begun(account, after, limit) {
      const rows = await sql<OrderRow[]>`SELECT o.* FROM shop.purchase o
        WHERE (${account}::text IS NULL OR o.account_id = ${account}) AND o.state <> 'offered' AND (${after}::text IS NULL OR (o.created_at, o.id) < (
          SELECT a.created_at, a.id FROM shop.purchase a WHERE a.id = ${after}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`;
      return rows.map(order);
    },
    async inDoubt() {
      const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase p
        WHERE claimed_by IS NOT NULL AND NOT shop.is_being_charged(p) ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(order);
    },
  };
}

/** Returns an order. One that is granted is returned when the standby has it too, because its buyer gets a receipt for it. */
async function confirmed(sql: Connection, row: OrderRow | undefined): Promise<Order | null> {
  if (row?.state === 'granted') await Standby.confirmed(sql);
  return row ? order(row) : null;
}

/** Writes to orders other than charges and pages. */
function records(sql: Connection): OrderRecords {
  return {
    async offer({
      id,
      account,
      plan,
      amount,
      period,
      rail,
      returnUrl,
      expiresMs,
      challengeId = null,
      payer = null,
      signedPayment = null,
      taxQuote = null,
    }) {
      const rows =
        await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, units, terms, rail, return_url, expires_at, challenge_id, payer, signed_payment, tax_quote)
        VALUES (${id}, ${account}, ${plan}, ${amount}, ${period?.units ?? null}, ${period ? sql.json(period.terms) : null}, ${rail},
          ${returnUrl}, ${new Date(expiresMs)}, ${challengeId}, ${payer}, ${signedPayment && sql.json(signedPayment)}, ${taxQuote && sql.json(taxQuote)}) ON CONFLICT DO NOTHING RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
    },
    async markUnreconciled(id, reason) {
      await sql`UPDATE shop.purchase SET unreconciled = ${reason} WHERE id = ${id} AND unreconciled IS DISTINCT FROM ${reason}`;
    },
    async sweep(nowMs) {
      await sql`DELETE FROM shop.purchase
        WHERE state = 'offered' AND checkout_session IS NULL AND pages_closed = 0 AND expires_at < ${new Date(nowMs - unpaidKeptMs)}`;
    },
  };
}

/** Stores the webhook events of the processor, each once. */
export function openWebhookEvents(sql: Connection): WebhookEvents {
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
