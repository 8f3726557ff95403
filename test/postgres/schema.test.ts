import { readdirSync, readFileSync } from 'node:fs';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Abuse from '../../src/adapters/postgres/schema/abuse.ts';
import * as Accounts from '../../src/adapters/postgres/schema/accounts.ts';
import * as Events from '../../src/adapters/postgres/schema/events.ts';
import * as OAuth from '../../src/adapters/postgres/schema/oauth.ts';
import * as Operations from '../../src/adapters/postgres/schema/operations.ts';
import * as Operators from '../../src/adapters/postgres/schema/operators.ts';
import * as Orders from '../../src/adapters/postgres/schema/orders.ts';
import * as Plans from '../../src/adapters/postgres/schema/plans.ts';
import * as Shop from '../../src/adapters/postgres/schema/shop.ts';
import * as Team from '../../src/adapters/postgres/schema/team.ts';
import * as SchemaVersion from '../../src/adapters/postgres/schema-version.ts';
import { createDatabase } from '../support/database.ts';

type Database = Awaited<ReturnType<typeof createDatabase>> & { sql: postgres.Sql };

async function open(): Promise<Database> {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  return { ...database, sql };
}

let migrated: Database;
beforeAll(async () => {
  migrated = await open();
  await migrate(migrated.url);
});
afterAll(async () => {
  await migrated?.sql.end();
  await migrated?.drop();
});

/** Every table of the schema `shop`, as PostgreSQL describes its columns, indexes and constraints. */
async function describeShop(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    SELECT format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, ' identity ' || nullif(a.attidentity::text, ''), ' default ' || pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'shop'::regnamespace AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'shop'::regnamespace
    UNION ALL
    SELECT format('%s: %s %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c
      WHERE c.connamespace = 'shop'::regnamespace AND c.contype NOT IN ('n', 't')
    ORDER BY 1`;
  return rows.map(({ line }) => line);
}

test('the Drizzle schema describes the migrated tables of the shop in full', async () => {
  const files = {
    ...Abuse,
    ...Accounts,
    ...Events,
    ...OAuth,
    ...Operations,
    ...Operators,
    ...Orders,
    ...Plans,
    ...Shop,
    ...Team,
  };
  const statements = await generateMigration(
    generateDrizzleJson({}),
    generateDrizzleJson(files, undefined, ['shop']),
  );
  const defined = await open();
  try {
    await defined.sql.unsafe(statements.join('\n'));
    // drizzle-kit cannot express a deferred key: 0001_ledger.sql makes this one deferred.
    const notDeferred = (line: string) =>
      line.startsWith('shop.wallet: wallet_account_id ')
        ? line.replace(' DEFERRABLE INITIALLY DEFERRED', '')
        : line;
    const found = await describeShop(migrated.sql);
    expect(found.length).toBeGreaterThan(250);
    expect(found.map(notDeferred)).toEqual(await describeShop(defined.sql));
  } finally {
    await defined.sql.end();
    await defined.drop();
  }
});

test('every schema file is part of the comparison', () => {
  const folder = new URL('../../src/adapters/postgres/schema/', import.meta.url);
  const compared = [
    'abuse.ts',
    'accounts.ts',
    'events.ts',
    'oauth.ts',
    'operations.ts',
    'operators.ts',
    'orders.ts',
    'plans.ts',
    'shop.ts',
    'team.ts',
  ];
  expect(readdirSync(folder).sort()).toEqual([...compared, 'row.ts'].sort());
});

/** Add a line for each new migration. A line of a released migration never changes, because databases have recorded its digest. */
const released = {
  '0000_shop': '9a253a74cf9790719f06f4f73d32741164b48cd41b861e7a3c7a4ed3fbefa153',
  '0001_ledger': '2fd4072504585247c45910089ad34dd41e9018bc7dab9cf4da267e4a69bd2681',
  '0002_account_mail': 'c9e39eb64922b66a44e7a6bd182a480586f6f5cd0909e68039269179a851f85c',
  '0003_usage_closing': '3d3f85ce45e220c893b4a054cb4390faa75f875b1bbdea71f77d6b9b888e1128',
  '0004_abuse': 'f74e9ec7ff7a972662d68f71633a8dbbb0f9edf01c0c3f1053e7b7f8ca60e750',
  '0005_console_operators': 'cdad7b57f40ab76daa1b44a8a07c660a6335729f5908d682432b5ccc73554e4a',
  '0006_billing_details': '171c2a9331e9c56024d269c1d38b1efadd561fe6f76f4728b7de311b0bfdde09',
  '0007_card_setup': '5152c603380cffc645cbe014349bd8ea2f8bc512619c3720dd7d654700eb7ad2',
  '0008_notices': 'ef0c2c7a58e1376d71f972266a181beca2b4c6a23c2c3196e098848ee5d1f189',
  '0009_team': '07319f370ee42756c73f71399a1fbbfba16a36c8ce7382fbcd329c293cd265f4',
  '0010_events': '63d9ac20487c98078ac327b7d5007ca010a8868eacc4bc2a9c4e7f52c17c7b6e',
  '0011_event_triggers': 'affb5a9e1e9d360f52133731b64d9f41445e41495e4aae367d12f7f830c009cb',
  '0012_dispute_due': 'd93981e52a2a335f611d97a2390eec24b9db9543ecc1e53b30497c46c830fa2f',
  '0013_known_browsers': 'c2aa0a238805c4ea735a285bb8a60bd1f5da6b982a535f90c87e2b5cdd97f6bd',
  '0014_returned_before': '274f613a67192fdccc083760b93a739980490960b0bbae15a1c985806c0654e7',
  '0015_session_devices': '3a93335136988d516718cea0678997514438738e568a59fa7e57b187d6fc25bb',
  '0016_member_session': 'f59e62bc5d03c36bb0a2a20f2206ba6d1d45e0451d3eec7b6f827af2fb7f4ad8',
  '0017_event_received': '2909cc835632188d4a690c76206b82fb9278c3fbe1c9a92ef3afb69b7c00f212',
};

test('released migrations stay as they are', async () => {
  const rows = await migrated.sql<
    { hash: string }[]
  >`SELECT hash FROM drizzle.__drizzle_migrations ORDER BY id`;
  expect(rows.map(({ hash }) => hash)).toEqual(Object.values(released));
});

test('the last webhook event, which the page Health shows, is found by an index', async () => {
  const plan = await migrated.sql.begin(async (sql) => {
    await sql`SET LOCAL enable_seqscan = off`;
    return sql`EXPLAIN SELECT max(received_at) AS at FROM shop.processor_event`;
  });
  expect(JSON.stringify(plan)).toContain('processor_event_received');
});

describe('functions', () => {
  test('all have a valid body, and each is defined once', async () => {
    const { text } = SchemaVersion.functions();
    await migrated.sql.unsafe(`BEGIN; SET LOCAL check_function_bodies = on; ${text} COMMIT;`);
    const defined = [...text.matchAll(/^CREATE OR REPLACE FUNCTION ([\w.]+)/gm)].map(([, name]) => name);
    const [stored] = await migrated.sql<[{ names: string[] }]>`
      SELECT array_agg(pronamespace::regnamespace || '.' || proname) AS names FROM pg_proc
        WHERE pronamespace IN ('shop'::regnamespace, 'ledger'::regnamespace)`;
    expect(defined.sort()).toEqual(stored.names.sort());
  });

  test('are only ever replaced, so that they can be applied to a running shop', () => {
    const { text } = SchemaVersion.functions();
    const statements = text.match(/^(?:CREATE|ALTER|DROP|GRANT|INSERT|UPDATE|DELETE)\b.*/gm) ?? [];
    expect(statements.filter((line) => !/^CREATE OR REPLACE (?:FUNCTION|VIEW) /.test(line))).toEqual([]);
  });

  test('are not created by migrations, except as placeholders of triggers', () => {
    const folder = `${SchemaVersion.folder}/`;
    const created = readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .flatMap(
        (name) => readFileSync(folder + name, 'utf8').match(/^CREATE (?:OR REPLACE )?FUNCTION .*/gm) ?? [],
      );
    for (const line of created) expect(line).toMatch(/RETURNS trigger .*BEGIN RETURN (?:NULL|NEW); END/);
  });
});

const server = postgres(inject('databaseUrl'), { max: 1 });
const [available] = await server<
  [{ count: number }]
>`SELECT count(*)::int AS count FROM pg_available_extensions WHERE name = 'plpgsql_check'`;
await server.end();

/** The embedded server has no plpgsql_check. `.ci/run` installs it for Debian's server (postgresql-15-plpgsql-check). */
describe.skipIf(available.count === 0)('plpgsql_check', () => {
  test('finds no fault in any function', async () => {
    await migrated.sql`CREATE EXTENSION IF NOT EXISTS plpgsql_check`;
    const faults = await migrated.sql<{ fault: string }[]>`
      SELECT format('%s line %s: %s: %s %s', p.oid::regprocedure, f.lineno, f.level, f.message, f.detail) AS fault
        FROM pg_proc p LEFT JOIN pg_trigger t ON t.tgfoid = p.oid AND t.tgparentid = 0
          CROSS JOIN LATERAL plpgsql_check_function_tb(p.oid, coalesce(t.tgrelid, 0), extra_warnings => true) f
        WHERE p.pronamespace IN ('shop'::regnamespace, 'ledger'::regnamespace) AND p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
        ORDER BY 1`;
    expect(faults.map(({ fault }) => fault)).toEqual([]);
    const [checked] = await migrated.sql<[{ count: number }]>`SELECT count(*)::int AS count FROM pg_proc p
      WHERE p.pronamespace IN ('shop'::regnamespace, 'ledger'::regnamespace) AND p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')`;
    expect(checked.count).toBeGreaterThan(50);
  });
});
