import { dailyMax, type Look, type Outcome, type SignIns, triesMax } from '../../identity/sign-in.ts';
import type { Connection } from './connection.ts';

/** Links to sign in with, in PostgreSQL (migrations/0004_claims.sql). */
export function open(sql: Connection): SignIns {
  return {
    async start({ id, email, mailbox, block, tokenDigest, browserDigest, expiresMs }) {
      type Row = { state: 'begun' | 'limited'; wait_seconds: number | null; known: boolean };
      const [row] = await sql<
        [Row]
      >`SELECT * FROM shop.begin_sign_in(${id}, ${email}, ${mailbox}, ${block}, ${tokenDigest}, ${browserDigest},
        ${new Date(expiresMs)}, ${dailyMax.mailbox}, ${dailyMax.block}, ${dailyMax.all})`;
      return row.state === 'begun'
        ? { kind: 'begun', known: row.known }
        : { kind: 'limited', retryAfterSeconds: Math.max(1, row.wait_seconds ?? 1) };
    },
    async forget(id) {
      await sql`DELETE FROM shop.sign_in WHERE id = ${id} AND used_at IS NULL`;
    },
    async look(tokenDigest, browserDigest) {
      const [row] = await sql<
        { look: Look }[]
      >`SELECT CASE WHEN browser_digest = ${browserDigest} THEN 'here' ELSE 'elsewhere' END AS look FROM shop.sign_in
        WHERE token_digest = ${tokenDigest} AND used_at IS NULL AND expires_at > clock_timestamp() AND tries < ${triesMax}`;
      return row?.look ?? 'gone';
    },
    async end(tokenDigest, browserDigest, email) {
      type Row = { state: Outcome['kind']; account: string };
      const [row] = await sql<
        [Row]
      >`SELECT * FROM shop.end_sign_in(${tokenDigest}, ${browserDigest}, ${email}, ${triesMax})`;
      return row.state === 'signed_in' ? { kind: row.state, account: row.account } : { kind: row.state };
    },
  };
}

/** Forgets links that no limit counts any more. */
export async function sweep(sql: Connection): Promise<void> {
  await sql`DELETE FROM shop.sign_in WHERE created_at < clock_timestamp() - interval '1 day'`;
}
