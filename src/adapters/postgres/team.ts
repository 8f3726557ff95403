import type {
  AcceptResult,
  DeclineResult,
  InviteResult,
  ListedInvitation,
  OpenInvitation,
} from '../../identity/team/invitation.ts';
import { dailyMax } from '../../identity/team/invitation.ts';
import { type Role, rolesWith } from '../../identity/team/role.ts';
import type { AccountEvent, ChangeResult, Member, Team } from '../../identity/team/team.ts';
import * as Admissions from './admissions.ts';
import type { Connection } from './connection.ts';
import { announced } from './notices.ts';
import type { Row } from './schema/row.ts';
import type { accountEvent, invitation, member, memberSession } from './schema/team.ts';

type MemberRow = Row<typeof member>;
type InvitationRow = Row<typeof invitation> & { inviter: string | null };

const invitationsListedMax = 500;
const membershipsMax = 100;
/** The time of the last use is written at most this often. */
const usedEvery = '5 minutes';
const teamRoles = rolesWith('team');
const ownerRoles = rolesWith('owners');

/** Stores the persons of accounts (migrations/functions/team.sql). */
export function openTeam(sql: Connection): Team {
  return { ...people(sql), ...invitations(sql), ...changes(sql), ...events(sql) };
}

function people(sql: Connection): Pick<Team, 'holder' | 'find' | 'members' | 'of'> {
  return {
    async holder({ account, member: id, epoch }) {
      if (id === null) {
        const [own] = await sql<
          { account: string; epoch: number; named: number }[]
        >`SELECT r.id AS account, r.token_epoch AS epoch, a.token_epoch AS named
          FROM shop.account a JOIN shop.account r ON r.id = coalesce(a.joined_to, a.id) WHERE a.id = ${account}`;
        // A session whose account is not stored yet, or was removed from a restored database, has its first epoch.
        if (own === undefined) return (epoch ?? 0) === 0 ? { account, member: null, epoch: 0 } : null;
        if (epoch !== null && epoch !== own.named) return null;
        return { account: own.account, member: null, epoch: own.epoch };
      }
      const [row] = await sql<
        (MemberRow & { is_due: boolean })[]
      >`SELECT m.*, m.used_at < clock_timestamp() - ${usedEvery}::interval AS is_due FROM shop.member m WHERE m.id = ${id}`;
      if (row === undefined) return null;
      if (row.is_due) await sql`UPDATE shop.member SET used_at = clock_timestamp() WHERE id = ${id}`;
      return { account: row.account_id, member: { id, role: row.role }, epoch: row.epoch };
    },
    async find(id) {
      const [row] = await sql<MemberRow[]>`SELECT * FROM shop.member WHERE id = ${id}`;
      return row === undefined ? null : { ...asMember(row), account: row.account_id };
    },
    async members(account) {
      const rows = await sql<
        MemberRow[]
      >`SELECT * FROM shop.member WHERE account_id = ${account} ORDER BY joined_at, id`;
      return rows.map(asMember);
    },
    async of(email) {
      type Found = { account: string; member: string; role: Role; owner: string; is_own: boolean };
      const rows = await sql<
        Found[]
      >`SELECT m.account_id AS account, m.id AS member, m.role, coalesce(shop.contact_of(m.account_id), m.email) AS owner,
          EXISTS (SELECT FROM shop.account a WHERE a.email = m.email AND coalesce(a.joined_to, a.id) = m.account_id) AS is_own
        FROM shop.member m WHERE m.email = ${email} ORDER BY is_own DESC, m.used_at DESC, m.id LIMIT ${membershipsMax}`;
      return rows.map(({ is_own, ...one }) => ({ ...one, isOwn: is_own }));
    },
  };
}

function invitations(
  sql: Connection,
): Pick<Team, 'invite' | 'invitations' | 'opened' | 'joined' | 'accept' | 'decline' | 'withdraw'> {
  return {
    async invite({ id, account, by, email, role, digest, expiresMs, membersMax, rules, quietRule }) {
      const { blocks, seconds, max } = Admissions.columns(rules);
      type Found = {
        state: InviteResult['kind'];
        id: string;
        is_mailed: boolean;
        inviter: string;
        wait_seconds: number;
      };
      const [row] = await sql<
        [Found]
      >`SELECT * FROM shop.invite(${id}, ${account}, ${by}, ${email}, ${role}, ${digest}, ${new Date(expiresMs)}, ${membersMax},
        ${blocks}::text[], ${seconds}::integer[], ${max}::integer[], ${quietRule.block}, ${quietRule.max}, ${dailyMax.all}, ${teamRoles}, ${ownerRoles})`;
      if (row.state === 'invited')
        return { kind: row.state, id: row.id, isMailed: row.is_mailed, inviter: row.inviter };
      if (row.state === 'limited')
        return { kind: row.state, retryAfterSeconds: Math.max(1, row.wait_seconds) };
      return { kind: row.state };
    },
    async invitations(account) {
      const rows = await sql<
        InvitationRow[]
      >`SELECT i.*, m.email AS inviter FROM shop.invitation i LEFT JOIN shop.member m ON m.id = i.invited_by
        WHERE i.account_id = ${account} AND i.state IN ('open', 'declined') ORDER BY i.created_at DESC LIMIT ${invitationsListedMax}`;
      return rows.map(asInvitation);
    },
    async opened(digest) {
      const [row] = await sql<
        (InvitationRow & { owner: string })[]
      >`SELECT i.*, m.email AS inviter, shop.contact_of(i.account_id) AS owner FROM shop.invitation i
        LEFT JOIN shop.member m ON m.id = i.invited_by WHERE i.digest = ${digest} AND i.state = 'open' AND i.expires_at > clock_timestamp()`;
      return row === undefined
        ? null
        : ({ ...asInvitation(row), account: row.account_id, owner: row.owner } satisfies OpenInvitation);
    },
    async joined(digest, email) {
      const [row] = await sql<
        { account_id: string }[]
      >`SELECT account_id FROM shop.invitation WHERE digest = ${digest} AND email = ${email} AND state = 'accepted'`;
      return row?.account_id ?? null;
    },
    async accept(digest, email, membersMax) {
      type Found = {
        state: AcceptResult['kind'];
        account: string;
        member: string;
        role: Role;
        epoch: number;
      };
      const [row] = await sql<
        [Found]
      >`SELECT * FROM shop.accept_invitation(${digest}, NULL, ${email}, ${membersMax})`;
      if (row.state !== 'accepted') return { kind: row.state };
      return {
        kind: row.state,
        account: row.account,
        member: { id: row.member, role: row.role },
        epoch: row.epoch,
      };
    },
    async decline(digest, email) {
      const [row] = await sql<
        [{ state: DeclineResult }]
      >`SELECT shop.decline_invitation(${digest}, ${email}) AS state`;
      return row.state;
    },
    async withdraw(account, id, by) {
      const [row] = await sql<
        [{ state: ChangeResult['kind'] }]
      >`SELECT shop.withdraw_invitation(${account}, ${id}, ${by}, ${teamRoles}, ${ownerRoles}) AS state`;
      return asChange({ state: row.state, revoked: [] });
    },
  };
}

type ChangeRow = { state: ChangeResult['kind']; revoked: string[] };

function changes(sql: Connection): Pick<Team, 'setRole' | 'transfer' | 'remove' | 'endAccountTokens'> {
  const change = async (statement: PromiseLike<readonly ChangeRow[]>) => {
    const [row] = await announced(sql, statement);
    return asChange(row ?? { state: 'unknown', revoked: [] });
  };
  return {
    setRole: (account, id, role, by) =>
      change(
        sql<
          ChangeRow[]
        >`SELECT * FROM shop.set_member_role(${account}, ${id}, ${role}, ${by}, ${teamRoles}, ${ownerRoles})`,
      ),
    transfer: (account, id, by) =>
      change(
        sql<
          ChangeRow[]
        >`SELECT * FROM shop.transfer_account(${account}, ${id}, ${by}, ${teamRoles}, ${ownerRoles})`,
      ),
    remove: (account, id, { revokesKeys, endsAccountTokens }, by) =>
      change(
        sql<
          ChangeRow[]
        >`SELECT * FROM shop.remove_member(${account}, ${id}, ${by}, ${revokesKeys}, ${endsAccountTokens}, ${teamRoles}, ${ownerRoles})`,
      ),
    endAccountTokens: (account, by) =>
      change(sql<ChangeRow[]>`SELECT * FROM shop.end_account_tokens(${account}, ${by}, ${ownerRoles})`),
  };
}

function events(sql: Connection): Pick<Team, 'record' | 'events' | 'keepSession' | 'sessions'> {
  return {
    async record(account, by, act, subject, detail = null) {
      const more = detail && sql.json(detail as never);
      await sql`SELECT shop.add_account_event(${account}, ${by}, ${act}, ${subject}, ${more})`;
    },
    async events(account, before, max, but = []) {
      const rows = await sql<
        Row<typeof accountEvent>[]
      >`SELECT * FROM shop.account_event WHERE account_id = ${account} AND (${before}::bigint IS NULL OR id < ${before})
          AND act <> ALL (${[...but]}::text[])
        ORDER BY id DESC LIMIT ${max}`;
      return rows.map(
        ({ id, at, who, act, subject, detail }): AccountEvent => ({
          id,
          atMs: at.getTime(),
          who,
          act,
          subject,
          detail,
        }),
      );
    },
    async keepSession({ id, member, device }) {
      await sql`SELECT shop.keep_session(${id}, ${member}, ${device})`;
    },
    async sessions(email) {
      const rows = await sql<
        Row<typeof memberSession>[]
      >`SELECT s.* FROM shop.member_session s JOIN shop.member m ON m.id = s.member_id
        WHERE m.email = ${email} AND s.expires_at > clock_timestamp()
          AND NOT EXISTS (SELECT FROM shop.revocation r WHERE r.id = s.id)
        ORDER BY s.started_at DESC, s.id`;
      return rows.map(({ id, device, started_at }) => ({ id, device, atMs: started_at.getTime() }));
    },
  };
}

function asChange({ state, revoked }: ChangeRow): ChangeResult {
  return state === 'done' ? { kind: state, revoked } : { kind: state };
}

function asMember({ id, email, role, joined_at, used_at }: MemberRow): Member {
  return { id, email, role, joinedMs: joined_at.getTime(), usedMs: used_at.getTime() };
}

function asInvitation({
  id,
  email,
  role,
  state,
  inviter,
  sent_at,
  expires_at,
}: InvitationRow): ListedInvitation {
  return { id, email, role, state, inviter, sentMs: sent_at.getTime(), expiresMs: expires_at.getTime() };
}
