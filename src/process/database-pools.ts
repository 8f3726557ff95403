import * as Connection from '../adapters/postgres/connection.ts';
import { Listener } from '../adapters/postgres/listener.ts';
import * as PlanHoldings from '../adapters/postgres/plan-holdings.ts';
import type { Config } from '../config.ts';

const connectionsMax = 10;
/** The ledger has its own connections, so that pages and reports cannot block it. */
const ledgerConnectionsMax = 2;
const reportConnectionsMax = 4;

/** The connections of one process. */
export type DatabasePools = {
  sql: Connection.Connection;
  ledgerSql: Connection.Connection;
  /** For statements that may take longer than those of a request. */
  patientSql: Connection.Connection;
  /** For reports: a standby, or the same as `sql`. */
  reportSql: Connection.Connection;
  /** The notifications of other processes. */
  listener: Listener;
  end(): Promise<void>;
};

/** Opens them. They connect with their first statements. */
export function open({ databaseUrl, databaseReadUrl }: Config): DatabasePools {
  const timeoutMs = Connection.statementTimeoutMs;
  const sql = Connection.openConnection(databaseUrl, connectionsMax);
  const ledgerSql = Connection.openConnection(databaseUrl, ledgerConnectionsMax, timeoutMs, true);
  const patientSql = Connection.openConnection(databaseUrl, 1, PlanHoldings.stakesMsMax, true);
  const reportSql =
    databaseReadUrl === null ? sql : Connection.openConnection(databaseReadUrl, reportConnectionsMax);
  const listener = new Listener(databaseUrl);
  return {
    sql,
    ledgerSql,
    patientSql,
    reportSql,
    listener,
    async end() {
      const pools = new Set([sql, ledgerSql, patientSql, reportSql]);
      await Promise.all([listener.end(), ...[...pools].map((pool) => pool.end({ timeout: 2 }))]);
    },
  };
}
