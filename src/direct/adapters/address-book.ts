import { id } from '../../kernel/id.ts';
import type { Book, Claimed } from '../emails/book.ts';
import * as Standing from '../emails/standing.ts';
import type { Fragment, Sql } from './database.ts';
import * as Generations from './generations.ts';
import * as Staging from './staging.ts';

const walkedAtOnce = 5_000;
/** What has left the data is known for longer than anybody's word for it would count (30 days). */
const keptDays = 31;
/** Names for examples (RFC 2606), such as the sample's: there is nobody to ask, so nobody is asked. */
const forExamples = '.example';

/**
 * When a mail server last confirmed an address, of `e` in `direct.email` with what `a` in `direct.address` knows of it:
 * the word of whoever brought it, until a later test of ours. Null where the last word is another one.
 */
export function confirmedAt(sql: Sql): Fragment {
  return sql`(case when a.tested_at is null or a.tested_at < e.verified_at then e.verified_at
                   when a.state = 'verified' then a.verified_at end)`;
}

/** Addresses in `direct.address`. */
export function addressBook(sql: Sql): Book {
  return {
    async sync(nowMs) {
      const live = await Generations.live(sql);
      const [done] =
        await sql`select 1 from direct.setting where name = 'addresses_of' and value = ${String(live?.generation)}`;
      if (live === null || done) return;
      await Staging.patient(sql, async (connection) => {
        // Whoever is at it already does it for all; the lock goes with the connection.
        const [row] = await connection<{ free: boolean }[]>`
          select pg_try_advisory_lock(hashtextextended('sluice-direct-addresses', 0)) as free`;
        if (row?.free) await sync(connection, live.generation, nowMs);
      });
    },
    claim: (count, nowMs, untilMs) => claim(sql, count, nowMs, untilMs),
    async keep(tested) {
      const rows = tested.map(({ email, claim, standing }) => ({ email, held: claim, ...toRow(standing) }));
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
  state: Standing.State;
  reason: string;
  changed_at: Date;
  tested_at: Date | null;
  verified_at: Date | null;
  attempts: number;
  trouble: string | null;
};

async function claim(sql: Sql, count: number, nowMs: number, untilMs: number): Promise<Claimed[]> {
  const mark = id('claim');
  const now = new Date(nowMs);
  // What another worker has just taken is passed over, so nobody waits and nobody takes it twice. The array keeps the
  // planner, which cannot know how few these are, from reading the whole table.
  const rows = await sql<Row[]>`
    with told as (
      select email from direct.address where state = 'verified' and due_at <= ${now}
      order by due_at, domain limit ${count} for update skip locked
    ), others as (
      select email from direct.address where state <> 'verified' and due_at <= ${now}
      order by due_at, domain limit ${count} - (select count(*) from told) for update skip locked
    )
    update direct.address set claim = ${mark}, due_at = ${new Date(untilMs)}
    where email = any(array(select email from told union all select email from others))
    returning email, domain, state, reason, changed_at, tested_at, verified_at, attempts, trouble`;
  return rows.map(({ email, domain, ...row }) => ({
    email,
    domain,
    claim: mark,
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

function toRow(standing: Standing.Standing) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    state: standing.state,
    reason: standing.reason,
    changed_at: moment(standing.changedAtMs),
    tested_at: moment(standing.testedAtMs),
    verified_at: moment(standing.verifiedAtMs),
    attempts: standing.attempts,
    trouble: standing.trouble,
    due_at: moment(standing.dueAtMs),
  };
}

async function sync(sql: Sql, generation: number, nowMs: number): Promise<void> {
  for (let last = ''; ; ) {
    const found = await sql<{ email: string; verified_at: Date | null; is_new: boolean }[]>`
      select e.email, e.verified_at, coalesce(
        a.due_at is null or e.verified_at > coalesce(a.tested_at, '-infinity'), false) as is_new
      from (
        select email, max(verified_at) filter (where verified_at <= ${new Date(nowMs)}) as verified_at
        from direct.email where generation = ${generation} and email > ${last}
        group by email order by email limit ${walkedAtOnce}
      ) e left join direct.address a on a.email = e.email
      order by e.email`;
    const rows = found
      .filter(({ email, is_new }) => is_new && !email.endsWith(forExamples))
      .map(({ email, verified_at }) => ({
        email,
        domain: email.slice(email.lastIndexOf('@') + 1),
        ...toRow(Standing.first(email, verified_at?.getTime() ?? null, nowMs)),
      }));
    if (rows.length > 0) await takeUp(sql, rows);
    last = found.at(-1)?.email ?? '';
    if (found.length < walkedAtOnce) break;
  }
  await letGo(sql, generation, nowMs);
  await sql`analyze direct.address`;
  await sql`
    insert into direct.setting (name, value) values ('addresses_of', ${String(generation)})
    on conflict (name) do update set value = excluded.value`;
}

/** Adds those that are new, and believes what is said of one that was tested before it was said. */
async function takeUp(sql: Sql, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  const given = sql`
    jsonb_to_recordset(${sql.json(rows)}) as r (
      email text, domain text, state text, reason text, changed_at timestamptz, tested_at timestamptz,
      verified_at timestamptz, due_at timestamptz)`;
  await sql`
    insert into direct.address as a (email, domain, state, reason, changed_at, tested_at, verified_at, due_at)
    select email, domain, state, reason, changed_at, tested_at, verified_at, due_at from ${given}
    on conflict (email) do update set due_at = coalesce(a.due_at, excluded.due_at)`;
  await sql`
    with earlier as (
      select a.email from direct.address a join ${given} on r.email = a.email
      where r.tested_at > coalesce(a.tested_at, '-infinity') for update of a skip locked
    )
    update direct.address a
    set state = r.state, reason = r.reason, changed_at = r.changed_at, tested_at = r.tested_at,
        verified_at = r.verified_at, attempts = 0, trouble = null, due_at = r.due_at, claim = null
    from ${given} where r.email = a.email and a.email in (select email from earlier)`;
}

/** What the generation does not have is tested no more, and forgotten once nothing said of it could still count. */
async function letGo(sql: Sql, generation: number, nowMs: number): Promise<void> {
  await sql`
    with gone as (
      select email from direct.address a
      where due_at is not null and not exists (
        select from direct.email e where e.generation = ${generation} and e.email = a.email
      ) for update skip locked
    )
    update direct.address a set due_at = null, claim = null from gone where a.email = gone.email`;
  await sql`
    delete from direct.address
    where due_at is null and coalesce(tested_at, changed_at) < ${new Date(nowMs - keptDays * 86_400_000)}`;
}
