import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openConsole } from '../../src/adapters/postgres/console.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { closeBooks } from '../../src/adapters/postgres/usage.ts';

/**
 * Measures the database load of the console's front page: `DATABASE_URL=postgres://... node bench/console/run.ts [calls] [orders]`.
 * Creates its own database, fills it with a month of data, and drops it at the end.
 */
const calls = Number(process.argv[2] ?? 200_000);
const orders = Number(process.argv[3] ?? 20_000);
const accounts = Math.ceil(orders / 4);
const runs = 11;
const dayMs = 86_400_000;

const server = process.env.DATABASE_URL;
if (server === undefined)
  throw new Error('DATABASE_URL is missing: a PostgreSQL on which a database may be made');
const name = id('bench');
const admin = postgres(server, { max: 1, onnotice: () => {} });
await admin.unsafe(`CREATE DATABASE ${name}`);
const url = new URL(server);
url.pathname = `/${name}`;
await migrate(url.href);
const sql = openConnection(url.href, 4);
try {
  await fill();
  await measure();
} finally {
  await sql.end({ timeout: 2 });
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}

/** Inserts thirty days of calls (one partition per day, as in a shop), orders, and a refund or dispute for every twentieth order. */
async function fill(): Promise<void> {
  const slow = postgres(url.href, { max: 1, onnotice: () => {} });
  await slow`DO $$ DECLARE d date; BEGIN
    FOR d IN SELECT (now() AT TIME ZONE 'UTC')::date - n FROM generate_series(1, 30) n LOOP
      EXECUTE format('CREATE TABLE ledger.%I PARTITION OF ledger.usage FOR VALUES FROM (%L) TO (%L)', 'usage_' || to_char(d, 'YYYYMMDD'),
        ledger.uuid_at(d::timestamp AT TIME ZONE 'UTC'), ledger.uuid_at((d + 1)::timestamp AT TIME ZONE 'UTC'));
    END LOOP; END $$`;
  await slow`INSERT INTO shop.account (id, origin, email, created_at)
    SELECT 'acc_' || n, 'anonymous', 'a' || n || '@example.com', now() - random() * interval '60 days' FROM generate_series(1, ${accounts}::int) n`;
  await slow`INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, rail, payment, expires_at, created_at, granted_at)
    SELECT 'pur_' || n, CASE WHEN n % 30 = 0 THEN 'declined' ELSE 'granted' END, 'acc_' || 1 + n % ${accounts}::int, 'credit', 5000000, 'card', 'pi_' || n, now(), at, at
      FROM (SELECT n, now() - random() * interval '60 days' AS at FROM generate_series(1, ${orders}::int) n) o`;
  await slow`INSERT INTO shop.reversal (id, purchase_id, kind, amount, status, is_effective, created_at)
    SELECT 're_' || n, 'pur_' || n, CASE WHEN n % 3 = 0 THEN 'dispute' ELSE 'refund' END, 1000000, CASE WHEN n % 3 = 0 THEN 'lost' ELSE 'succeeded' END, true, now() - random() * interval '60 days'
      FROM generate_series(1, ${orders}::int, 20) n`;
  await slow`SELECT count(ledger.grant_lot('purchase:' || id, account_id, 'purchase', 'processor', 'credit', 'usd', plan_id, amount, NULL)) FROM shop.purchase WHERE state = 'granted'`;
  await slow`INSERT INTO ledger.usage (call_id, draw, account_id, lot_id, plan_id, service, operation, status, units, price, amount, writer_id, epoch, seq)
    SELECT (left(ledger.uuid_at(now() - random() * interval '29 days')::text, 13) || '-7' || substr(gen_random_uuid()::text, 16))::uuid, 0, k.account_id, k.id, 'credit',
        'service-' || n % 20, 'POST /v1/' || n % 20, 200, 10, 1000, 10000, 'bench', 1, 1
      FROM generate_series(1, ${calls}::int) n JOIN (SELECT account_id, id, row_number() OVER () AS at FROM ledger.lot) k ON k.at = 1 + n % (SELECT count(*) FROM ledger.lot)`;
  await slow`ANALYZE`;
  await slow.end();
  const sinceMs = performance.now();
  await closeBooks(sql);
  console.log(`summed up and indexed once, in the background: ${Math.round(performance.now() - sinceMs)} ms`);
}

async function measure(): Promise<void> {
  const {
    revenueReport,
    usageReport,
    attention,
    accounts: search,
  } = await openConsole(sql, sql, process.env.DATABASE_URL ?? '', id('con'));
  const sinceMs = Math.floor(Date.now() / dayMs) * dayMs - 29 * dayMs;
  const statements: Record<string, () => Promise<unknown>> = {
    'revenue by day': () => revenueReport.byDay(sinceMs),
    'revenue by rail': () => revenueReport.byRail(sinceMs),
    'what wants attention': () => attention.problems(sinceMs),
    writers: () => usageReport.writers(),
    'new accounts': () => search.madeSince(sinceMs),
    'active accounts': () => usageReport.callers(sinceMs),
    'balances of a page': () => search.balances(Array.from({ length: 25 }, (_, at) => `acc_${at + 1}`)),
    'usage by service': () => usageReport.byModel(sinceMs),
    unspent: () => usageReport.unspent(),
  };
  console.log(`${calls} calls and ${orders} orders in ${accounts} accounts; median of ${runs} runs`);
  for (const [what, statement] of Object.entries(statements)) {
    const before = await usageRowsRead();
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const startMs = performance.now();
      await statement();
      times.push(performance.now() - startMs);
    }
    const rows = Math.round(((await usageRowsRead()) - before) / runs);
    const median = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
    console.log(`  ${what.padEnd(22)} ${median.toFixed(1).padStart(7)} ms, ${rows} rows of usage read`);
  }
}

/** Returns how many rows of all usage partitions any statement has read so far. */
async function usageRowsRead(): Promise<number> {
  // Sessions report their statistics within a second, so each session of the pool has to report now.
  await Promise.all(Array.from({ length: 8 }, () => sql`SELECT pg_stat_force_next_flush(), pg_sleep(0.05)`));
  const [row] = await sql<
    [{ rows: number }]
  >`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint AS rows
    FROM pg_stat_user_tables WHERE schemaname = 'ledger' AND relname LIKE 'usage%'`;
  return row.rows;
}
