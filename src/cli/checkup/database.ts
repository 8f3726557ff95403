import postgres from 'postgres';
import * as Migrate from '../../adapters/postgres/migrate.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.of('database');
const versionMin = 150_000;
const clockSkewMsMax = 2_000;

type Facts = {
  version: number;
  user: string;
  now: Date;
  can_create: boolean;
  owns_ledger: boolean | null;
  unsafe: string[] | null;
};

/** Is it there, new enough, migrated, ours to change, and safe in a crash? */
export async function look(url: string, nowMs: () => number): Promise<Finding.Finding[]> {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: Finding.answerMsMax / 1_000,
    connection: { statement_timeout: Finding.answerMsMax },
  });
  try {
    const [facts] = await sql<
      [Facts]
    >`SELECT current_setting('server_version_num')::int AS version, current_user AS user,
      clock_timestamp() AS now, has_database_privilege(current_database(), 'CREATE') AS can_create,
      (SELECT pg_has_role(c.relowner, 'MEMBER') FROM pg_class c WHERE c.oid = to_regclass('ledger.usage')) AS owns_ledger,
      (SELECT array_agg(name) FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off') AS unsafe`;
    return [...judge(facts, nowMs()), migrations(await Migrate.progress(sql), facts)];
  } catch (fault) {
    return [problem(`out of reach: ${Finding.reason(fault)}`, 'is DATABASE_URL right, and the server up?')];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function judge({ version, user, now, owns_ledger, unsafe }: Facts, nowMs: number): Finding.Finding[] {
  const shown = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const findings = [
    version >= versionMin
      ? ok(`${shown}, as ${user}`)
      : problem(`${shown} is too old`, 'PostgreSQL 15 or later'),
  ];
  if (owns_ledger === false)
    findings.push(
      problem(
        `${user} does not own the tables of the shop`,
        'connect as the role that made them, or make it a member of that role',
      ),
    );
  for (const name of unsafe ?? [])
    findings.push(
      problem(`${name} is off: a crash of the server can lose what was charged and paid`, `${name} = on`),
    );
  const skewMs = Math.abs(now.getTime() - nowMs);
  if (skewMs > clockSkewMsMax)
    findings.push(
      problem(
        `its clock is ${Math.round(skewMs / 1_000)} s from ours`,
        'set both by NTP: expiry and trials go by them',
      ),
    );
  return findings;
}

function migrations(
  { applied, pending, unknown }: Migrate.Progress,
  { can_create, user }: Facts,
): Finding.Finding {
  if (unknown > 0) return problem(Migrate.newer(unknown));
  if (pending === 0) return ok(`all ${applied} migrations are applied`);
  if (!can_create)
    return problem(
      `${pending} migrations are to be applied, and ${user} may not create schemas here`,
      `GRANT CREATE ON DATABASE ... TO ${user}`,
    );
  return applied === 0
    ? unproved('it is empty: the first start makes the tables')
    : unproved(
        `${pending} migrations are to be applied: the next start does that`,
        'take a backup before (docs/backup.md)',
      );
}
