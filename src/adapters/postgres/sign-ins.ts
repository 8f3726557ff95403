import { dailyMax, type SignInOutcome, type SignIns, triesMax } from '../../identity/sign-in.ts';
import type { Role } from '../../identity/team/role.ts';
import * as Admissions from './admissions.ts';
import type { Connection } from './connection.ts';

/** Stores sign-in links (migrations/functions/sign-ins.sql). */
export function openSignIns(sql: Connection): SignIns {
  return {
    async start(link) {
      const { id, email, mailbox, rules, tokenDigest, browserDigest, knownDigest, invitation } = link;
      const { expiresMs, lateExpiresMs } = link;
      const { blocks, seconds, max } = Admissions.columns(rules);
      const { known: knownMax, mailbox: mailboxMax, all } = dailyMax;
      type Row = {
        state: 'begun' | 'skipped' | 'limited';
        wait_seconds: number | null;
        known: boolean;
        is_late: boolean;
      };
      const [row] = await sql<
        [Row]
      >`SELECT * FROM shop.begin_sign_in(${id}, ${email}, ${mailbox}, ${blocks}::text[], ${seconds}::integer[],
        ${max}::integer[], ${tokenDigest}, ${browserDigest}, ${knownDigest}, ${new Date(expiresMs)}, ${new Date(lateExpiresMs)},
        ${mailboxMax}, ${knownMax.browser}, ${knownMax.mailbox}, ${all}, ${invitation})`;
      if (row.state === 'skipped') return { kind: 'skipped' };
      return row.state === 'begun'
        ? { kind: 'begun', known: row.known, expiresMs: row.is_late ? lateExpiresMs : expiresMs }
        : { kind: 'limited', retryAfterSeconds: Math.max(1, row.wait_seconds ?? 1) };
    },
    async look(tokenDigest, browserDigest) {
      const [row] = await sql<
        { is_here: boolean; email: string; joins: boolean }[]
      >`SELECT coalesce(browser_digest = ${browserDigest}, false) AS is_here, email, invitation_id IS NOT NULL AS joins FROM shop.sign_in
        WHERE token_digest = ${tokenDigest} AND used_at IS NULL AND expires_at > clock_timestamp() AND tries < ${triesMax}`;
      if (row === undefined) return { kind: 'gone' };
      const { is_here, email, joins } = row;
      return is_here ? { kind: 'here', email, joins } : { kind: 'elsewhere', joins };
    },
    async end({ tokenDigest, browserDigest, email, device }, membersMax) {
      type Row = {
        state: SignInOutcome['kind'];
        account: string;
        member: string;
        role: Role;
        epoch: number;
        email: string;
        session: string;
      };
      const [row] = await sql<
        [Row]
      >`SELECT * FROM shop.complete_sign_in(${tokenDigest}, ${browserDigest}, ${email}, ${triesMax}, ${membersMax}, ${device})`;
      if (row.state !== 'signed_in') return { kind: row.state };
      const { account, member, role, epoch, email: to, session } = row;
      return {
        kind: row.state,
        holder: { account, member: { id: member, role }, epoch },
        email: to,
        session,
      };
    },
  };
}
