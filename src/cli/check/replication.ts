import type postgres from 'postgres';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('database');
const page = 'docs/high-availability.md';

/** The replication of a server as one of its roles sees it. */
export type Replication = {
  isStandby: boolean;
  /** `synchronous_standby_names`; empty: commits wait for no standby. */
  synchronousNames: string;
  /** `synchronous_commit` of the role. */
  commit: string;
  /** Connected standbys. `state` of replication is null where the role may not read it. */
  standbys: readonly { sync_state: string | null }[];
  /** Time-outs of a session that asks for them, in milliseconds. */
  statementTimeoutMs: number;
  idleInTransactionMs: number;
};

/** Reads the replication of a server, on a session that has asked for both time-outs. */
export async function read(sql: postgres.Sql): Promise<Replication> {
  const [row] = await sql<[Omit<Replication, 'standbys'>]>`SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('synchronous_standby_names') AS "synchronousNames", current_setting('synchronous_commit') AS commit,
    (SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeoutMs",
    (SELECT setting::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS "idleInTransactionMs"`;
  // Base backups are in the view too.
  const standbys = await sql<{ sync_state: string | null }[]>`SELECT sync_state FROM pg_stat_replication
    WHERE state IS DISTINCT FROM 'backup' AND application_name IS DISTINCT FROM 'pg_basebackup'`;
  return { ...row, standbys: [...standbys] };
}

/** Judges if confirmed charges survive the loss of the server, and if time-outs hold. */
export function judge(replication: Replication): Finding.Finding[] {
  return [...standbys(replication), ...timeouts(replication)];
}

function standbys({ isStandby, synchronousNames, commit, standbys }: Replication): Finding.Finding[] {
  if (isStandby)
    return [
      problem(
        'it is a standby, which cannot be written to',
        'set DATABASE_URL to the primary, or name all hosts with target_session_attrs=primary',
      ),
    ];
  const isOne = standbys.length === 1;
  const count = isOne ? '1 standby' : `${standbys.length} standbys`;
  if (synchronousNames === '')
    return standbys.length === 0
      ? [ok(`no standby: after the loss of the server, only a backup remains (${page})`)]
      : [
          unproved(
            `${count} ${isOne ? 'replicates' : 'replicate'} asynchronously: one that takes over may lack charges and payments that were confirmed`,
            `set synchronous_standby_names, or synchronous_mode in Patroni (${page})`,
          ),
        ];
  if (commit === 'local' || commit === 'off')
    return [
      problem(
        `synchronous_commit is ${commit}: commits do not wait for the standbys`,
        'set synchronous_commit = on, also for the role',
      ),
    ];
  if (standbys.length === 0)
    return [
      problem('no synchronous standby is connected: every commit waits', `start a standby, or see ${page}`),
    ];
  const isReadable = standbys.some(({ sync_state }) => sync_state !== null);
  if (isReadable && !standbys.some(({ sync_state }) => sync_state === 'sync' || sync_state === 'quorum'))
    return [
      problem(
        `${count} ${isOne ? 'is' : 'are'} connected, and none is synchronous: every commit waits`,
        'compare synchronous_standby_names with application_name of the standbys',
      ),
    ];
  return [ok(`commits wait for a synchronous standby; ${count} connected`)];
}

function timeouts({ statementTimeoutMs, idleInTransactionMs }: Replication): Finding.Finding[] {
  const missing = [
    ...(statementTimeoutMs === 0 ? ['statement_timeout'] : []),
    ...(idleInTransactionMs === 0 ? ['idle_in_transaction_session_timeout'] : []),
  ];
  return missing.length === 0
    ? []
    : [
        problem(
          `${missing.join(' and ')} of the connection ${missing.length === 1 ? 'is' : 'are'} ignored, probably by a pooler`,
          `ALTER ROLE ... SET ${missing[0]} = ...; the storefront asks for 2 s and 10 s`,
        ),
      ];
}
