import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { openOperators } from '../../src/adapters/postgres/operators.ts';
import { createMigrated, type Database } from '../support/database.ts';

let database: Database;
let sql: ReturnType<typeof openConnection>;
beforeAll(async () => {
  database = await createMigrated();
  sql = openConnection(database.url, 4);
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

const owners = ['op_1', 'op_2'];

/** Two owners who are bound to OpenID Connect, with two passkeys each. */
async function twoOwners(): Promise<void> {
  await sql`DELETE FROM shop.operator`;
  for (const id of owners) {
    await sql`INSERT INTO shop.operator (id, email, name, role, oidc_subject) VALUES (${id}, ${`${id}@shop.example`}, 'Op', 'owner', ${id})`;
    for (const key of ['a', 'b'])
      await sql`INSERT INTO shop.operator_passkey (id, operator_id, public_key, counter, transports, name, is_backed_up)
        VALUES (${id + key}, ${id}, 'key', 0, '{}', 'Key', false)`;
  }
}

/** Removes all passkeys of all owners at the same time. */
function removeAll(hasOidc: boolean): Promise<string[]> {
  const operators = openOperators(sql);
  const removals = owners.flatMap((id) =>
    ['a', 'b'].map((key) => operators.removePasskey(id, id + key, hasOidc, 'test')),
  );
  return Promise.all(removals);
}

test('while OpenID Connect is off, each owner keeps a passkey, however many removals run at once', async () => {
  await twoOwners();
  expect((await removeAll(false)).toSorted()).toEqual(['done', 'done', 'last_passkey', 'last_passkey']);
  const left = await sql<{ of: string }[]>`SELECT operator_id AS of FROM shop.operator_passkey ORDER BY 1`;
  expect(left.map(({ of }) => of)).toEqual(owners);
});

test('while OpenID Connect is on, a person who is bound to it needs no passkey', async () => {
  await twoOwners();
  expect(await removeAll(true)).toEqual(['done', 'done', 'done', 'done']);
});
