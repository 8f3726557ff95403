import * as Money from '@sluice/kernel/money';
import type { UsageReport } from '../../ledger/usage-report.ts';
import type { Connection } from './connection.ts';

const writersShownMax = 50;

/** The usage of all accounts, in PostgreSQL (migrations/functions/ledger-totals.sql). */
export function openUsageReport(sql: Connection): UsageReport {
  return {
    async byModel(sinceMs) {
      type Row = {
        service: string;
        price_key: string;
        calls: number;
        units: number;
        included: number;
        cost: number;
        costed_calls: number;
        revenue: number;
        upstream_cost: number;
        quantities: Record<string, number> | null;
      };
      const rows = await sql<Row[]>`SELECT * FROM ledger.usage_by_model(${hour(sinceMs)})`;
      return rows.map((row) => ({
        service: row.service,
        model: row.price_key === '' ? null : row.price_key,
        calls: row.calls,
        units: row.units,
        included: row.included,
        charged: Money.ofMicro(row.cost),
        quantities: row.quantities ?? {},
        margin: {
          calls: row.costed_calls,
          unknownCalls: row.calls - row.costed_calls,
          revenue: Money.ofMicro(row.revenue),
          upstreamCost: Money.ofMicro(row.upstream_cost),
        },
      }));
    },
    async callers(sinceMs) {
      const [row] = await sql<
        [{ callers: number }]
      >`SELECT ledger.callers_since(${hour(sinceMs)}) AS callers`;
      return row.callers;
    },
    async unspent() {
      const rows = await sql<
        { asset: 'usd' | 'unit'; is_paid: boolean; amount: number }[]
      >`SELECT * FROM ledger.unspent()`;
      const of = (asset: string, isPaid: boolean) =>
        rows.find((row) => row.asset === asset && row.is_paid === isPaid)?.amount ?? 0;
      const side = (isPaid: boolean) => ({
        usd: Money.ofMicro(of('usd', isPaid)),
        units: of('unit', isPaid),
      });
      return { paid: side(true), given: side(false) };
    },
    async writers() {
      type Row = {
        id: string;
        epoch: number;
        open: boolean;
        silent_ms: number;
        uncheckpointed: number;
        leases: number;
        usd: number;
        units: number;
      };
      const rows = await sql<
        Row[]
      >`SELECT n.id, n.epoch, n.open, greatest(0, extract(epoch FROM clock_timestamp() - n.heartbeat_at) * 1000)::bigint AS silent_ms,
          (SELECT count(*) FROM ledger.batch b WHERE n.open AND b.writer_id = n.id AND b.epoch = n.epoch AND b.seq > n.checkpointed_seq) AS uncheckpointed,
          h.leases, h.usd, h.units
        FROM ledger.writer n, LATERAL (
          SELECT count(*) FILTER (WHERE l.amount > 0) AS leases, coalesce(sum(l.amount) FILTER (WHERE k.asset = 'usd'), 0)::bigint AS usd,
              coalesce(sum(l.amount) FILTER (WHERE k.asset = 'unit'), 0)::bigint AS units
            FROM ledger.lease l JOIN ledger.lot k ON k.account_id = l.account_id AND k.id = l.lot_id AND k.kind <> 'budget' WHERE l.writer_id = n.id
        ) h
        WHERE n.open OR h.leases > 0 OR n.heartbeat_at > clock_timestamp() - interval '1 day'
        ORDER BY n.open DESC, h.leases > 0 DESC, n.heartbeat_at DESC LIMIT ${writersShownMax}`;
      return rows.map((row) => ({
        writer: row.id,
        epoch: row.epoch,
        isOpen: row.open,
        silentMs: row.silent_ms,
        uncheckpointed: row.uncheckpointed,
        leases: row.leases,
        leased: { usd: Money.ofMicro(row.usd), units: row.units },
      }));
    },
    async answers(sinceMs) {
      const rows = await sql<
        { status: number; calls: number }[]
      >`SELECT status::int AS status, count(*) AS calls
        FROM ledger.usage WHERE draw = 0 AND call_id >= ledger.uuid_at(${new Date(sinceMs)}) GROUP BY 1 ORDER BY 1`;
      return [...rows];
    },
  };
}

/** Returns the start of the hour (UTC) of a moment. */
function hour(ms: number): Date {
  const hourMs = 3_600_000;
  return new Date(Math.floor(ms / hourMs) * hourMs);
}
