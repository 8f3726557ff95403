import * as Claims from './claims.ts';
import type { Connection } from './connection.ts';
import * as Proofs from './proofs.ts';
import * as SignIns from './sign-ins.ts';
import * as Tickets from './tickets.ts';
import * as Usage from './usage.ts';

/** A lane that has said nothing for so long is taken for dead. Its process says that it lives once a second. */
const silenceMax = '5 seconds';
const batchesKept = '1 hour';
const usageDaysAhead = 7;
const dailyEveryMs = 60 * 60 * 1000;
/** Soon after the start, so that a process which lives shorter than that does its part, too. */
const firstAfterMs = 5 * 60 * 1000;
let dailyAtMs = firstAfterMs - dailyEveryMs;

/** What any process does now and then for all: ends dead lanes, takes out what expired, drops what is of no more use. */
export async function run(sql: Connection): Promise<void> {
  await sql`SELECT ledger.reap_silent(${silenceMax}::interval)`;
  await sql`SELECT ledger.collect()`;
  await passOn(sql);
  await sql`SELECT ledger.expire()`;
  await Tickets.prune(sql);
  if (performance.now() - dailyAtMs < dailyEveryMs) return;
  dailyAtMs = performance.now();
  await sql`SELECT ledger.prepare_usage(${usageDaysAhead})`;
  await sql`SELECT ledger.prune(${batchesKept}::interval)`;
  await sql`DELETE FROM shop.revocation WHERE expires_at < clock_timestamp()`;
  await Usage.closeBooks(sql);
  await Proofs.sweep(sql);
  await Claims.sweep(sql);
  await SignIns.sweep(sql);
}

/** What came back to accounts that are a part of another one by now follows them there. */
async function passOn(sql: Connection): Promise<void> {
  const rows = await sql<{ id: string; joined_to: string }[]>`SELECT id, joined_to FROM shop.account a
    WHERE joined_to IS NOT NULL AND EXISTS (SELECT FROM ledger.bucket k WHERE k.account_id = a.id AND k.avail > 0)`;
  for (const row of rows) await sql`SELECT ledger.move(${row.id}, ${row.joined_to})`;
}
