import * as PostgresUrl from '@sluice/kernel/postgres-url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import * as SchemaVersion from './schema-version.ts';
import * as TransactionPooler from './transaction-pooler.ts';

/** An arbitrary number that names the advisory lock: one process migrates at a time. */
const lockKey = 7_385_001;
const usageDaysAhead = 7;
const lockMsMax = 60_000;
const lockNotAvailable = '55P03';
const insufficientPrivilege = '42501';
const locked =
  'another session has held the migration lock of this database for a minute: wait for the process that migrates, or end that session (pg_locks, locktype advisory)';
const notOwner =
  'the role may not apply the migrations or functions of this version, because it does not own the tables of the shop or may not create schemas. Set DATABASE_OWNER_URL to the role that owns them (docs/operations.md)';

/**
 * Brings the database to the migrations and functions of this program. Several processes may do so at once. On a database that is up to date
 * it only reads, so a role without the right to change the schema can run the shop. Throws if a newer version or a different build migrated
 * the database, because this program could misread what it writes there.
 * @param url the database, as the role that the program uses
 * @param ownerUrl the same database as its owner, if that is another role. The role of `url` is granted what the program needs, and cannot
 *   change append-only tables.
 */
export async function migrate(
  url: string,
  ownerUrl: string | null = null,
  lockMs: number = lockMsMax,
): Promise<void> {
  if (await TransactionPooler.isThere(url)) throw new Error(TransactionPooler.explanation);
  // A single connection, because the lock belongs to it and ends with it.
  const sql = connect(ownerUrl ?? url);
  try {
    await lock(sql, lockMs);
    await apply(sql);
    if (ownerUrl !== null) await sql`SELECT shop.grant_app(${await roleOf(url)})`;
    await sql`SELECT ledger.prepare_usage(${usageDaysAhead})`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function connect(url: string): postgres.Sql {
  const { url: address, options } = PostgresUrl.driver(url);
  return postgres(address, { ...options, max: 1, onnotice: () => {}, connect_timeout: 5 });
}

async function apply(sql: postgres.Sql): Promise<void> {
  const version = await SchemaVersion.read(sql);
  if (!SchemaVersion.isAccepted(version)) throw new Error(SchemaVersion.refusal(version));
  if (version.kind === 'current') return;
  try {
    // The migrator creates its own schema, which takes a right that the role of a running shop need not have.
    if (version.pending > 0) await applyMigrations(drizzle(sql), { migrationsFolder: SchemaVersion.folder });
    await applyFunctions(sql);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const isRefused = cause instanceof postgres.PostgresError && cause.code === insufficientPrivilege;
    throw isRefused ? new Error(`${notOwner}: ${cause.message}`, { cause: error }) : error;
  }
}

/** Replaces all functions in one transaction, so that no call sees a mixture of two versions. */
async function applyFunctions(sql: postgres.Sql): Promise<void> {
  const { text, digest } = SchemaVersion.functions();
  // The bodies are not checked here, because a function may come before one that it calls. A test checks them all.
  await sql.unsafe(`BEGIN;
SET LOCAL check_function_bodies = off;
${text}
INSERT INTO shop.function_set (digest) VALUES ('${digest}');
COMMIT;`);
}

/** Returns the role of a connection. */
async function roleOf(url: string): Promise<string> {
  const sql = connect(url);
  try {
    const [row] = await sql<[{ role: string }]>`SELECT current_user AS role`;
    return row.role;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Waits, for a limited time, until no other process migrates. */
async function lock(sql: postgres.Sql, lockMs: number): Promise<void> {
  await sql.unsafe(`SET lock_timeout = ${lockMs}`);
  try {
    await sql`SELECT pg_advisory_lock(${lockKey})`;
  } catch (error) {
    const isLate = error instanceof postgres.PostgresError && error.code === lockNotAvailable;
    throw isLate ? new Error(locked, { cause: error }) : error;
  }
  await sql`RESET lock_timeout`;
}
