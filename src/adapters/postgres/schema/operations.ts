import { sql } from 'drizzle-orm';
import { check, date, index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import type { StoredKey } from '../../../identity/signing-key.ts';
import { shop, statementTime, time, whole } from './shop.ts';

/** The versions of migrations/functions that were applied, by digest. The newest is in force (src/adapters/postgres/migrate.ts). */
export const functionSet = shop.table('function_set', {
  id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
  digest: text('digest').notNull().unique('function_set_digest'),
  appliedAt: time('applied_at').notNull().default(statementTime),
});

/** Keys that sign tokens. All are published, the newest signs. */
export const signingKey = shop.table('signing_key', {
  kid: text('kid').primaryKey(),
  privateJwk: jsonb('private_jwk').$type<StoredKey['jwk']>().notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** Secrets that all processes share, created at the first start. */
export const secret = shop.table('secret', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** Actions of the seller. Append-only; each entry is written by the statement that performs the action. */
export const audit = shop.table(
  'audit',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
    who: text('who').notNull(),
    act: text('act').notNull(),
    subject: text('subject').notNull(),
    before: jsonb('before'),
    /** Null while the outcome of an action is unknown. It is written once. */
    after: jsonb('after'),
  },
  (t) => [index('audit_subject').on(t.subject, t.at)],
);

/**
 * Every catalogue that was in use, as it was written, and when a process last loaded it. The digest covers the catalogue and the
 * description of the upstream, so processes with the same files have the same digest.
 */
export const catalog = shop.table('catalog', {
  digest: text('digest').primaryKey(),
  text: text('text').notNull(),
  takenAt: time('taken_at').notNull().default(statementTime),
});

/**
 * Successful responses of the upstream that could not be counted, by day (UTC), operation and reason. Each process (`writer`) writes the
 * number that it has counted since its start, so that a repeated write changes nothing.
 */
export const uncountableResponse = shop.table(
  'uncountable_response',
  {
    day: date('day').notNull(),
    operation: text('operation').notNull(),
    reason: text('reason').notNull(),
    writer: text('writer').notNull(),
    calls: whole('calls').notNull(),
    lastAt: time('last_at').notNull(),
  },
  (t) => [
    primaryKey({
      name: 'uncountable_response_pkey',
      columns: [t.day, t.operation, t.reason, t.writer],
    }),
    check('uncountable_response_calls', sql`${t.calls} > 0`),
  ],
);

/**
 * Mail that must arrive: written by the request that needs it, sent by any process, and retried until it is sent or has expired. Recipient
 * and text are erased when a message ends. The key stays for a while, so that a repeated request sends nothing.
 */
export const mail = shop.table(
  'mail',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    /** The sender's idempotency key. */
    key: text('key').notNull().unique('mail_key'),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    body: text('body').notNull(),
    /** `refused`: the mailbox does not exist. `expired`: it could not be sent while it was useful. */
    state: text('state').notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    createdAt: time('created_at').notNull().default(statementTime),
    /** When it is tried next. While a process sends it: when that process is presumed dead. */
    dueAt: time('due_at').notNull().default(statementTime),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    check('mail_state', sql`${t.state} in ('waiting', 'sent', 'refused', 'expired')`),
    index('mail_due').on(t.dueAt).where(sql`${t.state} = 'waiting'`),
    index('mail_expires').on(t.expiresAt).where(sql`${t.state} = 'waiting'`),
  ],
);

/**
 * Mail to the person of an account about one event, decided by the statement that records the event. The mail is written and queued
 * afterwards (src/journeys/account-mail.ts). Rows are kept permanently, so that a repeated event sends nothing.
 */
export const accountMail = shop.table(
  'account_mail',
  {
    /** The idempotency key of the message. */
    key: text('key').primaryKey(),
    accountId: text('account_id').notNull(),
    kind: text('kind').$type<'paid' | 'refunded' | 'unpaid' | 'low'>().notNull(),
    /** The id of the purchase, the reversal (`refunded`) or the subscription (`unpaid`). */
    subject: text('subject').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
    /** When the message was queued, or found to be out of date. */
    queuedAt: time('queued_at'),
  },
  (t) => [
    check('account_mail_kind', sql`${t.kind} in ('paid', 'refunded', 'unpaid', 'low')`),
    index('account_mail_to_queue').on(t.createdAt).where(sql`${t.queuedAt} is null`),
  ],
);
