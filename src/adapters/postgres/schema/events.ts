import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Attempt, EventType } from '../../../payment/event.ts';
import { shop, statementTime, time, whole } from './shop.ts';

/**
 * The outbox of the seller's events: each is written by the transaction that makes the change it reports (migrations/functions/events.sql). It holds
 * no personal data beyond the account's id.
 */
export const event = shop.table(
  'event',
  {
    /** The order in which events were written. Transactions may commit in another one. */
    seq: whole('seq').primaryKey().generatedAlwaysAsIdentity(),
    /** The id of the webhook message. */
    id: text('id')
      .notNull()
      .unique('event_id')
      .default(sql`'evt_' || replace(gen_random_uuid()::text, '-', '')`),
    /** The change that is reported. A repeated change writes no second event. */
    key: text('key').notNull().unique('event_key'),
    type: text('type').$type<EventType>().notNull(),
    /** Empty for test events. */
    accountId: text('account_id').notNull(),
    at: time('at').notNull().default(statementTime),
    data: jsonb('data').$type<Readonly<Record<string, unknown>>>().notNull(),
    /** The order in which events were published, which is a commit order: no event is published below a position that was read. Null before. */
    position: whole('position').unique('event_position'),
  },
  (t) => [
    index('event_unpublished').on(t.seq).where(sql`${t.position} is null`),
    index('event_account').on(t.accountId, t.seq),
    index('event_at').on(t.at),
  ],
);

/** The last position. Its lock makes publications follow each other. */
export const eventHead = shop.table('event_head', {
  id: boolean('id').primaryKey(),
  position: whole('position').notNull(),
});

/** The addresses that events are delivered to. */
export const eventEndpoint = shop.table(
  'event_endpoint',
  {
    id: text('id').primaryKey(),
    url: text('url').notNull(),
    /** Null for all types. */
    types: text('types').array().$type<EventType[]>(),
    /** Encrypted (identity/stored-secret.ts). */
    secret: text('secret').notNull(),
    /** The secret before the last rotation, which signs too until `previousUntil`. */
    previousSecret: text('previous_secret'),
    previousUntil: time('previous_until'),
    state: text('state').$type<'on' | 'disabled'>().notNull().default('on'),
    /** Why it was disabled. */
    reason: text('reason'),
    /** The first failure since the last success. */
    failingSince: time('failing_since'),
    createdAt: time('created_at').notNull().default(statementTime),
  },
  (t) => [check('event_endpoint_state', sql`${t.state} in ('on', 'disabled')`)],
);

/** The delivery of an event to an endpoint. */
export const eventDelivery = shop.table(
  'event_delivery',
  {
    endpointId: text('endpoint_id').notNull(),
    position: whole('position').notNull(),
    accountId: text('account_id').notNull(),
    state: text('state').$type<'waiting' | 'delivered' | 'failed'>().notNull().default('waiting'),
    /** Number of attempts since it was last queued. */
    tries: integer('tries').notNull().default(0),
    /** The latest attempts. */
    attempts: jsonb('attempts').$type<Attempt[]>().notNull().default([]),
    updatedAt: time('updated_at').notNull().default(statementTime),
  },
  (t) => [
    primaryKey({ name: 'event_delivery_pkey', columns: [t.endpointId, t.position] }),
    foreignKey({
      name: 'event_delivery_endpoint',
      columns: [t.endpointId],
      foreignColumns: [eventEndpoint.id],
    }).onDelete('cascade'),
    check('event_delivery_state', sql`${t.state} in ('waiting', 'delivered', 'failed')`),
    uniqueIndex('event_delivery_waiting')
      .on(t.endpointId, t.accountId, t.position)
      .where(sql`${t.state} = 'waiting'`),
    index('event_delivery_failed').on(t.updatedAt).where(sql`${t.state} = 'failed'`),
    index('event_delivery_position').on(t.position),
  ],
);

/** The waiting deliveries of one account to one endpoint, which follow each other. One process at a time leases a lane. */
export const eventLane = shop.table(
  'event_lane',
  {
    endpointId: text('endpoint_id').notNull(),
    accountId: text('account_id').notNull(),
    /** When its first delivery is tried. While a process tries it: when that process is presumed dead. */
    dueAt: time('due_at').notNull().default(statementTime),
    /** The process's lease. */
    lease: text('lease'),
  },
  (t) => [
    primaryKey({ name: 'event_lane_pkey', columns: [t.endpointId, t.accountId] }),
    foreignKey({
      name: 'event_lane_endpoint',
      columns: [t.endpointId],
      foreignColumns: [eventEndpoint.id],
    }).onDelete('cascade'),
    index('event_lane_due').on(t.endpointId, t.dueAt),
  ],
);

/**
 * The credit that an account had left at the last look, as a level, for the events and the mail about low credit. `kind` and `asset` are those of
 * lots; a grant counts as credit.
 */
export const creditLevel = shop.table(
  'credit_level',
  {
    accountId: text('account_id').notNull(),
    asset: text('asset').$type<'usd' | 'unit'>().notNull(),
    kind: text('kind').$type<'credit' | 'trial' | 'allowance'>().notNull(),
    state: text('state').$type<'enough' | 'low' | 'exhausted'>().notNull().default('enough'),
    /** The amount that the account had after the last grant. */
    basis: whole('basis').notNull(),
    /** Counts the grants, so that each of them can be used up once. */
    grants: whole('grants').notNull().default(1),
    /** A call was refused for lack of credit since the last look. */
    refused: boolean('refused').notNull().default(false),
  },
  (t) => [
    primaryKey({ name: 'credit_level_pkey', columns: [t.accountId, t.asset, t.kind] }),
    check('credit_level_state', sql`${t.state} in ('enough', 'low', 'exhausted')`),
    index('credit_level_refused').on(t.accountId).where(sql`${t.refused}`),
  ],
);

/** The last batch of each ledger writer whose spending was looked at for `credit_level`. */
export const creditCheck = shop.table('credit_check', {
  writerId: text('writer_id').primaryKey(),
  epoch: whole('epoch').notNull(),
  seq: whole('seq').notNull(),
});
