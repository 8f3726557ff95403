import type { Sql } from './database.ts';
import * as Database from './database.ts';

/** Tables of the data set. Each has one partition per version, which is filled before it is attached. */
export const tables = ['company', 'company_domain', 'person', 'job', 'email', 'phone'] as const;
export type TableName = (typeof tables)[number];

const statementTimeoutMs = 3_600_000;
const closeTimeoutMs = 1_000;
const maintenanceMemory = '512MB';

export function partition(table: TableName, version: number): string {
  return `direct.${table}_${version}`;
}

/** Runs `work` on a separate connection with settings for long-running maintenance statements. */
export async function onMaintenanceConnection<T>(
  sql: Sql,
  work: (connection: Sql) => Promise<T>,
): Promise<T> {
  const connection = Database.dedicated(sql, {
    statement_timeout: statementTimeoutMs,
    maintenance_work_mem: maintenanceMemory,
  });
  try {
    return await work(connection);
  } finally {
    await Database.close(connection, closeTimeoutMs);
  }
}

/** Statements that attach the partitions of a version, for one transaction. Quick, because the indexes exist already. */
export function attachStatements(version: number): string {
  return tables
    .map((table) => {
      const name = partition(table, version);
      const key = `${table}_${version}_pkey`;
      return `alter table ${name} add constraint ${key} primary key using index ${key};
              alter table direct.${table} attach partition ${name} for values in (${version});`;
    })
    .join('\n');
}
