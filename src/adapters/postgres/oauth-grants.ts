import { type OAuthGrants, type Redeemed, rotationGraceMs } from '../../identity/oauth/grants.ts';
import type { Connection } from './connection.ts';
import * as Standby from './standby.ts';

type GrantRow = {
  sid: string;
  account_id: string;
  client_id: string;
  client_name: string;
  member_id: string | null;
};
type RedeemRow = GrantRow & { fresh: boolean };

/** Stores OAuth clients, codes and refresh tokens. Each write is one statement. */
export function openOauthGrants(sql: Connection): OAuthGrants {
  return {
    async registerClient(id, { name, redirectUris }) {
      await sql`INSERT INTO shop.oauth_client (id, name, redirect_uris) VALUES (${id}, ${name}, ${sql.array([...redirectUris])})`;
    },
    async findClient(id) {
      const [row] = await sql<
        { id: string; name: string; redirectUris: string[] }[]
      >`SELECT id, name, redirect_uris AS "redirectUris" FROM shop.oauth_client WHERE id = ${id}`;
      return row ?? null;
    },
    async issueCode({ grant, digest, redirectUri, challenge, expiresMs }) {
      await sql`WITH granted AS (
          INSERT INTO shop.oauth_grant (sid, account_id, client_id, client_name, member_id)
          VALUES (${grant.sid}, ${grant.account}, ${grant.clientId}, ${grant.clientName}, ${grant.member}) RETURNING sid
        ) INSERT INTO shop.oauth_code (digest, sid, redirect_uri, challenge, expires_at)
          SELECT ${digest}, sid, ${redirectUri}, ${challenge}, ${new Date(expiresMs)} FROM granted`;
    },
    async redeemCode({ digest, clientId, redirectUri, challenge }, first) {
      // The row lock of the UPDATE makes two requests with one code follow each other: the second finds it used.
      const [row] = await sql<RedeemRow[]>`WITH found AS (
          SELECT c.digest, c.sid, c.used_at FROM shop.oauth_code c JOIN shop.oauth_grant g USING (sid)
          WHERE c.digest = ${digest} AND g.client_id = ${clientId} AND c.redirect_uri = ${redirectUri}
            AND c.challenge = ${challenge} FOR UPDATE OF c
        ), taken AS (
          UPDATE shop.oauth_code c SET used_at = clock_timestamp() FROM found
          WHERE c.digest = found.digest AND c.used_at IS NULL AND c.expires_at > clock_timestamp() RETURNING c.sid
        ), kept AS (
          INSERT INTO shop.oauth_refresh_token (digest, sid, expires_at)
          SELECT ${first.digest}, sid, ${new Date(first.expiresMs)} FROM taken
        ) SELECT g.*, EXISTS (SELECT FROM taken) AS fresh FROM found JOIN shop.oauth_grant g USING (sid)
          WHERE EXISTS (SELECT FROM taken) OR found.used_at IS NOT NULL`;
      return redeemed(row);
    },
    async rotate(token, clientId, next) {
      const [row] = await sql<RedeemRow[]>`WITH found AS (
          SELECT r.digest, r.sid, r.rotated_at FROM shop.oauth_refresh_token r JOIN shop.oauth_grant g USING (sid)
          WHERE r.digest = ${token} AND (g.client_id = ${clientId} OR ${clientId}::text IS NULL)
            AND r.expires_at > clock_timestamp() FOR UPDATE OF r
        ), taken AS (
          UPDATE shop.oauth_refresh_token r SET rotated_at = coalesce(r.rotated_at, clock_timestamp()) FROM found
          WHERE r.digest = found.digest
            AND (r.rotated_at IS NULL OR r.rotated_at > clock_timestamp() - ${rotationGraceMs} * interval '1 millisecond')
          RETURNING r.sid
        ), kept AS (
          INSERT INTO shop.oauth_refresh_token (digest, sid, expires_at)
          SELECT ${next.digest}, sid, ${new Date(next.expiresMs)} FROM taken
        ), used AS (
          UPDATE shop.oauth_grant g SET used_at = clock_timestamp() FROM taken WHERE g.sid = taken.sid
        ) SELECT g.*, EXISTS (SELECT FROM taken) AS fresh FROM found JOIN shop.oauth_grant g USING (sid)`;
      return redeemed(row);
    },
    async findRefreshToken(token) {
      const [row] = await sql<(GrantRow & { expires_at: Date })[]>`SELECT g.*, r.expires_at
        FROM shop.oauth_refresh_token r JOIN shop.oauth_grant g USING (sid)
        WHERE r.digest = ${token} AND r.rotated_at IS NULL AND r.expires_at > clock_timestamp()`;
      return row ? { ...grantOf(row), expiresMs: row.expires_at.getTime() } : null;
    },
    async list(account, member) {
      const rows = await sql<
        (GrantRow & { created_at: Date; used_at: Date })[]
      >`SELECT g.* FROM shop.oauth_grant g
        WHERE account_id IN (SELECT id FROM shop.account WHERE id = ${account} OR joined_to = ${account})
          AND EXISTS (SELECT FROM shop.oauth_refresh_token r WHERE r.sid = g.sid) AND (${member}::text IS NULL OR g.member_id = ${member})
        ORDER BY created_at DESC LIMIT 100`;
      return rows.map((row) => ({
        ...grantOf(row),
        createdMs: row.created_at.getTime(),
        usedMs: row.used_at.getTime(),
      }));
    },
    async end(sid) {
      const rows = await sql`DELETE FROM shop.oauth_grant WHERE sid = ${sid} RETURNING 1`;
      if (rows.length === 0) await Standby.confirmed(sql);
    },
  };
}

function redeemed(row: RedeemRow | undefined): Redeemed {
  if (!row) return { kind: 'unknown' };
  return row.fresh ? { kind: 'redeemed', grant: grantOf(row) } : { kind: 'replayed', sid: row.sid };
}

function grantOf(row: GrantRow) {
  const { sid, account_id, client_id, client_name, member_id } = row;
  return { sid, account: account_id, clientId: client_id, clientName: client_name, member: member_id };
}
