import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sha256Hex } from '@sluice/kernel/digest';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { type Connection, isLost } from './connection.ts';

/** The numbered migrations, and below them the functions. */
export const folder = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** The state of a database compared with the migrations and functions of this program. */
export type SchemaVersion =
  | { kind: 'current'; applied: number }
  /** `functions`: the functions have to be applied too, which is always so with a new migration. */
  | { kind: 'behind'; applied: number; pending: number; functions: boolean }
  /** The database has every migration of this program, and further ones that it does not know. */
  | { kind: 'newer'; unknown: number }
  /** A newer version replaced the functions, without a migration. */
  | { kind: 'newer_functions' }
  /** A migration of this program is recorded with other contents. */
  | { kind: 'different'; migration: string; recorded: string; expected: string };

const lacking =
  'the database lacks migrations or functions of this version: it was replaced while this process ran, for example by a backup. Restart this process to apply them (docs/backup.md)';

type Digest = { name: string; digest: string };

/** Returns the digests of the numbered migrations, in their order. */
function migrationDigests(): Digest[] {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(`${folder}/meta/_journal.json`, 'utf8'),
  );
  const files = readMigrationFiles({ migrationsFolder: folder });
  return files.map(({ hash }, at) => ({ name: journal.entries[at]?.tag ?? String(at), digest: hash }));
}

/** Returns the text of all functions, and its digest. */
export function functions(): { text: string; digest: string } {
  const names = readdirSync(`${folder}/functions`).filter((name) => name.endsWith('.sql'));
  const text = names
    .sort()
    .map((name) => `-- ${name}\n${readFileSync(`${folder}/functions/${name}`, 'utf8')}`)
    .join('\n');
  return { text, digest: sha256Hex(text) };
}

let own: { migrations: Digest[]; functionsDigest: string } | undefined;

/** Compares a database with this program. Reads only. */
export async function read(sql: postgres.Sql): Promise<SchemaVersion> {
  own ??= { migrations: migrationDigests(), functionsDigest: functions().digest };
  const { migrations, functionsDigest } = own;
  const recorded = await recordedMigrations(sql);
  const at = migrations.findIndex(({ digest }, at) => digest !== recorded[at]);
  const [expected, found] = [migrations[at], recorded[at]];
  if (expected !== undefined && found !== undefined)
    return { kind: 'different', migration: expected.name, recorded: found, expected: expected.digest };
  const pending = migrations.length - recorded.length;
  if (pending < 0) return { kind: 'newer', unknown: -pending };
  if (pending > 0) return { kind: 'behind', applied: recorded.length, pending, functions: true };
  const applied = await sql<{ digest: string }[]>`SELECT digest FROM shop.function_set ORDER BY id DESC`;
  if (applied[0]?.digest === functionsDigest) return { kind: 'current', applied: recorded.length };
  if (applied.some(({ digest }) => digest === functionsDigest)) return { kind: 'newer_functions' };
  return { kind: 'behind', applied: recorded.length, pending: 0, functions: true };
}

async function recordedMigrations(sql: postgres.Sql): Promise<string[]> {
  const [row] = await sql<
    [{ exists: boolean }]
  >`SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`;
  if (!row.exists) return [];
  const rows = await sql<
    { hash: string }[]
  >`SELECT hash FROM drizzle.__drizzle_migrations ORDER BY created_at, id`;
  return rows.map(({ hash }) => hash);
}

type Accepted = Extract<SchemaVersion, { kind: 'current' | 'behind' }>;

/** Returns true if a program starts on such a database. */
export function isAccepted(version: SchemaVersion): version is Accepted {
  return version.kind === 'current' || version.kind === 'behind';
}

/** Returns what is to be applied, as a clause. */
export function pendingText({ pending }: Extract<SchemaVersion, { kind: 'behind' }>): string {
  if (pending === 0) return 'the functions of this version are to be applied';
  return `${pending} ${pending === 1 ? 'migration is' : 'migrations are'} pending, with the functions of this version`;
}

/** Returns why a program does not start on such a database, and what to do. */
export function refusal(version: Exclude<SchemaVersion, Accepted>): string {
  switch (version.kind) {
    case 'newer': {
      const migrations = version.unknown === 1 ? 'migration' : 'migrations';
      return `the database is newer than this program: it has ${version.unknown} ${migrations} that this version does not know. Start the version that made them, or restore the backup from before the upgrade (docs/backup.md)`;
    }
    case 'newer_functions':
      return 'the database is newer than this program: a newer version replaced its SQL functions. Start that version. To return to this one, stop every process of the newer version, run DELETE FROM shop.function_set, and start this version (docs/backup.md)';
    case 'different':
      return `the database was migrated by a different build: migration ${version.migration} is recorded with digest ${version.recorded.slice(0, 12)}, and this program has ${version.expected.slice(0, 12)}. Start the build that made this database, restore a backup that this version made, or use an empty database: another DATABASE_URL, or another DATA_DIR for the embedded database (docs/backup.md)`;
  }
}

/** A schema is compared again after this time, so that frequent readiness probes cost the database nothing. */
const recheckMs = 5_000;

/**
 * Returns a function that reports why a running process cannot work on its database, or null if it can. A process continues while a newer
 * version migrates the database. It does not continue on a database that lacks something, for example after an older backup was restored.
 * While the database does not respond, it returns the last result.
 */
export function watch(sql: Connection): () => Promise<string | null> {
  let problem: string | null = null;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = performance.now();
    if (nowMs - checkedMs < recheckMs) return problem;
    checkedMs = nowMs;
    try {
      const version = await read(sql);
      if (version.kind === 'behind') problem = lacking;
      else problem = version.kind === 'different' ? refusal(version) : null;
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    return problem;
  };
}
