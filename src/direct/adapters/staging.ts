import type { Sql } from './database.ts';
import * as Database from './database.ts';

/** Tables of the data set, each with a partition a generation. A partition is filled by itself before it joins. */
export const tables = ['company', 'company_domain', 'person', 'job', 'email', 'phone'] as const;
export type TableName = (typeof tables)[number];

const statementTimeoutMs = 3_600_000;
const closeTimeoutMs = 1_000;
const maintenanceMemory = '512MB';

export function partition(table: TableName, generation: number): string {
  return `direct.${table}_${generation}`;
}

/** Runs `work` on a connection of its own, set up for what takes its time. */
export async function patient<T>(sql: Sql, work: (connection: Sql) => Promise<T>): Promise<T> {
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

/** The statements that let the partitions join their tables, for a transaction. The indexes are there, so it is quick. */
export function joining(generation: number): string {
  return tables
    .map((table) => {
      const name = partition(table, generation);
      const key = `${table}_${generation}_pkey`;
      return `alter table ${name} add constraint ${key} primary key using index ${key};
              alter table direct.${table} attach partition ${name} for values in (${generation});`;
    })
    .join('\n');
}
