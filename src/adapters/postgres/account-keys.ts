import * as Money from '@sluice/kernel/money';
import {
  type AccountKey,
  type AccountKeys,
  keysMax,
  type ListedKey,
  roleOfRemoved,
} from '../../identity/account-key.ts';
import type { Role } from '../../identity/team/role.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type { key } from './schema/accounts.ts';
import type { Row } from './schema/row.ts';

type KeyRow = Pick<
  Row<typeof key>,
  'id' | 'account_id' | 'name' | 'budget' | 'services' | 'expires_at' | 'member_id'
> & { role: Role | null; epoch: number | null };
type ListedRow = KeyRow &
  Pick<Row<typeof key>, 'hint' | 'created_at'> & { spent: number; email: string | null };

/** Stores the keys of accounts (migrations/functions/accounts.sql). */
export function openAccountKeys(sql: Connection): AccountKeys {
  return {
    async add({ id, account, name, budget, services, expiresMs, creator }, digest, hint) {
      const expires = expiresMs === null ? null : new Date(expiresMs);
      const [row] = await announced(
        sql,
        sql<[{ made: Date | null }]>`SELECT shop.make_key(${id}, ${account}, ${digest}, ${hint},
        ${name}, ${budget}, ${services && [...services]}, ${expires}, ${keysMax}, ${creator?.id ?? null}) AS made`,
      );
      return row.made?.getTime() ?? null;
    },
    async find(digest) {
      const found = sql<
        KeyRow[]
      >`SELECT k.id, coalesce(a.joined_to, a.id) AS account_id, k.name, k.budget, k.services, k.expires_at, k.member_id, m.role, m.epoch
        FROM shop.key k JOIN shop.account a ON a.id = k.account_id LEFT JOIN shop.member m ON m.id = k.member_id WHERE k.digest = ${digest} AND k.revoked_at IS NULL`;
      const [row] = await found;
      return row ? read(row) : null;
    },
    async of(account) {
      const rows = await sql<ListedRow[]>`
        SELECT k.id, ${account} AS account_id, k.name, k.budget, k.services, k.expires_at, k.member_id, m.role, m.epoch, m.email, k.hint, k.created_at,
            coalesce((SELECT sum(s.given - s.remaining) FROM ledger.statement(k.id) s WHERE k.budget IS NOT NULL), 0)::bigint AS spent
          FROM shop.key k JOIN shop.account a ON a.id = k.account_id LEFT JOIN shop.member m ON m.id = k.member_id
          WHERE (a.id = ${account} OR a.joined_to = ${account}) AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`;
      return rows.map(
        (row): ListedKey => ({
          ...read(row),
          hint: row.hint,
          createdMs: row.created_at.getTime(),
          spent: Money.ofMicro(row.spent),
          creatorEmail: row.email,
        }),
      );
    },
    async end(account, id, creator, by) {
      const [row] = await announced(
        sql,
        sql<[{ ended: boolean }]>`SELECT shop.end_key(${account}, ${id}, ${creator}, ${by}) AS ended`,
      );
      return row.ended;
    },
  };
}

function read(row: KeyRow): AccountKey {
  const { id, account_id, name, budget, services, expires_at, member_id, role, epoch } = row;
  return {
    id,
    creator: member_id === null ? null : { id: member_id, role: role ?? roleOfRemoved, epoch },
    account: account_id,
    name,
    budget: budget === null ? null : Money.ofMicro(budget),
    services,
    expiresMs: expires_at?.getTime() ?? null,
  };
}
