import * as Money from '@sluice/kernel/money';
import type { RevenueReport } from '../../payment/revenue-report.ts';
import type { Connection } from './connection.ts';

const entriesMax = 100;

/** Reads the lot that an order was granted, its balance and its journal. */
export function openOrderLot(sql: Connection): Pick<RevenueReport, 'lotOf'> {
  return {
    async lotOf(id) {
      type Lot = { asset: 'usd' | 'unit'; remaining: number; clawbackDue: number; unspent: number };
      type Entry = { at: Date; kind: string; asset: 'usd' | 'unit'; amount: number };
      const chain = sql`FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c WHERE p.key = ${`purchase:${id}`}`;
      const [lots, entries] = await Promise.all([
        sql<
          Lot[]
        >`SELECT k.asset, sum(s.remaining)::bigint AS remaining, sum(k.clawback_due)::bigint AS "clawbackDue",
            (SELECT shop.unspent_value(o) FROM shop.purchase o WHERE o.id = ${id}) AS unspent
          FROM (SELECT c.account_id, c.id ${chain}) l JOIN ledger.lot k ON k.account_id = l.account_id AND k.id = l.id
            JOIN LATERAL ledger.statement(l.account_id) s ON s.lot_id = l.id GROUP BY 1`,
        sql<Entry[]>`SELECT e.at, e.kind, k.asset, e.amount FROM (SELECT c.account_id, c.id ${chain}) l
            JOIN ledger.lot k ON k.account_id = l.account_id AND k.id = l.id
            JOIN ledger.posting e ON e.account_id = l.account_id AND e.lot_id = l.id
          ORDER BY e.at DESC LIMIT ${entriesMax}`,
      ]);
      const [lot] = lots;
      return lot
        ? {
            ...lot,
            unspent: Money.ofMicro(lot.unspent),
            entries: entries.map(({ at, ...entry }) => ({ ...entry, atMs: at.getTime() })),
          }
        : null;
    },
  };
}
