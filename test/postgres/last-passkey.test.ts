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

/** Without OpenID Connect, and with it. */
const operators = (hasOidc: boolean) => openOperators(sql, hasOidc);

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
  const removals = owners.flatMap((id) =>
    ['a', 'b'].map((key) => operators(hasOidc).removePasskey(id, id + key, 'test')),
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

test('while OpenID Connect is off, the only owner with a passkey is neither removed nor given another role', async () => {
  await twoOwners();
  await sql`DELETE FROM shop.operator_passkey WHERE operator_id = 'op_2'`;
  expect(await operators(false).changeRole('op_1', 'viewer', 'test')).toBe('last_owner');
  expect(await operators(false).remove('op_1', 'test')).toBe('last_owner');
  expect(await operators(true).changeRole('op_1', 'viewer', 'test')).toBe('done');
  // A command that does not know of OpenID Connect removes no owner who may be the last.
  expect(await operators(false).remove('op_2', 'test')).toBe('last_owner');
});
