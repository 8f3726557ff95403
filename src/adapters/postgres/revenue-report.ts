import * as Money from '@sluice/kernel/money';
import type { RailRevenue, RevenueReport } from '../../payment/revenue-report.ts';
import type { Reversal } from '../../payment/reversal.ts';
import type { Connection } from './connection.ts';
import * as OrderLot from './order-lot.ts';
import { type OrderRow, order } from './order-row.ts';
import type { processorEvent } from './schema/orders.ts';
import type { subscription } from './schema/plans.ts';
import type { Row } from './schema/row.ts';

/** Payments, refunds and open problems, for the seller's console. */
export function openRevenueReport(sql: Connection): RevenueReport {
  return { ...sums(sql), ...lists(sql), ...returned(sql), ...OrderLot.openOrderLot(sql) };
}

function sums(sql: Connection): Pick<RevenueReport, 'hasSold' | 'byDay' | 'byRail'> {
  return {
    async hasSold() {
      const [row] = await sql<
        [{ found: boolean }]
      >`SELECT EXISTS (SELECT FROM shop.purchase WHERE state = 'granted') AS found`;
      return row.found;
    },
    async byDay(sinceMs) {
      type Row = {
        day: string;
        gross: number;
        refunded: number;
        lost: number;
        tax: number;
        tax_returned: number;
      };
      const from = new Date(sinceMs);
      const rows = await sql<
        Row[]
      >`SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(o.gross, 0)::bigint AS gross,
          coalesce(r.refunded, 0)::bigint AS refunded, coalesce(r.lost, 0)::bigint AS lost,
          coalesce(o.tax, 0)::bigint AS tax, coalesce(r.tax_returned, 0)::bigint AS tax_returned
        FROM generate_series(date_trunc('day', ${from}::timestamptz AT TIME ZONE 'UTC'), clock_timestamp() AT TIME ZONE 'UTC', interval '1 day') d (day)
        LEFT JOIN (
          SELECT date_trunc('day', granted_at AT TIME ZONE 'UTC') AS day, sum(amount) AS gross, sum(tax) AS tax
            FROM shop.purchase WHERE state = 'granted' AND granted_at >= ${from} GROUP BY 1
        ) o ON o.day = d.day
        LEFT JOIN (
          SELECT date_trunc('day', created_at AT TIME ZONE 'UTC') AS day, sum(amount) FILTER (WHERE kind = 'refund' AND is_effective) AS refunded,
              sum(amount) FILTER (WHERE kind = 'dispute' AND status = 'lost') AS lost,
              sum(tax) FILTER (WHERE kind = 'refund' AND is_effective OR kind = 'dispute' AND status = 'lost') AS tax_returned
            FROM shop.reversal WHERE created_at >= ${from} GROUP BY 1
        ) r ON r.day = d.day ORDER BY 1`;
      return rows.map((row) => ({
        day: row.day,
        gross: Money.ofMicro(row.gross),
        refunded: Money.ofMicro(row.refunded),
        lost: Money.ofMicro(row.lost),
        tax: Money.ofMicro(row.tax),
        taxReturned: Money.ofMicro(row.tax_returned),
      }));
    },
    async byRail(sinceMs) {
      // A page that is paid after a program's card was declined counts as the program's: the order keeps its challenge.
      const rows = await sql<
        { rail: RailRevenue['rail']; orders: number; gross: number }[]
      >`SELECT CASE WHEN rail = 'card' AND challenge_id IS NOT NULL THEN 'mpp' ELSE rail END AS rail,
          count(*) AS orders, sum(amount)::bigint AS gross
        FROM shop.purchase WHERE state = 'granted' AND granted_at >= ${new Date(sinceMs)} GROUP BY 1 ORDER BY 3 DESC, 1`;
      return rows.map((row) => ({ ...row, gross: Money.ofMicro(row.gross) }));
    },
  };
}

function lists(
  sql: Connection,
): Pick<RevenueReport, 'unfinished' | 'declined' | 'openWebhookEvents' | 'pastDue'> {
  return {
    async unfinished(max, only) {
      type Unfinished = OrderRow & { at_work: boolean; email: string | null };
      const rows = await sql<Unfinished[]>`
        SELECT p.*, shop.is_being_charged(p) AS at_work, shop.contact_of(p.account_id) AS email FROM shop.purchase p
          WHERE (claimed_by IS NOT NULL OR unreconciled IS NOT NULL AND checkout_session IS NOT NULL)
            ${only === undefined ? sql`` : sql`AND id = ${only}`}
          ORDER BY created_at DESC LIMIT ${max}`;
      return rows.map((row) => ({
        order: order(row),
        email: row.email,
        isAtWork: row.at_work,
        reason: row.unreconciled,
      }));
    },
    async declined(sinceMs, max) {
      const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase
        WHERE state = 'declined' AND created_at >= ${new Date(sinceMs)} ORDER BY created_at DESC, id DESC LIMIT ${max}`;
      return rows.map(order);
    },
    async openWebhookEvents(max) {
      type Open = Pick<
        Row<typeof processorEvent>,
        'id' | 'type' | 'received_at' | 'attempts' | 'failure' | 'failed_at'
      >;
      const rows = await sql<
        Open[]
      >`SELECT id, type, received_at, attempts, failure, failed_at FROM shop.processor_event
        WHERE done_at IS NULL ORDER BY received_at DESC LIMIT ${max}`;
      return rows.map((row) => ({
        id: row.id,
        type: row.type,
        receivedMs: row.received_at.getTime(),
        attempts: row.attempts,
        failure: row.failure,
        failedMs: row.failed_at?.getTime() ?? null,
      }));
    },
    async pastDue(max) {
      type PastDue = Pick<Row<typeof subscription>, 'id' | 'account_id' | 'plan_id' | 'period_end'> & {
        email: string | null;
        price: number | null;
        access_until: Date | null;
      };
      const rows = await sql<
        PastDue[]
      >`SELECT s.id, s.account_id, s.plan_id, s.period_end, shop.contact_of(s.account_id) AS email,
          CASE WHEN s.next_plan_id IS NULL THEN (SELECT (o.terms->>'price')::bigint FROM shop.purchase o
            WHERE o.subscription_id = s.id AND o.state = 'granted' ORDER BY o.created_at DESC LIMIT 1) END AS price,
          (SELECT max(e.ends) FROM shop.allowance_ends(s.id) e) AS access_until
        FROM shop.subscription s WHERE s.status = 'past_due' ORDER BY s.period_end DESC LIMIT ${max}`;
      return rows.map((row) => ({
        subscription: row.id,
        account: row.account_id,
        email: row.email,
        plan: row.plan_id,
        price: row.price === null ? null : Money.ofMicro(row.price),
        periodEndMs: row.period_end.getTime(),
        accessUntilMs: (row.access_until ?? row.period_end).getTime(),
      }));
    },
  };
}

function returned(sql: Connection): Pick<RevenueReport, 'returned'> {
  return {
    async returned(max) {
      type Returned = {
        id: string;
        kind: Reversal['kind'];
        amount: number;
        status: string;
        is_effective: boolean;
        reason: string | null;
        order_id: string;
        account_id: string | null;
        email: string | null;
        payment: string | null;
        created_at: Date;
        updated_at: Date;
        due_at: Date | null;
        loss: number;
      };
      const rows = await sql<
        Returned[]
      >`WITH waiting AS (SELECT * FROM shop.reversal WHERE kind = 'dispute' AND status IN ('needs_response', 'warning_needs_response')
            ORDER BY created_at DESC LIMIT ${max}),
          latest AS (SELECT * FROM shop.reversal ORDER BY created_at DESC LIMIT ${max})
        SELECT v.id, v.kind, v.amount, v.status, v.is_effective, v.reason, v.due_at, v.created_at, v.updated_at,
          o.id AS order_id, o.account_id, a.email, o.payment, shop.reversal_loss(o.id) AS loss
        FROM (SELECT * FROM waiting UNION SELECT * FROM latest) v JOIN shop.purchase o ON o.id = v.purchase_id
          LEFT JOIN shop.account a ON a.id = o.account_id
        ORDER BY v.id IN (SELECT id FROM waiting) DESC, v.created_at DESC, v.id`;
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        amount: Money.ofMicro(row.amount),
        status: row.status,
        isEffective: row.is_effective,
        reason: row.reason,
        dueMs: row.due_at?.getTime() ?? null,
        key: null,
        order: row.order_id,
        account: row.account_id,
        email: row.email,
        payment: row.payment,
        createdMs: row.created_at.getTime(),
        updatedMs: row.updated_at.getTime(),
        loss: Money.ofMicro(row.loss),
      }));
    },
  };
}
