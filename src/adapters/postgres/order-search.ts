import * as Money from '@sluice/kernel/money';
import type { OrderFilter, OrderSearch } from '../../payment/order-search.ts';
import * as ReceiptNumber from '../../payment/receipt-number.ts';
import type { Standing } from '../../payment/reversal.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';

const dayMs = 86_400_000;
/** The length of the id of an account or a purchase. */
const idChars = 36;

/** Searches orders for the seller. */
export function openOrderSearch(sql: Connection): OrderSearch {
  /** Orders whose id, or that of their account, starts with a text. The range is read from an index, whatever its collation. */
  const startsWith = (prefix: string) => {
    const last = prefix.padEnd(idChars, 'f');
    return sql`o.id IN (SELECT id FROM shop.purchase WHERE id BETWEEN ${prefix} AND ${last} AND starts_with(id, ${prefix})
      UNION SELECT id FROM shop.purchase WHERE account_id BETWEEN ${prefix} AND ${last} AND starts_with(account_id, ${prefix}))`;
  };
  /** Orders that an id of the shop or of the processor belongs to. Each part reads its own index. */
  const ofId = (id: string) => sql`o.id IN (
    SELECT id FROM shop.purchase WHERE id = ${id} UNION SELECT id FROM shop.purchase WHERE account_id = ${id}
    UNION SELECT id FROM shop.purchase WHERE payment = ${id} UNION SELECT id FROM shop.purchase WHERE transaction = ${id.toLowerCase()}
    UNION SELECT id FROM shop.purchase WHERE checkout_session = ${id}
    UNION SELECT purchase_id FROM shop.reversal WHERE id = ${id}
    UNION SELECT order_id FROM shop.charge WHERE id = ${id}
    UNION SELECT p.id FROM shop.purchase p WHERE p.payment IN (SELECT payment FROM shop.charge WHERE id = ${id}
      UNION SELECT payment FROM shop.fee WHERE id = ${id} UNION SELECT payment FROM shop.fraud_signal WHERE id = ${id})
    UNION SELECT p.id FROM shop.purchase p JOIN shop.subscription s ON s.id = p.subscription_id WHERE s.id = ${id} OR s.processor_id = ${id}
    UNION SELECT p.id FROM shop.purchase p JOIN shop.top_up t ON t.account_id = p.account_id WHERE t.saved_card ->> 'customer' = ${id})`;
  const text = (given: string | undefined) => {
    // Lists show the start of an id with an ellipsis.
    const typed = given?.replace(/…$/, '');
    if (typed === undefined) return sql`true`;
    const start = /^(?:(acc|pur|in)_)?([0-9a-f]{6,31})$/.exec(typed);
    if (start?.[1] !== undefined) return startsWith(typed);
    if (/^[a-z]{2,6}_\w+(:\w+)?$|^0x[0-9a-fA-F]{64}$/.test(typed)) return ofId(typed);
    const ids = ReceiptNumber.idsOf(typed);
    if (ids !== null) return sql`EXISTS (SELECT FROM unnest(${ids}::text[]) n WHERE starts_with(o.id, n))`;
    const pattern = `${typed.toLowerCase().replace(/[\\%_]/g, String.raw`\$&`)}%`;
    const people = sql`o.account_id IN (SELECT id FROM shop.account WHERE email LIKE ${pattern} UNION ALL SELECT account_id FROM shop.member WHERE email LIKE ${pattern}
      UNION ALL SELECT account_id FROM shop.subscription WHERE payer_email = ${typed.toLowerCase()})`;
    // Digits alone may be the start of an id without its prefix.
    return start === null
      ? people
      : sql`(${people} OR ${startsWith(`acc_${typed}`)} OR ${startsWith(`pur_${typed}`)})`;
  };
  const state = (wanted: OrderFilter['state']) => {
    switch (wanted) {
      case undefined:
        return sql`o.state <> 'offered'`;
      case 'refunded':
        return sql`o.state <> 'offered' AND EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'refund' AND v.is_effective)`;
      case 'disputed':
        return sql`o.state <> 'offered' AND EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'dispute' AND NOT starts_with(v.status, 'warning_'))`;
      case 'inquiry':
        return sql`o.state <> 'offered' AND EXISTS (SELECT FROM shop.reversal v WHERE v.purchase_id = o.id AND v.kind = 'dispute' AND starts_with(v.status, 'warning_'))`;
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
      type Row = OrderRow & Standing & { email: string | null; reversed: number };
      const [first, end] = [from ? new Date(from) : null, to ? new Date(Date.parse(to) + dayMs) : null];
      const rows = await sql<
        Row[]
      >`SELECT o.*, shop.contact_of(o.account_id) AS email, least(o.amount, r.reversed)::bigint AS reversed,
          r."isDisputed", r."isLost", r."hasInquiry", r."isPending"
        FROM (SELECT * FROM shop.purchase o
        WHERE ${state(wantedState)} AND ${text(typed)} AND ${rail(wantedRail)}
          AND (${plan ?? null}::text IS NULL OR o.plan_id = ${plan ?? null})
          AND (${first}::timestamptz IS NULL OR o.created_at >= ${first}) AND (${end}::timestamptz IS NULL OR o.created_at < ${end})
          AND (${after}::text IS NULL OR (o.created_at, o.id) < (SELECT b.created_at, b.id FROM shop.purchase b WHERE b.id = ${after}))
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${max}) o, LATERAL (
          SELECT coalesce(sum(v.amount) FILTER (WHERE v.is_effective), 0) AS reversed,
            coalesce(bool_or(v.kind = 'dispute' AND v.is_effective), false) AS "isDisputed",
            coalesce(bool_or(v.kind = 'dispute' AND v.status = 'lost'), false) AS "isLost",
            coalesce(bool_or(v.kind = 'dispute' AND v.status IN ('warning_needs_response', 'warning_under_review')), false) AS "hasInquiry",
            coalesce(bool_or(v.kind = 'refund' AND v.status IN ('pending', 'requires_action')), false) AS "isPending"
          FROM shop.reversal v WHERE v.purchase_id = o.id) r
        ORDER BY o.created_at DESC, o.id DESC`;
      return rows.map((row) => ({
        order: order(row),
        email: row.email,
        reversed: Money.ofMicro(row.reversed),
        isDisputed: row.isDisputed,
        isLost: row.isLost,
        hasInquiry: row.hasInquiry,
        isPending: row.isPending,
      }));
    },
  };
}
