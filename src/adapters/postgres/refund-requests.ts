import * as Money from '../../kernel/money.ts';
import type { RefundRequest, RefundRequests, State } from '../../payment/refund-request.ts';
import type { Connection } from './connection.ts';

/** Who takes requests to tell the seller of them has so long, several times what a mail may take; then another process does. */
const tellingWithin = '2 minutes';
const untoldMax = 4;
const ofAccountMax = 200;

type Row = {
  purchase_id: string;
  account_id: string;
  plan_id: string;
  paid: number;
  amount: number;
  unspent: number;
  reason: string;
  asked_at: Date;
  state: State;
  refunded: number;
  answer: string | null;
  declined_at: Date | null;
};

/** Refund requests in PostgreSQL (migrations/0007_self_service.sql). */
export function open(sql: Connection): RefundRequests {
  return {
    async ask(purchase, amount, reason) {
      const rows = await sql`INSERT INTO shop.refund_request (purchase_id, amount, reason)
        VALUES (${purchase}, ${amount}, ${reason}) ON CONFLICT DO NOTHING RETURNING 1`;
      return rows.length > 0;
    },
    async find(purchase) {
      const [row] = await sql<Row[]>`SELECT * FROM shop.refund_request_shown WHERE purchase_id = ${purchase}`;
      return row ? request(row) : null;
    },
    async of(account) {
      const rows = await sql<Row[]>`SELECT * FROM shop.refund_request_shown
        WHERE account_id = ${account} ORDER BY asked_at DESC LIMIT ${ofAccountMax}`;
      return rows.map(request);
    },
    async list(state, after, limit) {
      const rows = await sql<Row[]>`SELECT * FROM shop.refund_request_shown
        WHERE (${state}::text IS NULL OR state = ${state}) AND (${after}::text IS NULL OR (asked_at, purchase_id) < (
          SELECT a.asked_at, a.purchase_id FROM shop.refund_request a WHERE a.purchase_id = ${after}))
        ORDER BY asked_at DESC, purchase_id DESC LIMIT ${limit}`;
      return rows.map(request);
    },
    async decline(purchase, answer, who) {
      const [row] = await sql<
        [{ declined: boolean }]
      >`SELECT shop.decline_refund_request(${purchase}, ${answer}, ${who}) AS declined`;
      return row.declined;
    },
    async takeUntold() {
      const rows = await sql<Row[]>`WITH taken AS (
          UPDATE shop.refund_request SET telling_until = clock_timestamp() + ${tellingWithin}::interval
            WHERE purchase_id IN (SELECT purchase_id FROM shop.refund_request
              WHERE told_at IS NULL AND coalesce(telling_until < clock_timestamp(), true)
              ORDER BY asked_at LIMIT ${untoldMax} FOR UPDATE SKIP LOCKED)
            RETURNING purchase_id)
        SELECT s.* FROM taken JOIN shop.refund_request_shown s USING (purchase_id) ORDER BY s.asked_at`;
      return rows.map(request);
    },
    async told(purchase) {
      await sql`UPDATE shop.refund_request SET told_at = clock_timestamp() WHERE purchase_id = ${purchase}`;
    },
  };
}

function request(row: Row): RefundRequest {
  return {
    purchase: row.purchase_id,
    account: row.account_id,
    plan: row.plan_id,
    paid: Money.ofMicro(row.paid),
    amount: Money.ofMicro(row.amount),
    unspent: Money.ofMicro(row.unspent),
    reason: row.reason,
    askedMs: row.asked_at.getTime(),
    state: row.state,
    refunded: Money.ofMicro(row.refunded),
    answer: row.answer,
    declinedMs: row.declined_at?.getTime() ?? null,
  };
}
