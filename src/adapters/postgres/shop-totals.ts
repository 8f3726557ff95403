import * as Money from '@sluice/kernel/money';
import type { ReadShopTotals } from '../../payment/shop-totals.ts';
import type { Connection } from './connection.ts';
import { openRevenueReport } from './revenue-report.ts';
import { openUsageReport } from './usage-report.ts';

/** Reads the totals of the shop. They take four queries over whole tables: ask once a minute at most. */
export function openShopTotals(sql: Connection): ReadShopTotals {
  const revenue = openRevenueReport(sql);
  const usage = openUsageReport(sql);
  return async () => {
    const [[accounts], purchases, [returned], unspent] = await Promise.all([
      sql<
        [{ anonymous: number; claimed: number }]
      >`SELECT count(*) FILTER (WHERE claimed_at IS NULL) AS anonymous,
        count(*) FILTER (WHERE claimed_at IS NOT NULL) AS claimed FROM shop.account WHERE joined_to IS NULL`,
      revenue.byRail(0),
      sql<[{ refund: number; dispute: number }]>`SELECT
        coalesce(sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS refund,
        coalesce(sum(amount) FILTER (WHERE kind = 'dispute'), 0)::bigint AS dispute
        FROM shop.reversal WHERE is_effective`,
      usage.unspent(),
    ]);
    return {
      accounts,
      purchases,
      returned: { refund: Money.ofMicro(returned.refund), dispute: Money.ofMicro(returned.dispute) },
      unspent,
    };
  };
}
