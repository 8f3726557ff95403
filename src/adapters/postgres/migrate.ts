import { setTimeout as sleep } from 'node:timers/promises';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';
import * as SchemaVersion from './schema-version.ts';
import * as TransactionPooler from './transaction-pooler.ts';

/** An arbitrary number that names the advisory lock: one process migrates at a time. */
const lockKey = 7_385_001;
const usageDaysAhead = 7;
/** Statements of running processes queue behind one that waits for a table, so it gives up soon and tries again. */
const usualWaits: Waits = { turnMsMax: 60_000, tableMsMax: 2_000, againMs: 1_000, triesMax: 20 };
const lockNotAvailable = '55P03';
const insufficientPrivilege = '42501';
const locked =
  'another session has held the migration lock of this database for a minute: wait for the process that migrates, or end that session (pg_locks, locktype advisory)';
const notOwner =
  'the role may not apply the migrations or functions of this version, because it does not own the tables of the shop or may not create schemas. Set DATABASE_OWNER_URL to the role that owns them (docs/operations.md)';

const tableLocked =
  'another transaction holds a table of the shop and did not end in a minute: wait for it, or end it (pg_stat_activity). Nothing of this step was applied';

export type Waits = {
  /** For another process that migrates. */
  turnMsMax: number;
  /** For a table that another transaction holds, in one try. */
  tableMsMax: number;
  /** Between two tries. */
  againMs: number;
  triesMax: number;
};

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
  waits: Waits = usualWaits,
): Promise<void> {
  if (await TransactionPooler.isThere(url)) throw new Error(TransactionPooler.explanation);
  // A single connection, because the lock belongs to it and ends with it.
  const sql = connect(ownerUrl ?? url);
  try {
    await takeTurn(sql, waits.turnMsMax);
    await sql.unsafe(`SET lock_timeout = ${waits.tableMsMax}`);
    await retryLocked(waits, () => apply(sql));
    if (ownerUrl !== null) await sql`SELECT shop.grant_app(${await roleOf(url)})`;
    await retryLocked(waits, () => sql`SELECT ledger.prepare_usage(${usageDaysAhead})`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Returns the state of the database compared with this program, and changes nothing.
 * @param url the database, as any role that may read its schema
 */
export async function readVersion(url: string): Promise<SchemaVersion.SchemaVersion> {
  if (await TransactionPooler.isThere(url)) throw new Error(TransactionPooler.explanation);
  const sql = connect(url);
  try {
    return await SchemaVersion.read(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Throws unless the database has exactly the migrations and functions of this program. */
export async function requireCurrent(url: string): Promise<void> {
  const version = await readVersion(url);
  if (!SchemaVersion.isAccepted(version)) throw new Error(SchemaVersion.refusal(version));
  if (version.kind === 'behind')
    throw new Error(
      `the database is behind this program: ${SchemaVersion.pendingText(version)}, and MIGRATE is off. Run sluice migrate with this version first (docs/upgrading.md)`,
    );
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
    if (version.pending > 0) await applyMigrations(sql);
    await applyFunctions(sql);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const isRefused = cause instanceof postgres.PostgresError && cause.code === insufficientPrivilege;
    throw isRefused ? new Error(`${notOwner}: ${cause.message}`, { cause: error }) : error;
  }
}

/** The migrator is loaded only here, because its modules take a tenth of the start of a storefront, which seldom has anything to migrate. */
async function applyMigrations(sql: postgres.Sql): Promise<void> {
  const { drizzle } = await import('drizzle-orm/postgres-js');
  const { migrate } = await import('drizzle-orm/postgres-js/migrator');
  await migrate(drizzle(sql), { migrationsFolder: SchemaVersion.folder });
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
async function takeTurn(sql: postgres.Sql, msMax: number): Promise<void> {
  await sql.unsafe(`SET lock_timeout = ${msMax}`);
  try {
    await sql`SELECT pg_advisory_lock(${lockKey})`;
  } catch (error) {
    throw isLocked(error) ? new Error(locked, { cause: error }) : error;
  }
}

/** Repeats `step`, which is one transaction, while another transaction holds a table that it needs. */
async function retryLocked({ triesMax, againMs }: Waits, step: () => PromiseLike<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await step();
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (tries === triesMax) throw new Error(tableLocked, { cause: error });
    }
    await sleep(againMs);
  }
}

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof postgres.PostgresError && cause.code === lockNotAvailable;
}
