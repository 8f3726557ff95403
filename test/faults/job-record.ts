import type postgres from 'postgres';
import * as JobUpstream from './job-upstream.ts';
import type { Told } from './record.ts';
import type { Asked } from './upstream.ts';

/** A call as the ledger recorded it: what was charged, and what of it was not credited back. */
type Booked = { account: string; units: number; money: number; net: number; isKept: boolean };
type Row = { call: string; account: string; id: string; state: string; end_call: string | null };

const priceMicroUsd = 100;
const settleMs = 20_000;
const lookMs = 250;

/** Waits until every job is settled. A job whose call was never charged has had its time at once. Returns the number of open jobs. */
export async function rest(sql: postgres.Sql): Promise<number> {
  for (const end = performance.now() + settleMs; ; ) {
    await sql`UPDATE ledger.job j SET next_poll_at = clock_timestamp(),
        expires_at = CASE WHEN EXISTS (SELECT FROM ledger.usage u WHERE u.call_id = j.call_id) THEN expires_at ELSE clock_timestamp() END
      WHERE state = 'open'`;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const [row] = await sql<
      [{ open: number }]
    >`SELECT count(*)::integer AS open FROM ledger.job WHERE state = 'open'`;
    if (row.open === 0 || performance.now() > end) return row.open;
  }
}

/** The jobs of a run, and the calls in the ledger that belong to them. */
export class JobRecord {
  readonly #jobs: readonly Row[];
  readonly #starts: ReadonlySet<string>;
  readonly #ends: ReadonlySet<string>;
  readonly #booked = new Map<string, Booked>();

  constructor(jobs: readonly Row[]) {
    this.#jobs = jobs;
    this.#starts = new Set(jobs.map(({ call }) => call));
    this.#ends = new Set(jobs.flatMap(({ end_call }) => end_call ?? []));
  }

  static async read(sql: postgres.Sql): Promise<JobRecord> {
    return new JobRecord(
      await sql<
        Row[]
      >`SELECT 'call_' || call_id AS call, account_id AS account, id, state, 'call_' || end_call_id AS end_call FROM ledger.job`,
    );
  }

  /** Takes a call of the ledger that starts or ends a job. Returns false for any other call. */
  take(call: string, booked: Booked): boolean {
    if (!this.#starts.has(call) && !this.#ends.has(call)) return false;
    this.#booked.set(call, booked);
    return true;
  }

  /**
   * Compares the jobs with the responses of their callers and the requests at the upstream.
   * @param asked the requests by the id of their job
   */
  compare(
    told: ReadonlyMap<string, Told>,
    asked: ReadonlyMap<string, Asked>,
  ): { breaches: string[]; ended: number; untold: string[]; lost: number } {
    const breaches: string[] = [];
    const untold: string[] = [];
    const chargedKeys = new Map<string, number>();
    const counts = { ended: 0, lost: 0 };
    for (const job of this.#jobs) {
      const start = this.#booked.get(job.call);
      const end = job.end_call === null ? undefined : this.#booked.get(job.end_call);
      const wrong = faultOf(job, start, end, asked.get(job.id));
      if (wrong !== null) breaches.push(`job ${job.id} (${job.state}): ${wrong}`);
      const seen = told.get(job.call);
      if (seen && start && (seen.units !== start.units || seen.costMicroUsd !== start.money))
        breaches.push(`${job.call}: told ${seen.units} for ${seen.costMicroUsd}, booked ${start.units}`);
      if (job.state === 'ended') counts.ended += 1;
      else if (seen) counts.lost += 1;
      if ((end?.net ?? 0) === 0) continue;
      // A stored response is given again to a caller who repeats its key.
      if (!seen) untold.push(...(start?.isKept ? [] : [job.account]));
      else if (seen.key !== null) chargedKeys.set(seen.key, (chargedKeys.get(seen.key) ?? 0) + 1);
    }
    for (const [call, { startsJob }] of told)
      if (startsJob && !this.#starts.has(call)) breaches.push(`${call} started a job that is not on record`);
    for (const [key, times] of chargedKeys)
      if (times > 1) breaches.push(`${key} is charged for ${times} jobs`);
    return { breaches, untold, ...counts };
  }
}

/** Returns what is wrong with the charges of a job, or null. */
function faultOf(
  { state, account }: Row,
  start: Booked | undefined,
  end: Booked | undefined,
  asked: Asked | undefined,
): string | null {
  if (asked === undefined) return 'the upstream has no such job';
  if ((start?.net ?? 0) !== 0) return `its start stays charged with ${start?.net}`;
  if (start && start.account !== account) return `its start is charged to ${start.account}`;
  // More is held than the request asks for when the account has too many unpaid calls: then the maximum of the operation is.
  const held = start?.units ?? 0;
  if (start && held !== asked.max && held !== JobUpstream.unitsMax)
    return `${held} units were held, where its request asked for ${asked.max}`;
  const due = state === 'ended' ? JobUpstream.costOf(asked, held) * priceMicroUsd : 0;
  const charged = end?.net ?? 0;
  return charged === due ? null : `costs ${charged}, where its upstream counted ${due}`;
}
