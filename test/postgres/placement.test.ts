import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Placement from '../../src/adapters/postgres/placement.ts';
import { createMigrated } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createMigrated>>;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createMigrated();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

/** The names of relations in the schemas of the shop. A partition counts as the table that it belongs to. */
const relations = () => sql<{ name: string; table: string; kind: string }[]>`
  SELECT n.nspname || '.' || c.relname AS name, n.nspname || '.' || coalesce(p.relname, c.relname) AS table, c.relkind AS kind
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
    WHERE n.nspname IN ('shop', 'ledger') AND c.relkind IN ('r', 'p', 'v')`;

test('every table has a place, and an account column where it belongs to an account', async () => {
  const found = new Set((await relations()).filter(({ kind }) => kind !== 'v').map(({ table }) => table));
  expect([...found].sort()).toEqual(Object.keys(Placement.tables).sort());
  const columns = await sql<
    { name: string }[]
  >`SELECT table_schema || '.' || table_name || '.' || column_name AS name
    FROM information_schema.columns WHERE table_schema IN ('shop', 'ledger')`;
  const known = new Set(columns.map(({ name }) => name));
  for (const [table, place] of Object.entries(Placement.tables)) {
    if (place.at !== 'account') continue;
    const [column = '', parent] = place.by.split('.').reverse();
    expect(known, `${table} by ${place.by}`).toContain(`${table}.${column}`);
    if (parent === undefined) continue;
    expect(Placement.tables[`shop.${parent}`], `${table} by ${place.by}`).toEqual({
      at: 'account',
      by: 'account_id',
    });
  }
});

test('every unique index of an account table is kept unique over the cells', async () => {
  const indexes = await sql<{ name: string; table: string; definition: string }[]>`
    SELECT n.nspname || '.' || c.relname AS name, n.nspname || '.' || t.relname AS table, pg_get_indexdef(c.oid) AS definition
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
      WHERE i.indisunique AND n.nspname IN ('shop', 'ledger') AND NOT t.relispartition`;
  const ofAccounts = indexes.filter(({ table }) => Placement.tables[table]?.at === 'account');
  expect(ofAccounts.map(({ name }) => name).sort()).toEqual(Object.keys(Placement.uniqueIndexes).sort());
  // An index that contains the account needs nothing else.
  for (const { name, definition } of ofAccounts)
    if (/\baccount_id\b/.test(definition.replace(/^[^(]*/, '')))
      expect(Placement.uniqueIndexes[name], name).toBe('account');
});

test('every function that uses tables of an account and of the shop, also through others, is known', async () => {
  const rows = await sql<{ name: string; body: string; is_view: boolean }[]>`
    SELECT n.nspname || '.' || p.proname AS name, p.prosrc AS body, false AS is_view FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('shop', 'ledger')
    UNION ALL SELECT n.nspname || '.' || c.relname, pg_get_viewdef(c.oid), true FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('shop', 'ledger') AND c.relkind = 'v'`;
  const tableOf = new Map((await relations()).map(({ name, table }) => [name, table]));
  const bodies = new Map<string, string>();
  for (const { name, body } of rows)
    bodies.set(name, `${bodies.get(name) ?? ''}\n${body.replace(/--.*$/gm, '')}`);
  const placesOf = (name: string, seen = new Set<string>()): Set<string> => {
    const places = new Set<string>();
    if (seen.has(name)) return places;
    seen.add(name);
    // `ledger.batch` is both: a call of a function is written without a space.
    for (const [, used = '', call] of (bodies.get(name) ?? '').matchAll(/\b((?:shop|ledger)\.\w+)(\()?/g)) {
      const place = call ? undefined : Placement.tables[tableOf.get(used) ?? '']?.at;
      if (place !== undefined) places.add(place);
      else if (bodies.has(used)) for (const further of placesOf(used, seen)) places.add(further);
    }
    return places;
  };
  const crossing = new Set<string>();
  for (const { name, is_view } of rows) {
    const places = placesOf(name);
    if (!is_view && places.has('account') && places.has('shop')) crossing.add(name);
  }
  expect([...crossing].sort()).toEqual(Object.keys(Placement.crossing).sort());
});
