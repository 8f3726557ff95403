import type { Orders } from '../../payment/order.ts';
import type { PeriodTerms } from '../../payment/proration.ts';
import type { Connection } from './connection.ts';

/** The running periods of an account, with the units that are left of each. */
export function openOrderPeriods(sql: Connection): Pick<Orders, 'periods'> {
  return {
    async periods(account) {
      type PeriodRow = {
        id: string;
        subscription_id: string;
        renews: boolean;
        plan_id: string;
        units: number;
        terms: PeriodTerms;
        left: number;
        period_start: Date;
        period_end: Date;
      };
      const rows = await sql<
        PeriodRow[]
      >`SELECT o.id, o.subscription_id, s.processor_id IS NOT NULL AS renews, o.plan_id, o.units, o.terms, t.remaining AS left, o.period_start, o.period_end
        FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id AND s.ended_at IS NULL
          JOIN ledger.posting p ON p.key = 'purchase:' || o.id CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
          JOIN ledger.statement(${account}) t ON t.lot_id = c.id AND t.expires_at > clock_timestamp()
        WHERE c.account_id = ${account} AND c.moved_to IS NULL AND s.account_id = ${account} AND o.state = 'granted' AND o.period_start <= clock_timestamp() AND o.period_end > clock_timestamp()
        ORDER BY o.period_end`;
      return rows.map((row) => ({
        order: row.id,
        subscription: row.subscription_id,
        renews: row.renews,
        plan: row.plan_id,
        price: row.terms.price,
        pricedUnits: row.terms.units,
        units: row.units,
        left: row.left,
        ...(row.terms.asset !== undefined && { asset: row.terms.asset }),
        startMs: row.period_start.getTime(),
        endMs: row.period_end.getTime(),
      }));
    },
  };
}
