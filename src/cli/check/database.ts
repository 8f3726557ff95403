import * as PostgresUrl from '@sluice/kernel/postgres-url';
import postgres from 'postgres';
import * as SchemaVersion from '../../adapters/postgres/schema-version.ts';
import * as TransactionPooler from '../../adapters/postgres/transaction-pooler.ts';
import * as Disk from './disk.ts';
import * as Finding from './finding.ts';
import * as Replication from './replication.ts';

const { ok, problem, unproved } = Finding.findingsOf('database');
const versionMin = 150_000;
const clockSkewMsMax = 2_000;

type Facts = {
  version: number;
  user: string;
  now: Date;
  can_create: boolean;
  owns_ledger: boolean | null;
  may_write: boolean | null;
  unsafe: string[] | null;
};

/** Checks that the database is reachable, recent enough, migrated, writable, safe in a crash, and replicated. */
export async function checkDatabase(url: string, nowMs: () => number): Promise<Finding.Finding[]> {
  const parsed = PostgresUrl.parse(url);
  if (!parsed.ok) return [problem(`DATABASE_URL ${parsed.faults.join('; ')}`)];
  try {
    if (await TransactionPooler.isThere(url)) return [problem(TransactionPooler.explanation)];
  } catch (fault) {
    return [outOfReach(fault)];
  }
  const { url: address, options } = PostgresUrl.driver(url);
  const sql = postgres(address, {
    ...options,
    max: 1,
    onnotice: () => {},
    connect_timeout: Finding.answerMsMax / 1_000,
    connection: {
      statement_timeout: Finding.answerMsMax,
      idle_in_transaction_session_timeout: Finding.answerMsMax,
    },
  });
  try {
    const [facts] = await sql<
      [Facts]
    >`SELECT current_setting('server_version_num')::int AS version, current_user AS user,
      clock_timestamp() AS now, has_database_privilege(current_database(), 'CREATE') AS can_create,
      (SELECT pg_has_role(c.relowner, 'MEMBER') FROM pg_class c WHERE c.oid = to_regclass('ledger.usage')) AS owns_ledger,
      has_table_privilege(to_regclass('ledger.posting'), 'INSERT') AS may_write,
      (SELECT array_agg(name) FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off') AS unsafe`;
    return [
      ...judge(facts, nowMs()),
      ...Replication.judge(await Replication.read(sql)),
      ...(await Disk.check(sql)),
      migrations(await SchemaVersion.read(sql), facts),
    ];
  } catch (fault) {
    return [outOfReach(fault)];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function outOfReach(fault: unknown): Finding.Finding {
  return problem(
    `not reachable: ${Finding.reason(fault)}`,
    /unsupported startup parameter/.test(Finding.reason(fault))
      ? 'make PgBouncer ignore it: ignore_startup_parameters (docs/deployment.md)'
      : 'check DATABASE_URL, and that the server is running',
  );
}

function judge(
  { version, user, now, owns_ledger, may_write, unsafe }: Facts,
  nowMs: number,
): Finding.Finding[] {
  const shown = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const findings = [
    version >= versionMin
      ? ok(`${shown}, as ${user}`)
      : problem(`${shown} is too old`, 'PostgreSQL 15 or later'),
  ];
  if (owns_ledger === false)
    findings.push(
      may_write
        ? ok(`${user} can run the shop and cannot change append-only tables`)
        : problem(
            `${user} does not own the tables of the shop and may not write to them`,
            'set DATABASE_OWNER_URL to the role that created them: the next start grants the rights',
          ),
    );
  for (const name of unsafe ?? [])
    findings.push(
      problem(`${name} is off: a crash of the server can lose charges and payments`, `set ${name} = on`),
    );
  const skewMs = Math.abs(now.getTime() - nowMs);
  if (skewMs > clockSkewMsMax)
    findings.push(
      problem(
        `its clock differs from this machine's by ${Math.round(skewMs / 1_000)} s`,
        'synchronize both by NTP: expiry and trials depend on them',
      ),
    );
  return findings;
}

function migrations(
  version: SchemaVersion.SchemaVersion,
  { can_create, owns_ledger, user }: Facts,
): Finding.Finding {
  if (!SchemaVersion.isAccepted(version)) return problem(SchemaVersion.refusal(version));
  if (version.kind === 'current') return ok(`all ${version.applied} migrations are applied`);
  const { applied, pending } = version;
  if (pending > 0 && !can_create)
    return problem(
      `${pending} migrations are pending, and ${user} has no right to create schemas`,
      `GRANT CREATE ON DATABASE ... TO ${user}`,
    );
  if (pending === 0 && owns_ledger === false)
    return unproved(
      `the functions of this version are to be applied, and ${user} does not own the tables of the shop`,
      'set DATABASE_OWNER_URL to the role that owns them: the next start applies the functions',
    );
  if (pending === 0)
    return unproved('the functions of this version are to be applied: the next start does that');
  return applied === 0
    ? unproved('it is empty: the first start creates the tables')
    : unproved(
        `${pending} migrations are pending: the next start applies them`,
        'take a backup first (docs/backup.md)',
      );
}
