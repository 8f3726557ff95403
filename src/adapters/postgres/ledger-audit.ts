import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';
import type { ClosedDay } from '../../ledger/usage-closing.ts';
import { type Verification, verifyMsMax } from '../../ledger/verification.ts';
import { openUsageClosings } from './usage-closings.ts';

/** A fault in the ledger: the violated rule, the row that violates it, and details. */
export type Breach = { rule: string; subject: string; detail: string };

/** The totals of the shop in one asset: `usd` in micro-dollars, `unit` in results. */
export type Total = {
  asset: 'usd' | 'unit';
  accounts: number;
  lots: number;
  paid_in: number;
  granted: number;
  spent: number;
  reversed: number;
  expired: number;
  balance: number;
  held: number;
  lost: number;
};

export type Proof = {
  counts: { lots: number; postings: number; calls: number; batches: number };
  totals: Total[];
  breaches: Breach[];
  /** Closed days of usage, whose records the caller verifies (journeys/verify-closings.ts). */
  closed: ClosedDay[];
};

/**
 * Reads the whole ledger in one snapshot: row counts, totals, and every fault (`ledger.verify`). It changes nothing, and uses a connection of
 * its own because it can take long.
 * @param msMax the database cancels the statement after this time; null for no limit
 */
export async function read(url: string, msMax: number | null = null): Promise<Proof> {
  const { url: address, options } = PostgresUrl.driver(url);
  const sql = postgres(address, { ...options, max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    if (msMax !== null) await sql.unsafe(`SET statement_timeout = ${msMax}`);
    const [row] = await sql<[{ proof: Proof }]>`SELECT json_build_object(
      'counts', json_build_object(
        'lots', (SELECT count(*) FROM ledger.lot), 'postings', (SELECT count(*) FROM ledger.posting),
        'calls', (SELECT count(DISTINCT call_id) FROM ledger.usage) + (SELECT coalesce(sum(calls), 0) FROM ledger.closed_day), 'batches', (SELECT count(*) FROM ledger.batch)),
      'totals', (SELECT coalesce(json_agg(t ORDER BY t.asset), '[]') FROM ledger.totals() t),
      'breaches', (SELECT coalesce(json_agg(b), '[]') FROM ledger.verify() b)) AS proof`;
    return { ...row.proof, closed: [...(await openUsageClosings(sql).days())] };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Verifies the ledger of `url` for the console. The statement is cancelled in time. */
export function openVerification(url: string): Verification {
  return {
    async run() {
      const { counts, breaches } = await read(url, verifyMsMax);
      return { counts, faults: breaches };
    },
  };
}

/** The payments, purchases, grants and balance of one account, in micro-dollars and units of results. */
export type AccountValue = {
  account_id: string;
  paid: number;
  reversed: number;
  /** Credit and the cost of included units, by the terms of the time. */
  bought: number;
  given: number;
  given_units: number;
  left_usd: number;
  left_units: number;
};

/** Compares value received with money paid, for each account or for one. Returns at most `max` accounts, by payments, highest first. */
export async function values(url: string, account: string | null, max: number): Promise<AccountValue[]> {
  const { url: address, options } = PostgresUrl.driver(url);
  const sql = postgres(address, {
    ...options,
    max: 1,
    onnotice: () => {},
    connect_timeout: 5,
    types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
  });
  try {
    return await sql<AccountValue[]>`SELECT * FROM ledger.account_values()
      WHERE ${account}::text IS NULL OR account_id = shop.joined_account(${account}) ORDER BY paid DESC, account_id LIMIT ${max}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
