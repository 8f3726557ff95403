import { sql } from 'drizzle-orm';
import { bigint, pgSchema, timestamp } from 'drizzle-orm/pg-core';

/**
 * The shop's own tables. These files define them: drizzle-kit generates their migrations, and a test compares them with a migrated database.
 * Balances live in the schema `ledger` (migrations/0001_ledger.sql), which only SQL functions write to.
 */
export const shop = pgSchema('shop');

export const time = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, mode: 'date' });

/** Micro-dollars, units or a count. Every value is below 2^53. */
export const whole = <Name extends string>(name: Name) => bigint(name, { mode: 'number' });

/** The time of the statement. `now()` is the start of the transaction, which may have waited for a lock since. */
export const statementTime = sql`clock_timestamp()`;
