import type { Sql } from './database.ts';
import { partition, patient, type TableName, tables } from './staging.ts';

/** Indexes that are built at the same time; each may have workers of its own besides. */
const buildersMax = 2;

/** Builds indexes over partitions that are filled, while others are still being filled. */
export type IndexBuilder = {
  /** Takes up a partition: the indexes that its table has, and what the planner is to know of it. */
  add(table: TableName): void;
  /** Waits for all of them. Throws what the first to fail came to. */
  end(): Promise<void>;
  /** Begins no more, and waits for those that are being built. */
  abandon(): Promise<void>;
};

export async function start(sql: Sql, generation: number): Promise<IndexBuilder> {
  const definitions = await indexes(sql, generation);
  const queue: string[] = [];
  const failures: unknown[] = [];
  let news = Promise.withResolvers<void>();
  let isComplete = false;

  /** Does what is in the queue, and waits for more until no more will come. */
  async function work(connection: Sql): Promise<void> {
    for (;;) {
      const statement = queue.shift();
      if (statement !== undefined) await connection.unsafe(statement);
      else if (isComplete) return;
      else await news.promise;
    }
  }
  function tell(): void {
    news.resolve();
    news = Promise.withResolvers();
  }
  async function finish(): Promise<void> {
    isComplete = true;
    tell();
    await builders;
  }

  const builders = Promise.all(
    Array.from({ length: buildersMax }, () =>
      patient(sql, work).catch((error: unknown) => {
        failures.push(error);
        queue.length = 0;
      }),
    ),
  );
  return {
    add(table) {
      queue.push(...(definitions.get(table) ?? []), `analyze ${partition(table, generation)}`);
      tell();
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

/** What makes the indexes of each table on its partition, those that take longest first. */
async function indexes(sql: Sql, generation: number): Promise<Map<TableName, string[]>> {
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
    const name = primary ? ` ${table}_${generation}_pkey` : '';
    const onto = ` on ${partition(table, generation)} `;
    const own = definition.replace(/ INDEX \S+ ON ONLY \S+ /, ` INDEX${name}${onto}`);
    definitions.set(table, [...(definitions.get(table) ?? []), own]);
  }
  return definitions;
}
