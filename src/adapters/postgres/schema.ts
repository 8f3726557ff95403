import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * The shop's own tables. Money lives apart, in the schema `ledger`, which only its SQL functions touch
 * (migrations/0001_ledger.sql); nothing here is a balance.
 */
export const shop = pgSchema('shop');

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const account = shop.table(
  'account',
  {
    id: text('id').primaryKey(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** How the account came to be: `anonymous` (registration) or `purchase`. */
    origin: text('origin').notNull(),
    email: text('email'),
  },
  (t) => [index('account_created_at').on(t.createdAt)],
);

/** Keys that sign tokens; all published, the newest signs. */
export const signingKey = shop.table('signing_key', {
  kid: text('kid').primaryKey(),
  privateJwk: jsonb('private_jwk').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** Secrets that all processes share, made at the first start. */
export const secret = shop.table('secret', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** Tokens (`jti`) and sessions (`sid`) that stopped working before they expired. */
export const revocation = shop.table(
  'revocation',
  {
    id: text('id').primaryKey(),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [index('revocation_expires_at').on(t.expiresAt)],
);

/** Orders: `offered > claimed > granted`, or `declined`; src/payment/order.ts tells the states. */
export const purchase = shop.table(
  'purchase',
  {
    id: text('id').primaryKey(),
    state: text('state').notNull().default('offered'),
    /** Null until the grant where the buyer had no bearer. */
    accountId: text('account_id'),
    planId: text('plan_id').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    returnUrl: text('return_url'),
    /** The MPP challenge whose credential claimed this order. */
    challengeId: text('challenge_id').unique('purchase_challenge_id'),
    /** Digest of that credential: the same one again gets the same answer, another one does not. */
    credentialDigest: text('credential_digest'),
    checkoutSession: text('checkout_session').unique('purchase_checkout_session'),
    paymentIntent: text('payment_intent').unique('purchase_payment_intent'),
    failure: text('failure'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    claimedAt: time('claimed_at'),
    /** Whose charge is open, as shop.claim_purchase writes it; null when none is. */
    claimedBy: text('claimed_by'),
    grantedAt: time('granted_at'),
  },
  (t) => [
    check('purchase_amount', sql`${t.amount} > 0`),
    check('purchase_state', sql`${t.state} in ('offered', 'claimed', 'granted', 'declined')`),
    index('purchase_in_doubt').on(t.createdAt).where(sql`${t.claimedBy} is not null`),
    index('purchase_untaken').on(t.expiresAt).where(sql`${t.state} = 'offered'`),
    index('purchase_page').on(t.expiresAt).where(sql`${t.checkoutSession} is not null`),
    index('purchase_account').on(t.accountId),
  ],
);

/** Every notice of the processor, once, for good. */
export const processorEvent = shop.table('processor_event', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  receivedAt: time('received_at').notNull().defaultNow(),
  doneAt: time('done_at'),
  attempts: integer('attempts').notNull().default(1),
});

/** Declined charges by who tried, for the limit on card testing. */
export const decline = shop.table(
  'decline',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    subject: text('subject').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [index('decline_subject_at').on(t.subject, t.at)],
);
