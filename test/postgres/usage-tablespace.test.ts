import { id } from '@sluice/kernel/id';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { createDatabase } from '../support/database.ts';

test('days of usage that are prepared later are stored in the tablespace of docs/capacity.md, with their keys', async () => {
  const database = await createDatabase();
  await migrate(database.url);
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const tablespace = id('usage_disk');
  // A tablespace within the data folder needs no folder of its own.
  await sql`SET allow_in_place_tablespaces = on`;
  await sql.unsafe(`CREATE TABLESPACE ${tablespace} LOCATION ''`);
  try {
    await sql.unsafe(`ALTER TABLE ledger.usage SET TABLESPACE ${tablespace}`);
    await sql.unsafe(`ALTER INDEX ledger.usage_pkey SET TABLESPACE ${tablespace}`);
    await sql`SELECT ledger.prepare_usage(8)`;
    const stored = await sql<{ relation: string }[]>`
      SELECT c.relname AS relation FROM pg_class c JOIN pg_tablespace t ON t.oid = c.reltablespace WHERE t.spcname = ${tablespace} ORDER BY 1`;
    const [row] = await sql<[{ name: string }]>`
      SELECT 'usage_' || to_char((clock_timestamp() AT TIME ZONE 'UTC')::date + 8, 'YYYYMMDD') AS name`;
    expect(stored.map(({ relation }) => relation)).toEqual(
      expect.arrayContaining([row.name, `${row.name}_pkey`]),
    );
  } finally {
    await sql.end();
    await database.drop();
    const admin = postgres(database.url.replace(/\/[^/]+$/, '/postgres'), { max: 1 });
    await admin.unsafe(`DROP TABLESPACE ${tablespace}`);
    await admin.end();
  }
});
