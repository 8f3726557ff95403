import { type Admission, type Admissions, daily, type Rule } from '../../identity/registration.ts';
import type { Connection } from './connection.ts';

/** Counts registrations by address block and day (migrations/functions/registration-limits.sql). */
export function openAdmissions(sql: Connection): Admissions {
  return {
    admit: (rules, work) => admit(sql, rules, work, daily.max),
    admitAgent: (rules, signature) => admit(sql, rules, signature, null),
  };
}

/** @param dayMax registrations per day, or null: the day neither limits nor counts this one */
async function admit(
  sql: Connection,
  rules: readonly Rule[],
  work: { id: string; expiresMs: number } | null,
  dayMax: number | null,
): Promise<Admission> {
  const { blocks, seconds, max } = columns(rules);
  type Row = {
    state: 'allowed' | 'address' | 'day' | 'work_required' | 'work_used';
    wait_seconds: number | null;
    today: number;
  };
  const expires = work && new Date(work.expiresMs);
  const [row] = await sql<
    [Row]
  >`SELECT * FROM shop.admit_registration(${blocks}::text[], ${seconds}::integer[], ${max}::integer[],
    ${work?.id ?? null}, ${expires}, ${daily.seenMax}, ${daily.unseenMax}, ${dayMax})`;
  switch (row.state) {
    case 'allowed':
    case 'work_used':
      return { kind: row.state };
    case 'work_required':
      return { kind: 'work_required', today: row.today };
    case 'address':
    case 'day':
      return {
        kind: 'refused',
        reason: row.state,
        retryAfterSeconds: Math.max(1, row.wait_seconds ?? 1),
      };
  }
}

/** Returns rules as three parallel arrays for SQL. */
export function columns(rules: readonly Rule[]): { blocks: string[]; seconds: number[]; max: number[] } {
  return {
    blocks: rules.map(({ block }) => block),
    seconds: rules.map(({ seconds }) => seconds),
    max: rules.map(({ max }) => max),
  };
}
