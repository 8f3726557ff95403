import { sql } from 'drizzle-orm';
import { check, foreignKey, index, integer, jsonb, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import type { InvitationState } from '../../../identity/team/invitation.ts';
import type { Role } from '../../../identity/team/role.ts';
import { account } from './accounts.ts';
import { shop, statementTime, time, whole } from './shop.ts';

/** The persons of an account. `shop.account.email` is the address of the one whose own account it is, while that person is an owner. */
export const member = shop.table(
  'member',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** An address that the person has proved. */
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    /** Counts changes of the role. Tokens name it, so that those with an old role can be refused. */
    epoch: integer('epoch').notNull().default(0),
    joinedAt: time('joined_at').notNull().default(statementTime),
    /** The last use, to within some minutes. */
    usedAt: time('used_at').notNull().default(statementTime),
  },
  (t) => [
    foreignKey({ name: 'member_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    unique('member_person').on(t.accountId, t.email),
    index('member_email').on(t.email),
    check('member_role', sql`${t.role} in ('owner', 'admin', 'billing', 'developer', 'viewer')`),
  ],
);

/** Invitations to accounts. Only the SHA-256 digest of a link's token is stored. A row that has ended stays until it expires. */
export const invitation = shop.table(
  'invitation',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    digest: text('digest').notNull().unique('invitation_digest'),
    /** The person who sent it (`shop.member`). It ends when they are removed or get another role. */
    invitedBy: text('invited_by').notNull(),
    state: text('state').$type<InvitationState>().notNull().default('open'),
    createdAt: time('created_at').notNull().default(statementTime),
    sentAt: time('sent_at').notNull().default(statementTime),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    foreignKey({ name: 'invitation_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    uniqueIndex('invitation_open').on(t.accountId, t.email).where(sql`${t.state} = 'open'`),
    index('invitation_account').on(t.accountId),
    index('invitation_email').on(t.email),
    index('invitation_expires_at').on(t.expiresAt),
    check('invitation_role', sql`${t.role} in ('owner', 'admin', 'billing', 'developer', 'viewer')`),
    check('invitation_state', sql`${t.state} in ('open', 'accepted', 'declined', 'withdrawn')`),
  ],
);

/** The sessions of persons in browsers, by the `sid` of their tokens. The row of an ended session stays until its last assertion has expired. */
export const memberSession = shop.table(
  'member_session',
  {
    id: text('id').primaryKey(),
    /** The person in the account that the browser shows. */
    memberId: text('member_id').notNull(),
    /** The name of the browser and its system. */
    device: text('device'),
    startedAt: time('started_at').notNull().default(statementTime),
    /** When the newest assertion expires. It is written at most once a day. */
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    foreignKey({
      name: 'member_session_member_id',
      columns: [t.memberId],
      foreignColumns: [member.id],
    }).onDelete('cascade'),
    index('member_session_member').on(t.memberId),
    index('member_session_expires_at').on(t.expiresAt),
  ],
);

/** The activity of accounts: an act, and the person or program that did it. */
export const accountEvent = shop.table(
  'account_event',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    accountId: text('account_id').notNull(),
    at: time('at').notNull().default(statementTime),
    /** An email address, the id of a key, or `account` for tokens that belong to no person. */
    who: text('who').notNull(),
    act: text('act').notNull(),
    /** An id, or an address. */
    subject: text('subject').notNull(),
    detail: jsonb('detail').$type<Readonly<Record<string, unknown>>>(),
  },
  (t) => [index('account_event_account').on(t.accountId, t.id), index('account_event_at').on(t.at)],
);
