import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { GrantValue } from '../../../payment/credit-grant.ts';
import type { SavedCard } from '../../../payment/saved-card.ts';
import type { OpenChange, SubscriptionStatus } from '../../../payment/subscription.ts';
import type { TopUp } from '../../../payment/top-up.ts';
import type { Consent } from '../../../payment/top-up-consent.ts';
import { shop, time, whole } from './shop.ts';

/** A plan that is paid by the period. Its terms stay as they were when it was bought. */
export const subscription = shop.table(
  'subscription',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    planId: text('plan_id').notNull(),
    /** The processor's subscription, which renews automatically; null for one prepaid period. */
    processorId: text('processor_id').unique('subscription_processor_id'),
    status: text('status').$type<SubscriptionStatus>().notNull(),
    periodStart: time('period_start').notNull(),
    periodEnd: time('period_end').notNull(),
    /** The moment from which periods are counted in whole months: a day that a short month lacks returns in the next one. */
    anchor: time('anchor'),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    /** The plan of the next period if it differs. */
    nextPlanId: text('next_plan_id'),
    /** The page on which its open invoice can be paid. */
    payUrl: text('pay_url'),
    /** The email of the person whose card pays. */
    payerEmail: text('payer_email'),
    /** Opens the page on which the payer can cancel, without access to the account. */
    manageKey: text('manage_key')
      .notNull()
      .unique('subscription_manage_key')
      .default(sql`'spk_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`),
    linksMailedAt: time('links_mailed_at'),
    /** The end of the period whose unpaid renewal the payer was notified of. */
    unpaidNotifiedFor: time('unpaid_notified_for'),
    createdAt: time('created_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
    /** The event about its end was written. A prepaid period ends without any change of its row. */
    endNoted: boolean('end_noted').notNull().default(false),
    /** Number of times that the subscription was read from the processor. */
    syncSeq: integer('sync_seq').notNull().default(0),
    /** The latest such reading whose result was written. Older results are discarded. */
    appliedSeq: integer('applied_seq').notNull().default(0),
  },
  (t) => [
    check('subscription_status', sql`${t.status} in ('active', 'past_due', 'canceled', 'expired')`),
    check('subscription_period', sql`${t.periodEnd} > ${t.periodStart}`),
    index('subscription_account').on(t.accountId),
    index('subscription_payer').on(t.payerEmail).where(sql`${t.payerEmail} is not null`),
    index('subscription_past_due').on(t.periodEnd).where(sql`${t.status} = 'past_due'`),
    index('subscription_to_end').on(t.periodEnd).where(sql`not ${t.endNoted} and ${t.processorId} is null`),
  ],
);

/** A change of plan that was requested from the processor. Rows are kept, so that the period replaced by an invoice stays known. */
export const planChange = shop.table(
  'plan_change',
  {
    id: text('id').primaryKey(),
    subscriptionId: text('subscription_id').notNull(),
    planId: text('plan_id').notNull(),
    /** The period that it replaces immediately, as `replaces` in the terms of an order; null for a change with the next period. */
    replaces: jsonb('replaces').$type<NonNullable<OpenChange['replaces']>>(),
    /** `open`: the outcome is not known yet. */
    state: text('state').notNull().default('open'),
    askedAt: time('asked_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
  },
  (t) => [
    check('plan_change_state', sql`${t.state} in ('open', 'made', 'failed')`),
    uniqueIndex('plan_change_open').on(t.subscriptionId).where(sql`${t.state} = 'open'`),
  ],
);

/** The automatic top-up of an account. An account that never had one has no row. */
export const topUp = shop.table(
  'top_up',
  {
    accountId: text('account_id').primaryKey(),
    /** `stopped`: a card was declined or a payment was reversed. Only the account's owner can switch it on again. */
    state: text('state').$type<TopUp['state']>().notNull(),
    /** The plan of kind `credit` that is bought. */
    planId: text('plan_id').notNull(),
    below: whole('below').notNull(),
    amount: whole('amount').notNull(),
    /** Maximum in a calendar month (UTC). */
    monthlyMax: whole('monthly_max').notNull(),
    savedCard: jsonb('saved_card').$type<SavedCard>().notNull(),
    /** The card holder's consent. No charge exceeds its terms. */
    consentId: text('consent_id').notNull(),
    /** Why it stopped, for the account's owner. */
    reason: text('reason'),
    /** Numbers the charges, so that each has its own name at the processor. */
    sequence: integer('sequence').notNull().default(0),
    /** A charge may be due: the row is checked every second. */
    low: boolean('low').notNull().default(true),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('top_up_state', sql`${t.state} in ('on', 'off', 'stopped')`),
    check(
      'top_up_amount',
      sql`${t.amount} >= ${t.below} and ${t.monthlyMax} >= ${t.amount} and ${t.below} > 0`,
    ),
    index('top_up_low').on(t.accountId).where(sql`${t.state} = 'on' and ${t.low}`),
    index('top_up_on').on(t.accountId).where(sql`${t.state} = 'on'`),
    index('top_up_customer').using('btree', sql`(${t.savedCard} ->> 'customer')`),
  ],
);

/** A card holder's consent, given on the card page, to automatic charges of one account. Consents that were given are kept permanently. */
export const topUpConsent = shop.table(
  'top_up_consent',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    planId: text('plan_id').notNull(),
    below: whole('below').notNull(),
    amount: whole('amount').notNull(),
    monthlyMax: whole('monthly_max').notNull(),
    state: text('state').$type<Consent['state']>().notNull().default('offered'),
    checkoutSession: text('checkout_session').unique('top_up_consent_checkout_session'),
    savedCard: jsonb('saved_card').$type<SavedCard>(),
    /** The card holder is notified of each charge at this address. */
    email: text('email'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The offer can be accepted until then. */
    expiresAt: time('expires_at').notNull(),
    agreedAt: time('agreed_at'),
    endedAt: time('ended_at'),
  },
  (t) => [
    check('top_up_consent_state', sql`${t.state} in ('offered', 'agreed', 'ended')`),
    check('top_up_consent_card', sql`${t.state} <> 'agreed' or ${t.savedCard} is not null`),
    index('top_up_consent_account').on(t.accountId),
  ],
);

/** Codes that grant a lot to the account that redeems them, once for each account. */
export const promotion = shop.table(
  'promotion',
  {
    code: text('code').primaryKey(),
    planId: text('plan_id').notNull(),
    asset: text('asset').$type<GrantValue['asset']>().notNull(),
    amount: whole('amount').notNull(),
    /** The code can be redeemed until then. */
    expiresAt: time('expires_at'),
    /** Number of days for which the granted lot can be used. */
    lotDays: integer('lot_days'),
    redemptionsMax: integer('redemptions_max'),
    /** Equal to the number of postings that it made (ledger.verify). */
    redemptions: integer('redemptions').notNull().default(0),
    /** Only accounts that a person has claimed can redeem it. */
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
