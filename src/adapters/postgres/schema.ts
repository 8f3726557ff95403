import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSchema,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

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
    /** Of the person who claimed it. */
    email: text('email').unique('account_email'),
    claimedAt: time('claimed_at'),
    /** The account that this one has become a part of; what calls on it draws there. */
    joinedTo: text('joined_to'),
    joinedAt: time('joined_at'),
    /** Since when the seller lets it do nothing but look; null where it may. */
    frozenAt: time('frozen_at'),
  },
  (t) => [
    index('account_frozen').on(t.id).where(sql`${t.frozenAt} is not null`),
    index('account_created_at').on(t.createdAt),
    index('account_joined').on(t.joinedTo).where(sql`${t.joinedTo} is not null`),
    index('account_joined_at').on(t.joinedAt).where(sql`${t.joinedAt} is not null`),
  ],
);

/** Codes that went out by email, each to take one account over. Kept for a day, as the limits count them. */
export const claim = shop.table(
  'claim',
  {
    id: text('id').primaryKey(),
    /** The account as its claim token names it. */
    accountId: text('account_id').notNull(),
    email: text('email').notNull(),
    /** Who reads that mail, as a digest: what is given once is given once to them. */
    mailbox: text('mailbox').notNull(),
    /** Keyed: whoever reads the table learns no code. */
    codeDigest: text('code_digest').notNull(),
    /** The address block that asked; null where it does not count. */
    block: text('block'),
    tries: integer('tries').notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    doneAt: time('done_at'),
  },
  (t) => [index('claim_account').on(t.accountId, t.createdAt), index('claim_created_at').on(t.createdAt)],
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
    /** Included units that it buys for one period; null where it buys credit. */
    units: bigint('units', { mode: 'number' }),
    /** The terms of that period, as src/payment/period.ts has them: they stay what they were when it was offered. */
    terms: jsonb('terms'),
    /** How it is or was paid: `card` (MPP or hosted page), `x402`, `invoice` (renewal), `top_up`. */
    rail: text('rail').notNull().default('card'),
    /** The subscription that it pays a period of, and that period. */
    subscriptionId: text('subscription_id'),
    periodStart: time('period_start'),
    periodEnd: time('period_end'),
    returnUrl: text('return_url'),
    /** What a top-up is charged to, as src/payment/top-up.ts has it: another card agreed to later is for the next one. */
    savedCard: jsonb('saved_card'),
    /** The MPP challenge whose credential claimed this order; of a top-up, its number. */
    challengeId: text('challenge_id').unique('purchase_challenge_id'),
    /** Digest of that credential: the same one again gets the same answer, another one does not. */
    credentialDigest: text('credential_digest'),
    checkoutSession: text('checkout_session').unique('purchase_checkout_session'),
    /** What the payment is called where it was made: the processor's payment intent, or the transaction. */
    payment: text('payment').unique('purchase_payment'),
    failure: text('failure'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    claimedAt: time('claimed_at'),
    /** Whose charge is open, as shop.claim_purchase writes it; null when none is. */
    claimedBy: text('claimed_by'),
    /** Whether a charge of it was once in doubt. */
    doubted: boolean('doubted').notNull().default(false),
    grantedAt: time('granted_at'),
    /** Looks at its refunds and disputes, and the last one whose finding was written: an older finding is not. */
    looks: integer('looks').notNull().default(0),
    seen: integer('seen').notNull().default(0),
  },
  (t) => [
    check('purchase_amount', sql`${t.amount} >= 0`),
    check('purchase_units', sql`${t.units} > 0`),
    check('purchase_rail', sql`${t.rail} in ('card', 'x402', 'invoice', 'top_up')`),
    check('purchase_state', sql`${t.state} in ('offered', 'claimed', 'granted', 'declined')`),
    index('purchase_in_doubt').on(t.createdAt).where(sql`${t.claimedBy} is not null`),
    index('purchase_untaken').on(t.expiresAt).where(sql`${t.state} = 'offered'`),
    index('purchase_page').on(t.expiresAt).where(sql`${t.checkoutSession} is not null`),
    index('purchase_begun').on(t.createdAt, t.id).where(sql`${t.state} <> 'offered'`),
    index('purchase_account').on(t.accountId, t.createdAt),
    index('purchase_top_up').on(t.accountId, t.createdAt).where(sql`${t.rail} = 'top_up'`),
    index('purchase_subscription').on(t.subscriptionId).where(sql`${t.subscriptionId} is not null`),
  ],
);

/** Refunds and disputes of an order's payment, as the processor last told of them. */
export const reversal = shop.table(
  'reversal',
  {
    id: text('id').primaryKey(),
    purchaseId: text('purchase_id').notNull(),
    kind: text('kind').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** The processor's word for how it stands. */
    status: text('status').notNull(),
    /** Whether the money is gone as things stand. */
    counts: boolean('counts').notNull(),
    reason: text('reason'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('reversal_kind', sql`${t.kind} in ('refund', 'dispute')`),
    check('reversal_amount', sql`${t.amount} > 0`),
    index('reversal_purchase').on(t.purchaseId),
  ],
);

/** A plan that is paid by the period. Its terms stay what they were when it was bought. */
export const subscription = shop.table(
  'subscription',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    planId: text('plan_id').notNull(),
    /** The processor's subscription, which renews by itself; null for one prepaid period. */
    processorId: text('processor_id').unique('subscription_processor_id'),
    status: text('status').notNull(),
    periodStart: time('period_start').notNull(),
    periodEnd: time('period_end').notNull(),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    /** The plan of the next period, where it is another one. */
    nextPlanId: text('next_plan_id'),
    /** The change that has been asked of the processor and not been answered for certain: its number, plan, and what is credited. */
    changeNumber: integer('change_number').notNull().default(0),
    changePlan: text('change_plan'),
    changeCredit: bigint('change_credit', { mode: 'number' }),
    createdAt: time('created_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
    looks: integer('looks').notNull().default(0),
    seen: integer('seen').notNull().default(0),
  },
  (t) => [
    check('subscription_status', sql`${t.status} in ('active', 'past_due', 'canceled', 'expired')`),
    check('subscription_period', sql`${t.periodEnd} > ${t.periodStart}`),
    index('subscription_account').on(t.accountId),
  ],
);

/** What an account has agreed to have charged by itself when its credit runs low; one row once it has. */
export const topUp = shop.table(
  'top_up',
  {
    accountId: text('account_id').primaryKey(),
    /** `stopped`: by a card that was declined, or money that went back; only its owner puts it on again. */
    state: text('state').notNull(),
    /** The plan of kind `credit` that is bought. */
    planId: text('plan_id').notNull(),
    below: bigint('below', { mode: 'number' }).notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** In a calendar month, UTC. */
    monthlyMax: bigint('monthly_max', { mode: 'number' }).notNull(),
    savedCard: jsonb('saved_card').notNull(),
    /** Why it stopped, for its owner. */
    reason: text('reason'),
    /** Numbers its charges: each has a name of its own at the processor. */
    sequence: integer('sequence').notNull().default(0),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('top_up_state', sql`${t.state} in ('on', 'off', 'stopped')`),
    check(
      'top_up_amount',
      sql`${t.amount} >= ${t.below} and ${t.monthlyMax} >= ${t.amount} and ${t.below} > 0`,
    ),
    index('top_up_on').on(t.accountId).where(sql`${t.state} = 'on'`),
  ],
);

/** Codes that give whoever sends them a lot, once for each account. */
export const promotion = shop.table(
  'promotion',
  {
    code: text('code').primaryKey(),
    planId: text('plan_id').notNull(),
    asset: text('asset').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** Until when the code is taken. */
    expiresAt: time('expires_at'),
    /** How long what it gave can be used. */
    lotDays: integer('lot_days'),
    redemptionsMax: integer('redemptions_max'),
    /** As many as there are postings from it (ledger.prove). */
    redemptions: integer('redemptions').notNull().default(0),
    /** Only accounts that a person has taken over. */
    claimedOnly: boolean('claimed_only').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
  },
  (t) => [
    check('promotion_asset', sql`${t.asset} in ('usd', 'unit')`),
    check('promotion_amount', sql`${t.amount} > 0`),
    check('promotion_lot_days', sql`${t.lotDays} > 0`),
    check(
      'promotion_redemptions',
      sql`${t.redemptions} between 0 and coalesce(${t.redemptionsMax}, ${t.redemptions})`,
    ),
  ],
);

/** What the seller did, for good: written by the statement that does it. */
export const audit = shop.table(
  'audit',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
    who: text('who').notNull(),
    act: text('act').notNull(),
    subject: text('subject').notNull(),
    before: jsonb('before'),
    /** Null where the act was begun and nobody knows its end. */
    after: jsonb('after'),
  },
  (t) => [index('audit_subject').on(t.subject, t.at)],
);

/** Every notice of the processor, once, for good. */
export const processorEvent = shop.table('processor_event', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  receivedAt: time('received_at').notNull().defaultNow(),
  doneAt: time('done_at'),
  attempts: integer('attempts').notNull().default(1),
});

/** Declined charges and codes that are none, by who tried: for the limits on trying cards and codes out. */
export const decline = shop.table(
  'decline',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    subject: text('subject').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [index('decline_subject_at').on(t.subject, t.at)],
);
