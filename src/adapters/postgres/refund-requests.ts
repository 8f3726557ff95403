import * as Money from '@sluice/kernel/money';
import type { RefundRequest, RefundRequestState, RefundRequests } from '../../payment/refund-request.ts';
import { taxToRefund } from '../../payment/reversal.ts';
import type { Connection } from './connection.ts';
import * as Standby from './standby.ts';

/** A process that leases requests to notify the seller has this long, several times the duration of a mail. Then another process retries. */
const notifyWithin = '2 minutes';
const notifiedAtOnceMax = 4;
const ofAccountMax = 200;

type Row = {
  purchase_id: string;
  account_id: string;
  plan_id: string;
  paid: number;
  paid_tax: number;
  amount: number;
  unspent: number;
  reason: string;
  asked_at: Date;
  state: RefundRequestState;
  refunded: number;
  refunded_tax: number;
  /** Net amount and tax that were reversed before the request. */
  net_before: number;
  tax_before: number;
  answer: string | null;
  declined_at: Date | null;
};

/** Stores refund requests (migrations/functions/refunds.sql). */
export function openRefundRequests(sql: Connection): RefundRequests {
  /** The requests with the tax of their purchases and refunds. */
  const withTax = () => sql`(SELECT s.*, o.tax AS paid_tax, v.refunded_tax, v.net_before, v.tax_before
    FROM shop.refund_request_status s JOIN shop.purchase o ON o.id = s.purchase_id CROSS JOIN LATERAL (
      SELECT coalesce(sum(w.tax) FILTER (WHERE w.kind = 'refund' AND w.created_at >= s.asked_at), 0)::bigint AS refunded_tax,
          coalesce(sum(w.amount) FILTER (WHERE w.created_at < s.asked_at), 0)::bigint AS net_before,
          coalesce(sum(w.tax) FILTER (WHERE w.created_at < s.asked_at), 0)::bigint AS tax_before
        FROM shop.reversal w WHERE w.purchase_id = s.purchase_id AND w.is_effective
    ) v)`;
  return {
    async ask(purchase, amount, reason) {
      const rows = await sql`INSERT INTO shop.refund_request (purchase_id, amount, reason)
        VALUES (${purchase}, ${amount}, ${reason}) ON CONFLICT DO NOTHING RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
      return rows.length > 0;
    },
    async find(purchase) {
      const [row] = await sql<Row[]>`SELECT * FROM ${withTax()} r WHERE purchase_id = ${purchase}`;
      if (row) await Standby.confirmed(sql);
      return row ? request(row) : null;
    },
    async of(account) {
      const rows = await sql<Row[]>`SELECT * FROM ${withTax()} r
        WHERE account_id = ${account} ORDER BY asked_at DESC LIMIT ${ofAccountMax}`;
      return rows.map(request);
    },
    async list(state, after, limit) {
      const rows = await sql<
        (Row & { email: string | null })[]
      >`SELECT r.*, a.email FROM ${withTax()} r LEFT JOIN shop.account a ON a.id = r.account_id
        WHERE (${state}::text IS NULL OR state = ${state}) AND (${after}::text IS NULL OR (asked_at, purchase_id) < (
          SELECT a.asked_at, a.purchase_id FROM shop.refund_request a WHERE a.purchase_id = ${after}))
        ORDER BY asked_at DESC, purchase_id DESC LIMIT ${limit}`;
      return rows.map((row) => ({ ...request(row), email: row.email }));
    },
    async decline(purchase, answer, who) {
      const [row] = await sql<
        [{ declined: boolean }]
      >`SELECT shop.decline_refund_request(${purchase}, ${answer}, ${who}) AS declined`;
      return row.declined;
    },
    async takeUnnotified() {
      const rows = await sql<Row[]>`WITH taken AS (
          UPDATE shop.refund_request SET notifying_until = clock_timestamp() + ${notifyWithin}::interval
            WHERE purchase_id IN (SELECT purchase_id FROM shop.refund_request
              WHERE notified_at IS NULL AND coalesce(notifying_until < clock_timestamp(), true)
              ORDER BY asked_at LIMIT ${notifiedAtOnceMax} FOR UPDATE SKIP LOCKED)
            RETURNING purchase_id)
        SELECT s.* FROM taken JOIN ${withTax()} s USING (purchase_id) ORDER BY s.asked_at`;
      return rows.map(request);
    },
    async markNotified(purchase) {
      await sql`UPDATE shop.refund_request SET notified_at = clock_timestamp() WHERE purchase_id = ${purchase}`;
    },
  };
}

function request(row: Row): RefundRequest {
  const before = { net: row.net_before, tax: row.tax_before };
  const paid = { amount: Money.ofMicro(row.paid), tax: Money.ofMicro(row.paid_tax) };
  return {
    purchase: row.purchase_id,
    account: row.account_id,
    plan: row.plan_id,
    paid: paid.amount,
    paidTax: paid.tax,
    amount: Money.ofMicro(row.amount),
    tax: taxToRefund(paid, before, row.amount),
    unspent: Money.ofMicro(row.unspent),
    reason: row.reason,
    askedMs: row.asked_at.getTime(),
    state: row.state,
    refunded: Money.ofMicro(row.refunded),
    refundedTax: Money.ofMicro(row.refunded_tax),
    answer: row.answer,
    declinedMs: row.declined_at?.getTime() ?? null,
  };
}
