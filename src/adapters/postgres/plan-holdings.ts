import * as Money from '@sluice/kernel/money';
import type { Period, PlanHoldings, PlanHoldingsReader } from '../../catalog/plan-holdings.ts';
import { pageGraceMs } from '../../payment/order.ts';
import type { Connection } from './connection.ts';

/** Statement timeout for counting all lots of a large shop, which takes longer than the timeout of calls. */
export const stakesMsMax = 60_000;

/**
 * Reads the balances and subscriptions of each plan. Amounts used by running calls may still be included, so nothing is counted too low.
 * @param prompt a pool whose statements have a short deadline: it finds out first that the database does not respond at all
 */
export function openPlanHoldings(sql: Connection, prompt: Connection = sql): PlanHoldingsReader {
  return {
    async all() {
      await prompt`SELECT 1`;
      const [held, running, begun] = await Promise.all([lots(sql), periods(sql), others(sql)]);
      const names = new Set([...held, ...running, ...begun].map(({ plan }) => plan));
      return [...names].sort().map((plan): PlanHoldings => {
        const { accounts = 0, usd = 0, units = 0 } = held.find((row) => row.plan === plan) ?? {};
        const rest = begun.find((row) => row.plan === plan);
        return {
          plan,
          accounts,
          usd: Money.ofMicro(usd),
          units,
          periods: running.filter((row) => row.plan === plan).map(({ plan: _, ...period }) => period),
          coming: rest?.coming ?? 0,
          topUps: rest?.top_ups ?? 0,
          promotions: rest?.promotions ?? 0,
          offers: rest?.offers ?? 0,
        };
      });
    },
  };
}

function lots(sql: Connection) {
  type Row = { plan: string; accounts: number; usd: number; units: number };
  return sql<Row[]>`WITH leased AS (
      SELECT account_id, lot_id, sum(amount) AS amount FROM ledger.lease GROUP BY 1, 2
    ), lot AS (
      SELECT k.account_id, k.plan_id, k.asset, greatest(0, k.avail + coalesce(l.amount, 0) - k.clawback_due)::bigint AS amount
        FROM ledger.lot k LEFT JOIN leased l ON l.account_id = k.account_id AND l.lot_id = k.id
        WHERE k.kind <> 'budget' AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    )
    SELECT plan_id AS plan, count(DISTINCT account_id) AS accounts,
        coalesce(sum(amount) FILTER (WHERE asset = 'usd'), 0)::bigint AS usd,
        coalesce(sum(amount) FILTER (WHERE asset = 'unit'), 0)::bigint AS units
      FROM lot WHERE amount > 0 GROUP BY plan_id`;
}

async function periods(sql: Connection): Promise<(Period & { plan: string })[]> {
  type Row = {
    plan: string;
    accounts: number;
    price: number;
    every: Period['every'];
    units: number;
    asset: Period['asset'];
  };
  const rows = await sql<
    Row[]
  >`SELECT s.plan_id AS plan, count(DISTINCT s.account_id) AS accounts, p.price, p.every, p.units, p.asset
    FROM shop.subscription s, LATERAL (
      SELECT (terms ->> 'price')::bigint AS price, terms ->> 'every' AS every, units, coalesce(terms ->> 'asset', 'unit') AS asset FROM shop.purchase
        WHERE subscription_id = s.id AND state = 'granted' ORDER BY period_end DESC LIMIT 1
    ) p
    WHERE s.processor_id IS NOT NULL AND s.ended_at IS NULL OR s.period_end > clock_timestamp()
    GROUP BY s.plan_id, p.price, p.every, p.units, p.asset ORDER BY p.price, p.every, p.units`;
  return rows.map(({ price, ...row }) => ({ ...row, price: Money.ofMicro(price) }));
}

function others(sql: Connection) {
  type Row = { plan: string; coming: number; top_ups: number; promotions: number; offers: number };
  return sql<
    Row[]
  >`SELECT plan, count(*) FILTER (WHERE what = 'coming') AS coming, count(*) FILTER (WHERE what = 'top_up') AS top_ups,
      count(*) FILTER (WHERE what = 'promotion') AS promotions, count(*) FILTER (WHERE what = 'offer') AS offers
    FROM (
      SELECT coalesce(c.plan_id, s.next_plan_id) AS plan, 'coming' AS what FROM shop.subscription s
          LEFT JOIN shop.plan_change c ON c.subscription_id = s.id AND c.state = 'open'
        WHERE s.ended_at IS NULL AND coalesce(c.plan_id, s.next_plan_id) IS NOT NULL
      UNION ALL SELECT plan_id, 'top_up' FROM shop.top_up WHERE state = 'on'
      UNION ALL SELECT plan_id, 'promotion' FROM shop.promotion WHERE ended_at IS NULL
        AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND (redemptions_max IS NULL OR redemptions < redemptions_max)
      UNION ALL SELECT plan_id, 'offer' FROM shop.purchase WHERE state = 'claimed'
        OR state IN ('offered', 'declined') AND expires_at > clock_timestamp() - ${`${pageGraceMs} milliseconds`}::interval
    ) begun GROUP BY plan`;
}
