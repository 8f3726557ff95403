import { id } from '@sluice/kernel/id';
import type { Claimed, EmailStore } from '../emails/email-store.ts';
import * as VerificationStatus from '../emails/verification-status.ts';
import * as DataSetVersions from './data-set-versions.ts';
import type { Fragment, Sql } from './database.ts';
import * as Staging from './staging.ts';

const addressesPerBatch = 5_000;
/** Retention of results for addresses that left the data: longer than a verification counts (30 days). */
const keptDays = 31;
/** Reserved domain of the sample data (RFC 2606). It has no mail servers, so its addresses are not tested. */
const forExamples = '.example';

/**
 * SQL for the time of the last confirmation of an email `e` in `direct.email`, joined with its status `a` in
 * `direct.address`. The imported time counts until we test the address ourselves. Null if our last test did not confirm it.
 * After a refusal, or at a server that accepts every address, only a later test of ours counts.
 */
export function confirmedAt(sql: Sql): Fragment {
  return sql`(case when a.state in ('invalid', 'catch_all') then null
                   when a.tested_at is null or a.tested_at < e.verified_at then e.verified_at
                   when a.state = 'verified' then a.verified_at end)`;
}

/** Stores verification results in `direct.address`. */
export function emailStore(sql: Sql): EmailStore {
  return {
    async sync(nowMs) {
      const live = await DataSetVersions.live(sql);
      const [done] =
        await sql`select 1 from direct.setting where name = 'addresses_of' and value = ${String(live?.version)}`;
      if (live === null || done) return;
      await Staging.onMaintenanceConnection(sql, async (connection) => {
        // One process syncs for all. Closing the connection releases the lock.
        const [row] = await connection<{ free: boolean }[]>`
          select pg_try_advisory_lock(hashtextextended('sluice-direct-addresses', 0)) as free`;
        if (row?.free) await sync(connection, live.version, nowMs);
      });
    },
    claim: (count, nowMs, untilMs) => claim(sql, count, nowMs, untilMs),
    async makeAllDue(nowMs) {
      // A claimed address is being tested, or becomes due when its claim expires.
      const due = await sql`
        update direct.address set due_at = ${new Date(nowMs)}
        where due_at > ${new Date(nowMs)} and claim is null`;
      return due.count;
    },
    async keep(tested) {
      const rows = tested.map(({ email, claim, status }) => ({ email, held: claim, ...toRow(status) }));
      const kept = await sql`
        update direct.address a
        set state = r.state, reason = r.reason, changed_at = r.changed_at, tested_at = r.tested_at,
            verified_at = r.verified_at, attempts = r.attempts, trouble = r.trouble, due_at = r.due_at, claim = null
        from jsonb_to_recordset(${sql.json(rows)}) as r (
          email text, held text, state text, reason text, changed_at timestamptz, tested_at timestamptz,
          verified_at timestamptz, attempts smallint, trouble text, due_at timestamptz)
        where a.email = r.email and a.claim = r.held`;
      return tested.length - kept.count;
    },
  };
}

type Row = {
  email: string;
  domain: string;
  state: VerificationStatus.State;
  reason: string;
  changed_at: Date;
  tested_at: Date | null;
  verified_at: Date | null;
  attempts: number;
  trouble: string | null;
};

async function claim(sql: Sql, count: number, nowMs: number, untilMs: number): Promise<Claimed[]> {
  const claimId = id('claim');
  const now = new Date(nowMs);
  // `skip locked` passes over rows that another worker is claiming. The array makes the planner use the primary key: it
  // cannot know how few rows there are.
  const rows = await sql<Row[]>`
    with verified as (
      select email from direct.address where state = 'verified' and due_at <= ${now}
      order by due_at, domain limit ${count} for update skip locked
    ), others as (
      select email from direct.address where state <> 'verified' and due_at <= ${now}
      order by due_at, domain limit ${count} - (select count(*) from verified) for update skip locked
    )
    update direct.address set claim = ${claimId}, due_at = ${new Date(untilMs)}
    where email = any(array(select email from verified union all select email from others))
    returning email, domain, state, reason, changed_at, tested_at, verified_at, attempts, trouble`;
  return rows.map(({ email, domain, ...row }) => ({
    email,
    domain,
    claim: claimId,
    untilMs,
    before: {
      state: row.state,
      reason: row.reason,
      changedAtMs: row.changed_at.getTime(),
      testedAtMs: row.tested_at?.getTime() ?? null,
      verifiedAtMs: row.verified_at?.getTime() ?? null,
      attempts: row.attempts,
      trouble: row.trouble,
      dueAtMs: nowMs,
    },
  }));
}

function toRow(status: VerificationStatus.VerificationStatus) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    state: status.state,
    reason: status.reason,
    changed_at: moment(status.changedAtMs),
    tested_at: moment(status.testedAtMs),
    verified_at: moment(status.verifiedAtMs),
    attempts: status.attempts,
    trouble: status.trouble,
    due_at: moment(status.dueAtMs),
  };
}

async function sync(sql: Sql, version: number, nowMs: number): Promise<void> {
  for (let last = ''; ; ) {
    const found = await sql<{ email: string; verified_at: Date | null; is_new: boolean }[]>`
      select e.email, e.verified_at, coalesce(
        a.due_at is null or e.verified_at > coalesce(a.tested_at, '-infinity'), false) as is_new
      from (
        select email, max(verified_at) filter (where verified_at <= ${new Date(nowMs)}) as verified_at
        from direct.email where version = ${version} and email > ${last}
        group by email order by email limit ${addressesPerBatch}
      ) e left join direct.address a on a.email = e.email
      order by e.email`;
    const rows = found
      .filter(({ email, is_new }) => is_new && !email.endsWith(forExamples))
      .map(({ email, verified_at }) => ({
        email,
        domain: email.slice(email.lastIndexOf('@') + 1),
        ...toRow(VerificationStatus.first(email, verified_at?.getTime() ?? null, nowMs)),
      }));
    if (rows.length > 0) await addAddresses(sql, rows, nowMs);
    last = found.at(-1)?.email ?? '';
    if (found.length < addressesPerBatch) break;
  }
  await retireAddresses(sql, version, nowMs);
  await sql`analyze direct.address`;
  await sql`
    insert into direct.setting (name, value) values ('addresses_of', ${String(version)})
    on conflict (name) do update set value = excluded.value`;
}

/**
 * Adds new addresses. For known ones, an imported verification replaces an older test result. It never replaces a refusal
 * or the result `catch_all`: such an address is due for a new test instead.
 */
async function addAddresses(
  sql: Sql,
  rows: readonly ReturnType<typeof toRow>[],
  nowMs: number,
): Promise<void> {
  const given = sql`
    jsonb_to_recordset(${sql.json(rows)}) as r (
      email text, domain text, state text, reason text, changed_at timestamptz, tested_at timestamptz,
      verified_at timestamptz, due_at timestamptz)`;
  await sql`
    insert into direct.address as a (email, domain, state, reason, changed_at, tested_at, verified_at, due_at)
    select email, domain, state, reason, changed_at, tested_at, verified_at, due_at from ${given}
    on conflict (email) do update set due_at =
      case when a.state in ('invalid', 'catch_all') and a.claim is null
                and excluded.tested_at > coalesce(a.tested_at, '-infinity')
        then ${new Date(nowMs)} else coalesce(a.due_at, excluded.due_at) end`;
  await sql`
    with earlier as (
      select a.email from direct.address a join ${given} on r.email = a.email
      where r.tested_at > coalesce(a.tested_at, '-infinity') and a.state not in ('invalid', 'catch_all')
      for update of a skip locked
    )
    update direct.address a
    set state = r.state, reason = r.reason, changed_at = r.changed_at, tested_at = r.tested_at,
        verified_at = r.verified_at, attempts = 0, trouble = null, due_at = r.due_at, claim = null
    from ${given} where r.email = a.email and a.email in (select email from earlier)`;
}

/** Stops testing addresses that are not in `version`, and deletes their results once they are too old to count. */
async function retireAddresses(sql: Sql, version: number, nowMs: number): Promise<void> {
  await sql`
    with gone as (
      select email from direct.address a
      where due_at is not null and not exists (
        select from direct.email e where e.version = ${version} and e.email = a.email
      ) for update skip locked
    )
    update direct.address a set due_at = null, claim = null from gone where a.email = gone.email`;
  await sql`
    delete from direct.address
    where due_at is null and coalesce(tested_at, changed_at) < ${new Date(nowMs - keptDays * 86_400_000)}`;
}
