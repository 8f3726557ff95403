import type { LotRefund, Replacement, Replacements } from '../../payment/replacement.ts';
import type { Connection } from './connection.ts';

/** Reads the periods that dearer plans replaced (migrations/functions/reversals.sql). */
export function openOrderReplacements(sql: Connection): Replacements {
  return {
    async replacementsOf(orders) {
      if (orders.length === 0) return new Map();
      const rows = await sql<
        (Replacement & { replaced: string })[]
      >`SELECT r.replaced_id AS replaced, o.id AS order, o.plan_id AS plan, coalesce((o.terms -> 'replaces' ->> 'credit')::bigint, 0) AS credit,
          (extract(epoch FROM r.created_at) * 1000)::bigint AS "atMs"
        FROM shop.replacement r JOIN shop.purchase o ON o.id = r.purchase_id WHERE r.replaced_id = ANY (${[...orders]})`;
      return new Map(rows.map(({ replaced, ...row }) => [replaced, row]));
    },
    async refundTakes(order, amount) {
      return await sql<
        LotRefund[]
      >`SELECT id AS order, plan, asset, due, remaining, unpaid FROM shop.refund_takes(${order}, ${amount})`;
    },
  };
}
