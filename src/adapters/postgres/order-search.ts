import * as Money from '@sluice/kernel/money';
import type { OrderFilter, OrderSearch } from '../../payment/order-search.ts';
import * as ReceiptNumber from '../../payment/receipt-number.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';

const dayMs = 86_400_000;

/** Searches orders for the seller. */
export function openOrderSearch(sql: Connection): OrderSearch {
  const text = (typed: string | undefined) => {
    if (typed === undefined) return sql`true`;
    if (/^[a-z]{2,6}_\w+(:\w+)?$|^0x[0-9a-fA-F]{64}$/.test(typed))
      return sql`(o.id = ${typed} OR o.account_id = ${typed} OR o.payment = ${typed} OR o.transaction = ${typed.toLowerCase()})`;
    const ids = ReceiptNumber.idsOf(typed);
    if (ids !== null) return sql`EXISTS (SELECT FROM unnest(${ids}::text[]) n WHERE starts_with(o.id, n))`;
    const pattern = `${typed.toLowerCase().replace(/[\\%_]/g, String.raw`\$&`)}%`;
    return sql`o.account_id IN (SELECT id FROM shop.account WHERE email LIKE ${pattern} UNION ALL SELECT account_id FROM shop.member WHERE email LIKE ${pattern})`;
  };
  const state = (wanted: OrderFilter['state']) => {
    switch (wanted) {
      case undefined:
        return sql`o.state <> 'offered'`;
      case 'refunded':
        return sql`o.state <> 'offered' AND EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'refund' AND v.is_effective)`;
      case 'disputed':
        return sql`o.state <> 'offered' AND EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'dispute')`;
      case 'granted':
        // Only what is still paid in full: the others are listed as refunded or disputed.
        return sql`o.state = 'granted' AND NOT EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.is_effective)`;
      default:
        return sql`o.state = ${wanted}`;
    }
  };
  const rail = (wanted: OrderFilter['rail']) => {
    if (wanted === undefined) return sql`true`;
    // A page that is paid after a program's card was declined counts as the program's: the order keeps its challenge.
    if (wanted === 'mpp') return sql`o.rail = 'card' AND o.challenge_id IS NOT NULL`;
    return wanted === 'card' ? sql`o.rail = 'card' AND o.challenge_id IS NULL` : sql`o.rail = ${wanted}`;
  };
  return {
    async find({ text: typed, state: wantedState, rail: wantedRail, plan, from, to }, after, max) {
      type Row = OrderRow & { email: string | null; reversed: number; is_disputed: boolean };
      const [first, end] = [from ? new Date(from) : null, to ? new Date(Date.parse(to) + dayMs) : null];
      const rows = await sql<
        Row[]
      >`SELECT o.*, shop.contact_of(o.account_id) AS email, least(o.amount, coalesce((
          SELECT sum(v.amount) FROM shop.reversal v WHERE v.purchase_id = o.id AND v.is_effective), 0))::bigint AS reversed,
          EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'dispute' AND v.is_effective) AS is_disputed
        FROM shop.purchase o
        WHERE ${state(wantedState)} AND ${text(typed)} AND ${rail(wantedRail)}
          AND (${plan ?? null}::text IS NULL OR o.plan_id = ${plan ?? null})
          AND (${first}::timestamptz IS NULL OR o.created_at >= ${first}) AND (${end}::timestamptz IS NULL OR o.created_at < ${end})
          AND (${after}::text IS NULL OR (o.created_at, o.id) < (SELECT b.created_at, b.id FROM shop.purchase b WHERE b.id = ${after}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${max}`;
      return rows.map((row) => ({
        order: order(row),
        email: row.email,
        reversed: Money.ofMicro(row.reversed),
        isDisputed: row.is_disputed,
      }));
    },
  };
}
