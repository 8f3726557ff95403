import type { Connection } from './connection.ts';

/** The time for which data is kept, in hours, where it is a setting (src/process/abuse-settings.ts). */
export type Retention = {
  readonly cardAttemptsHours: number;
  readonly cardChargesHours: number;
  readonly webhookEventsHours: number;
  readonly trialProofsHours: number;
  readonly accountEventsHours: number;
  readonly sellerEventsHours: number;
};

/** The defaults of the settings. */
export const usual: Retention = {
  cardAttemptsHours: 24,
  cardChargesHours: 180 * 24,
  webhookEventsHours: 400 * 24,
  trialProofsHours: 730 * 24,
  accountEventsHours: 400 * 24,
  sellerEventsHours: 400 * 24,
};

/**
 * Rows that are deleted when they have ended: those for which `ended` holds, with `$1` for the time before which they ended. `keeps`: hours, or
 * the setting; docs/privacy.md lists them, and a test compares the two.
 */
export type Rule = { table: string; keeps: number | keyof Retention; ended: string };

const day = 24;

export const rules: readonly Rule[] = [
  // The limits count 24 hours, and clocks of processes may differ.
  { table: 'shop.block_use', keeps: day + 1, ended: 'at < $1' },
  { table: 'shop.used_work', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.claim', keeps: day, ended: 'created_at < $1' },
  { table: 'shop.sign_in', keeps: day, ended: 'created_at < $1' },
  { table: 'shop.operator_session', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.operator_invitation', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.invitation', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.member_session', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.account_event', keeps: 'accountEventsHours', ended: 'at < $1' },
  { table: 'shop.revocation', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.proof', keeps: day, ended: 'expires_at < $1' },
  { table: 'shop.decline', keeps: day, ended: 'at < $1' },
  { table: 'shop.resource', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.oauth_code', keeps: day, ended: 'expires_at < $1' },
  { table: 'shop.oauth_refresh_token', keeps: 0, ended: 'expires_at < $1' },
  { table: 'shop.oauth_refresh_token', keeps: 7 * day, ended: 'rotated_at < $1' },
  {
    table: 'shop.oauth_grant',
    keeps: day,
    ended:
      'created_at < $1 AND NOT EXISTS (SELECT FROM shop.oauth_refresh_token r WHERE r.sid = oauth_grant.sid)',
  },
  {
    table: 'shop.oauth_client',
    keeps: 90 * day,
    ended:
      'created_at < $1 AND NOT EXISTS (SELECT FROM shop.oauth_grant g WHERE g.client_id = oauth_client.id)',
  },
  { table: 'shop.mail', keeps: 30 * day, ended: "state <> 'waiting' AND created_at < $1" },
  { table: 'shop.uncountable_response', keeps: 30 * day, ended: 'day < $1::date' },
  { table: 'shop.card_attempt', keeps: 'cardAttemptsHours', ended: 'at < $1' },
  { table: 'shop.card_setup', keeps: 2 * day, ended: 'at < $1' },
  { table: 'shop.charge', keeps: 'cardChargesHours', ended: 'NOT succeeded AND at < $1' },
  {
    table: 'shop.processor_event',
    keeps: 'webhookEventsHours',
    ended: 'done_at IS NOT NULL AND received_at < $1',
  },
  { table: 'shop.trial_proof', keeps: 'trialProofsHours', ended: "kind <> 'address' AND at < $1" },
  {
    table: 'shop.event',
    keeps: 'sellerEventsHours',
    ended: `at < $1 AND position IS NOT NULL AND NOT EXISTS (SELECT FROM shop.event_delivery d
      JOIN shop.event_endpoint p ON p.id = d.endpoint_id WHERE d.position = event.position AND d.state = 'waiting' AND p.state = 'on')`,
  },
  {
    table: 'shop.event_delivery',
    keeps: 'sellerEventsHours',
    ended:
      'updated_at < $1 AND NOT EXISTS (SELECT FROM shop.event e WHERE e.position = event_delivery.position)',
  },
  { table: 'shop.trial_proof', keeps: 30 * day, ended: "kind = 'address' AND at < $1" },
];

/** Number of rows that are deleted in one statement, and of statements for one rule in a run. The next run continues. */
const deletedMax = 5_000;
const stepsMax = 20;

/** Deletes what has ended, in bounded steps. A rule that fails does not stop the others; their errors are thrown at the end. */
export async function sweep(sql: Connection, retention: Retention): Promise<void> {
  const faults: unknown[] = [];
  for (const rule of rules)
    await remove(sql, rule, hoursOf(rule, retention)).catch((fault: unknown) => faults.push(fault));
  await sql`UPDATE shop.purchase SET page_address = NULL WHERE id IN (SELECT id FROM shop.purchase
    WHERE page_address IS NOT NULL AND expires_at < clock_timestamp() - interval '1 day' LIMIT ${deletedMax})`.catch(
    (fault: unknown) => faults.push(fault),
  );
  if (faults.length > 0)
    throw new AggregateError(faults, faults.map(String).join('; '), { cause: faults[0] });
}

/** Returns the hours for which rows of a rule are kept. */
function hoursOf({ keeps }: Rule, retention: Retention): number {
  return typeof keeps === 'number' ? keeps : retention[keeps];
}

async function remove(sql: Connection, { table, ended }: Rule, hours: number): Promise<void> {
  const before = `(clock_timestamp() - interval '${hours} hours')`;
  const rows = `SELECT ctid FROM ${table} WHERE ${ended.replaceAll('$1', before)} LIMIT ${deletedMax} FOR UPDATE SKIP LOCKED`;
  for (let step = 0; step < stepsMax; step += 1) {
    const { count } = await sql.unsafe(`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${rows}))`);
    if (count < deletedMax) return;
  }
}
