import { type Binding, type ResourceOwners, resourcesMax } from '../../proxy/resource-owners.ts';
import type { Connection } from './connection.ts';

/** Time for which a deleted resource stays bound, so that its id reaches no other account while the upstream may still know it. */
const deletedFor = '30 days';
const textType = 25;

/** The owners of resources in PostgreSQL (migrations/functions/resources.sql). @param max the maximum number of an account */
export function openResourceOwners(sql: Connection, max: number = resourcesMax): ResourceOwners {
  const list = (texts: readonly string[]) => sql.array([...texts], textType);
  return {
    async areOwned(account, resources) {
      const [row] = await sql<[{ missing: boolean }]>`SELECT EXISTS (
        SELECT FROM unnest(${list(resources.map(({ kind }) => kind))}::text[], ${list(resources.map(({ id }) => id))}::text[]) AS n (kind, id)
          WHERE NOT EXISTS (SELECT FROM shop.resource r WHERE r.kind = n.kind AND r.id = n.id
            AND r.account_id = shop.joined_account(${account}) AND (r.expires_at IS NULL OR r.expires_at > clock_timestamp()))) AS missing`;
      return !row.missing;
    },
    async owned(account, kind, ids) {
      const rows = await sql<
        { id: string }[]
      >`SELECT id FROM shop.resource WHERE kind = ${kind} AND id = ANY (${list(ids)}::text[])
        AND account_id = shop.joined_account(${account}) AND (expires_at IS NULL OR expires_at > clock_timestamp())`;
      return new Set(rows.map(({ id }) => id));
    },
    async isFull(account) {
      const [row] = await sql<[{ count: string }]>`SELECT count(*) FROM (
        SELECT FROM shop.resource WHERE account_id = shop.joined_account(${account}) LIMIT ${max}) r`;
      return Number(row.count) >= max;
    },
    async bind(account, { kind, id }, days) {
      const [row] = await sql<
        [{ state: Binding }]
      >`SELECT shop.bind_resource(${account}, ${kind}, ${id}, ${days}, ${max}) AS state`;
      return row.state;
    },
    async end(account, { kind, id }) {
      await sql`UPDATE shop.resource SET expires_at = least(expires_at, clock_timestamp() + ${deletedFor}::interval)
        WHERE kind = ${kind} AND id = ${id} AND account_id = shop.joined_account(${account})`;
    },
  };
}
