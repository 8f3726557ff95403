import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { folder } from '../../src/adapters/archive/folder.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { openUsageClosings } from '../../src/adapters/postgres/usage-closings.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import * as CloseUsage from '../../src/journeys/close-usage.ts';
import * as VerifyClosings from '../../src/journeys/verify-closings.ts';

/**
 * Measures closing days of usage, and verifying the ledger before and after:
 * `DATABASE_URL=postgres://... node bench/usage-closing/run.ts [calls] [days] [accounts]`. Creates its own database and drops it.
 */
const [calls = 10_000_000, days = 29, accounts = 1_000] = process.argv.slice(2).map(Number);
const callsADay = Math.ceil(calls / days);
const youngestDay = 5;

const admin = postgres(process.env.DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
const name = id('bench');
await admin.unsafe(`CREATE DATABASE ${name}`);
const url = new URL(process.env.DATABASE_URL ?? '');
url.pathname = `/${name}`;
const dir = await mkdtemp(join(tmpdir(), 'closing-'));
await migrate(url.href);
const sql = Connection.openConnection(url.href, 2, 0, true);
try {
  await run();
} finally {
  await sql.end();
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await rm(dir, { recursive: true });
}

async function run(): Promise<void> {
  await seconds(`write ${calls} calls of ${accounts} accounts on ${days} days`, fill);
  const open = await seconds('verify the ledger with all calls in the database', verify);
  const key = await SigningKey.load(await SigningKey.generate(0));
  const ring = KeyRing.keyRing('https://shop.example', [key]);
  const context = { closings: openUsageClosings(sql), archive: folder(dir), ring, clock: Date.now };
  await seconds(`close ${days} days`, async () => {
    for (let day = await context.closings.next(); day !== null; day = await context.closings.next())
      if ((await CloseUsage.closeDay(context, day)).kind === 'open') break;
  });
  const closed = await seconds('verify the ledger with all days closed, and the records', async () => {
    await verify();
    const faults = await VerifyClosings.verifyRecords(await context.closings.days());
    if (faults.length > 0) throw new Error(JSON.stringify(faults[0]));
  });
  await seconds('read and verify all archives', async () => {
    const faults = await VerifyClosings.verifyArchives(context.archive, await context.closings.days());
    if (faults.length > 0) throw new Error(JSON.stringify(faults[0]));
  });
  console.log(`verifying takes ${((closed / open) * 100).toFixed(1)} % of the time`);
}

/** One unit of credit for each call, on one lot of each account. */
async function fill(): Promise<void> {
  await sql`INSERT INTO ledger.writer VALUES ('w', 1, false, 0, 0, now())`;
  await sql`INSERT INTO shop.account (id, origin) SELECT 'acc_' || n, 'anonymous' FROM generate_series(1, ${accounts}) n`;
  await sql`INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail) SELECT 'acc_' || n, 'unit', 'trial', 'p', 0, 0 FROM generate_series(1, ${accounts}) n`;
  for (let ago = youngestDay + days - 1; ago >= youngestDay; ago--) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await sql.unsafe(`DO $$ BEGIN EXECUTE format('CREATE TABLE ledger.usage_${day.replaceAll('-', '')} PARTITION OF ledger.usage FOR VALUES FROM (%L) TO (%L)',
      ledger.uuid_at('${day}Z'), ledger.uuid_at('${day}Z'::timestamptz + interval '1 day')); END $$`);
    await sql`INSERT INTO ledger.usage (call_id, draw, status, account_id, lot_id, units, price, amount, plan_id, service, operation, writer_id, epoch, seq)
      SELECT (left(ledger.uuid_at(${`${day}T00:00Z`}::timestamptz + n * interval '1 day' / ${callsADay})::text, 13) || '-7' || substr(md5(n::text), 1, 3) || '-8' || substr(md5(n::text), 4, 3) || '-' || substr(md5(n::text), 7, 12))::uuid,
          0, 200, k.account_id, k.id, 1, 1000, 1, 'p', 's', 'GET /v1/list', 'w', 1, 1
        FROM generate_series(0, ${callsADay - 1}) n JOIN ledger.lot k ON k.account_id = 'acc_' || (1 + n % ${accounts})`;
  }
  await sql`INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
    SELECT 'trial:' || account_id, account_id, lot_id, 'trial', 'seller:trial', sum(amount) FROM ledger.usage GROUP BY account_id, lot_id`;
  while ((await sql<[{ more: boolean }]>`SELECT ledger.sum_usage() AS more`)[0].more);
  await sql`ANALYZE`;
}

async function verify(): Promise<void> {
  const breaches = await sql`SELECT * FROM ledger.verify()`;
  if (breaches.length > 0) throw new Error(JSON.stringify(breaches[0]));
}

/** Runs `work` and prints its duration. Returns it in seconds. */
async function seconds(what: string, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  const duration = (performance.now() - start) / 1_000;
  console.log(`${duration.toFixed(2).padStart(9)} s  ${what}`);
  return duration;
}
