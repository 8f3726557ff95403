import type { Sql } from './database.ts';
import { onMaintenanceConnection, partition, type TableName, tables } from './staging.ts';

/** Number of concurrent index builds. PostgreSQL may add parallel workers to each. */
const buildersMax = 2;

/** Builds the indexes of filled partitions while other partitions are still being filled. */
export type IndexBuilder = {
  /** Queues the index builds and ANALYZE of a filled partition. */
  add(table: TableName): void;
  /** Waits for all builds. Throws the first error. */
  end(): Promise<void>;
  /** Drops queued builds and waits for running ones. */
  abandon(): Promise<void>;
};

export async function start(sql: Sql, version: number): Promise<IndexBuilder> {
  const definitions = await indexes(sql, version);
  const queue: string[] = [];
  const failures: unknown[] = [];
  let wakeUp = Promise.withResolvers<void>();
  let isComplete = false;

  /** Runs queued statements until the builder is finished. */
  async function work(connection: Sql): Promise<void> {
    for (;;) {
      const statement = queue.shift();
      if (statement !== undefined) await connection.unsafe(statement);
      else if (isComplete) return;
      else await wakeUp.promise;
    }
  }
  function wakeBuilders(): void {
    wakeUp.resolve();
    wakeUp = Promise.withResolvers();
  }
  async function finish(): Promise<void> {
    isComplete = true;
    wakeBuilders();
    await builders;
  }

  const builders = Promise.all(
    Array.from({ length: buildersMax }, () =>
      onMaintenanceConnection(sql, work).catch((error: unknown) => {
        failures.push(error);
        queue.length = 0;
      }),
    ),
  );
  return {
    add(table) {
      queue.push(...(definitions.get(table) ?? []), `analyze ${partition(table, version)}`);
      wakeBuilders();
    },
    async end() {
      await finish();
      if (failures.length > 0) throw failures[0];
    },
    async abandon() {
      queue.length = 0;
      await finish();
    },
  };
}

/** Statements that create the indexes of each table on its partition, the slowest (GIN) first. */
async function indexes(sql: Sql, version: number): Promise<Map<TableName, string[]>> {
  const found = await sql<{ table: TableName; definition: string; primary: boolean }[]>`
    select c.relname as table, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as primary
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_class x on x.oid = i.indexrelid
    join pg_am a on a.oid = x.relam
    where c.relnamespace = 'direct'::regnamespace and c.relname = any(${[...tables]}) and c.relkind = 'p'
    order by a.amname = 'gin' desc, x.relname`;
  const definitions = new Map<TableName, string[]>();
  for (const { table, definition, primary } of found) {
    const name = primary ? ` ${table}_${version}_pkey` : '';
    const onto = ` on ${partition(table, version)} `;
    const own = definition.replace(/ INDEX \S+ ON ONLY \S+ /, ` INDEX${name}${onto}`);
    definitions.set(table, [...(definitions.get(table) ?? []), own]);
  }
  return definitions;
}
