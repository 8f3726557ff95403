import * as Money from '@sluice/kernel/money';
import { type AccountKey, type AccountKeys, keysMax, type ListedKey } from '../../identity/account-key.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type { key } from './schema/accounts.ts';
import type { Row } from './schema/row.ts';

type KeyRow = Pick<Row<typeof key>, 'id' | 'account_id' | 'name' | 'budget' | 'services' | 'expires_at'>;
type ListedRow = KeyRow & Pick<Row<typeof key>, 'hint' | 'created_at'> & { spent: number };

/** Stores the keys of accounts (migrations/functions/accounts.sql). */
export function openAccountKeys(sql: Connection): AccountKeys {
  return {
    async add({ id, account, name, budget, services, expiresMs }, digest, hint) {
      const expires = expiresMs === null ? null : new Date(expiresMs);
      const [row] = await announced(
        sql,
        sql<[{ made: Date | null }]>`SELECT shop.make_key(${id}, ${account}, ${digest}, ${hint},
        ${name}, ${budget}, ${services && [...services]}, ${expires}, ${keysMax}) AS made`,
      );
      return row.made?.getTime() ?? null;
    },
    async find(digest) {
      const found = sql<
        KeyRow[]
      >`SELECT k.id, coalesce(a.joined_to, a.id) AS account_id, k.name, k.budget, k.services, k.expires_at
        FROM shop.key k JOIN shop.account a ON a.id = k.account_id WHERE k.digest = ${digest} AND k.revoked_at IS NULL`;
      const [row] = await found;
      return row ? read(row) : null;
    },
    async of(account) {
      const rows = await sql<ListedRow[]>`
        SELECT k.id, ${account} AS account_id, k.name, k.budget, k.services, k.expires_at, k.hint, k.created_at,
            coalesce((SELECT sum(s.given - s.remaining) FROM ledger.statement(k.id) s WHERE k.budget IS NOT NULL), 0)::bigint AS spent
          FROM shop.key k JOIN shop.account a ON a.id = k.account_id
          WHERE (a.id = ${account} OR a.joined_to = ${account}) AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`;
      return rows.map(
        (row): ListedKey => ({
          ...read(row),
          hint: row.hint,
          createdMs: row.created_at.getTime(),
          spent: Money.ofMicro(row.spent),
        }),
      );
    },
    async end(account, id) {
      const [row] = await announced(
        sql,
        sql<[{ ended: boolean }]>`SELECT shop.end_key(${account}, ${id}) AS ended`,
      );
      return row.ended;
    },
  };
}

function read({ id, account_id, name, budget, services, expires_at }: KeyRow): AccountKey {
  return {
    id,
    account: account_id,
    name,
    budget: budget === null ? null : Money.ofMicro(budget),
    services,
    expiresMs: expires_at?.getTime() ?? null,
  };
}
