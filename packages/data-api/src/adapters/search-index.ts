import * as SplitSearch from '../filters/split-search.ts';
import * as Tsquery from '../filters/tsquery.ts';
import type { Fragment, Sql } from './database.ts';
import * as Staging from './staging.ts';

/** A table with a search vector, and its alias in the statement. */
type Searched = { table: Staging.TableName; alias: string; version: number };

/**
 * SQL condition `and ...` that makes PostgreSQL answer a search by the search index. A search with many terms becomes sets
 * of ids, one for each of its parts, so that no record is checked against all terms.
 */
export function searchFound(sql: Sql, searched: Searched, search: string): Fragment {
  const vector = sql(`${searched.alias}.search`);
  if (!SplitSearch.isLarge(search)) return sql`and ${vector} @@ ${Tsquery.indexed(search)}::tsquery`;
  const { main, groups, excluded } = SplitSearch.split(search);
  const id = sql(`${searched.alias}.id`);
  const wanted = groups.map((parts) => sql`and ${id} in (${idsOfAny(sql, searched, parts)})`);
  return sql`
    ${main === null ? sql`` : sql`and ${vector} @@ ${Tsquery.indexed(main)}::tsquery`}
    ${wanted.length === 0 ? sql`` : wanted}
    ${excluded.length === 0 ? sql`` : sql`and ${id} not in (${idsOfAny(sql, searched, excluded)})`}`;
}

/**
 * Statement for the ids of records that match any of the parts. It names the partition, so that the search index is the only
 * one that fits, and `offset 0` keeps the set apart, so that it is found once and not checked for each record.
 */
function idsOfAny(sql: Sql, { table, version }: Searched, parts: readonly string[]): Fragment {
  const any = parts.map((part, index) =>
    index === 0 ? sql`s.search @@ ${part}::tsquery` : sql`or s.search @@ ${part}::tsquery`,
  );
  return sql`select s.id from ${sql(Staging.partition(table, version))} s where ${any} offset 0`;
}
