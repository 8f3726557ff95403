import { sql } from 'drizzle-orm';
import { boolean, check, foreignKey, index, integer, jsonb, text } from 'drizzle-orm/pg-core';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import type { Order } from '../../../payment/order.ts';
import type { PeriodTerms } from '../../../payment/proration.ts';
import type { Reversal } from '../../../payment/reversal.ts';
import type { SavedCard } from '../../../payment/saved-card.ts';
import type { QuotedTax } from '../../../payment/tax.ts';
import type { SignedPayment } from '../../../payment/x402/signed-payment.ts';
import { shop, statementTime, time, whole } from './shop.ts';

/** Orders: `offered > claimed > granted`, or `declined`. src/payment/order.ts describes the states. */
export const purchase = shop.table(
  'purchase',
  {
    id: text('id').primaryKey(),
    state: text('state').$type<Order['state']>().notNull().default('offered'),
    /** Null until the grant if the buyer had no bearer token. */
    accountId: text('account_id'),
    planId: text('plan_id').notNull(),
    /** Without tax. The grant depends on this amount alone. */
    amount: whole('amount').notNull(),
    /** Tax that was paid in addition to the amount. */
    tax: whole('tax').notNull().default(0),
    /** The tax quoted for a payment with a card token, as defined in payment/tax.ts. */
    taxQuote: jsonb('tax_quote').$type<QuotedTax>(),
    /** The processor made an invoice for this single payment. */
    invoiced: boolean('invoiced').notNull().default(false),
    /** Included units that the order buys for one period; null if it buys credit. */
    units: whole('units'),
    /** The terms of that period, as defined in src/payment/proration.ts. They stay as they were when the order was offered. */
    terms: jsonb('terms').$type<PeriodTerms>(),
    /** The payment rail: `card` (MPP or hosted page), `x402`, `invoice` (renewal) or `top_up`. */
    rail: text('rail').$type<Order['rail']>().notNull().default('card'),
    /** The subscription that the order pays a period of, and that period. */
    subscriptionId: text('subscription_id'),
    periodStart: time('period_start'),
    periodEnd: time('period_end'),
    returnUrl: text('return_url'),
    /** The card that a top-up is charged to, as defined in src/payment/top-up.ts. A card agreed to later is used from the next top-up on. */
    savedCard: jsonb('saved_card').$type<SavedCard>(),
    /** The wallet that signed the coin payment, `0x` and 40 lower-case hex digits; null for every other rail. */
    payer: text('payer'),
    /** The MPP challenge whose credential claimed this order. A top-up has its number here. */
    challengeId: text('challenge_id').unique('purchase_challenge_id'),
    /** Digest of that credential. The same credential again gets the same response; a different one is refused. */
    credentialDigest: text('credential_digest'),
    checkoutSession: text('checkout_session').unique('purchase_checkout_session'),
    /** Digest of the cookie of the one browser that the hosted page was opened for. */
    pageBrowser: text('page_browser'),
    /** The address block that the hosted page was opened from. It is erased a day after the page has closed. */
    pageAddress: text('page_address'),
    /** The processor's payment intent; for x402, the key under which the payment was claimed. */
    payment: text('payment').unique('purchase_payment'),
    /** For x402: the transaction, which can contain several payments. */
    transaction: text('transaction'),
    /** For x402: the payment as defined in payment/x402/signed-payment.ts. */
    signedPayment: jsonb('signed_payment').$type<SignedPayment>(),
    failure: text('failure'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    claimedAt: time('claimed_at'),
    /** The process whose charge is open, as written by shop.claim_purchase; `queued` if reconciliation will retry the charge; null if no charge is open. */
    claimedBy: text('claimed_by'),
    /** An earlier charge attempt may have succeeded. */
    maybeCharged: boolean('maybe_charged').notNull().default(false),
    grantedAt: time('granted_at'),
    /** The challenge whose charge paid the order; null if its hosted page did. */
    grantedChallenge: text('granted_challenge'),
    /** When the tokens of the account that the order created were issued. They are issued once (shop.issue_tokens). */
    tokensIssuedAt: time('tokens_issued_at'),
    /** The card holder was notified of this automatic charge. */
    notified: boolean('notified').notNull().default(false),
    /** Number of times that refunds and disputes were read from the processor. */
    syncSeq: integer('sync_seq').notNull().default(0),
    /** The latest such reading whose result was written. Older results are discarded. */
    appliedSeq: integer('applied_seq').notNull().default(0),
    /** Number of hosted pages of this order that have closed permanently. The next page is opened under this number. */
    pagesClosed: integer('pages_closed').notNull().default(0),
    /** When a page that waits for a slow payment was last read from the processor. */
    pageReadAt: time('page_read_at'),
    /** Why reconciliation could not resolve the order at its last attempt. It is meaningful only while the order is open. */
    unreconciled: text('unreconciled'),
  },
  (t) => [
    check('purchase_amount', sql`${t.amount} >= 0`),
    check('purchase_tax', sql`${t.tax} >= 0`),
    check('purchase_units', sql`${t.units} > 0`),
    check('purchase_rail', sql`${t.rail} in ('card', 'x402', 'invoice', 'top_up')`),
    check('purchase_state', sql`${t.state} in ('offered', 'claimed', 'granted', 'declined')`),
    index('purchase_in_doubt').on(t.createdAt).where(sql`${t.claimedBy} is not null`),
    index('purchase_offered').on(t.expiresAt).where(sql`${t.state} = 'offered'`),
    index('purchase_page').on(t.expiresAt).where(sql`${t.checkoutSession} is not null`),
    index('purchase_not_offered').on(t.createdAt, t.id).where(sql`${t.state} <> 'offered'`),
    index('purchase_granted').on(t.grantedAt).where(sql`${t.state} = 'granted'`),
    index('purchase_declined').on(t.createdAt, t.id).where(sql`${t.state} = 'declined'`),
    index('purchase_unreconciled').on(t.createdAt).where(sql`${t.unreconciled} is not null`),
    index('purchase_transaction').on(t.transaction).where(sql`${t.transaction} is not null`),
    index('purchase_account').on(t.accountId, t.createdAt),
    index('purchase_top_up').on(t.accountId, t.createdAt).where(sql`${t.rail} = 'top_up'`),
    index('purchase_to_notify')
      .on(t.grantedAt)
      .where(sql`${t.rail} = 'top_up' and ${t.state} = 'granted' and not ${t.notified}`),
    index('purchase_subscription').on(t.subscriptionId).where(sql`${t.subscriptionId} is not null`),
  ],
);

/** The payment of each granted order as it was at the grant. Append-only, so that a later change of the order is detected. */
export const paymentRecord = shop.table('payment_record', {
  orderId: text('order_id').primaryKey(),
  payment: text('payment').notNull(),
  amount: whole('amount').notNull(),
  tax: whole('tax').notNull().default(0),
  rail: text('rail').notNull(),
  /** The blockchain transaction that made the payment, if any. */
  transaction: text('transaction'),
  at: time('at').notNull().default(statementTime),
});

/**
 * A prepaid period that was replaced by a more expensive plan, and its worth in units of that plan. A refund or dispute of the payment
 * for the old period takes its share of the credited units (shop.reversal_chain). Append-only.
 */
export const replacement = shop.table(
  'replacement',
  {
    /** The order of the replaced period. A period can be replaced once. */
    replacedId: text('replaced_id').primaryKey(),
    /** The order that replaced it. */
    purchaseId: text('purchase_id').notNull().unique('replacement_purchase_id'),
    /** Units of the old period that were left. */
    unitsLeft: whole('units_left').notNull(),
    /** Units of the old period that reversals had taken by then. */
    unitsReversed: whole('units_reversed').notNull(),
    /** Units of the new period that were credited for the old one. The new payment bought the others. */
    unitsCredited: whole('units_credited').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [check('replacement_units', sql`${t.unitsLeft} >= 0 and ${t.unitsCredited} >= 0`)],
);

/** Refunds and disputes of an order's payment, as last reported by the processor. */
export const reversal = shop.table(
  'reversal',
  {
    id: text('id').primaryKey(),
    purchaseId: text('purchase_id').notNull(),
    kind: text('kind').$type<Reversal['kind']>().notNull(),
    /** Without the tax that was returned with it. */
    amount: whole('amount').notNull(),
    tax: whole('tax').notNull().default(0),
    status: text('status').notNull(),
    /** In its current status the reversal takes the money from the seller. */
    isEffective: boolean('is_effective').notNull(),
    reason: text('reason'),
    /** The time until which the seller can respond to a dispute. */
    dueAt: time('due_at'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('reversal_kind', sql`${t.kind} in ('refund', 'dispute')`),
    check('reversal_amount', sql`${t.amount} > 0`),
    index('reversal_purchase').on(t.purchaseId),
    index('reversal_created_at').on(t.createdAt),
    index('reversal_open')
      .on(t.createdAt)
      .where(
        sql`${t.kind} = 'dispute' and ${t.status} in ('needs_response', 'under_review', 'warning_needs_response', 'warning_under_review')`,
      ),
  ],
);

/** Refund requests of buyers, one for each purchase. The reversals of the order show if it was refunded. */
export const refundRequest = shop.table(
  'refund_request',
  {
    purchaseId: text('purchase_id').primaryKey(),
    amount: whole('amount').notNull(),
    reason: text('reason').notNull(),
    askedAt: time('asked_at').notNull().default(statementTime),
    declinedAt: time('declined_at'),
    /** Why the seller declined, for the buyer. */
    answer: text('answer'),
    /** When the seller was notified by mail. */
    notifiedAt: time('notified_at'),
    /** Until then one process is sending that mail, and no other process sends it. */
    notifyingUntil: time('notifying_until'),
  },
  (t) => [
    foreignKey({ name: 'refund_request_purchase', columns: [t.purchaseId], foreignColumns: [purchase.id] }),
    check('refund_request_amount', sql`${t.amount} > 0`),
    check('refund_request_answer', sql`(${t.declinedAt} is null) = (${t.answer} is null)`),
    index('refund_request_asked').on(t.askedAt, t.purchaseId),
    index('refund_request_to_notify').on(t.askedAt).where(sql`${t.notifiedAt} is null`),
  ],
);

/** Fees of the processor: one row for each balance transaction, in micro-units of `currency`, the seller's payout currency. */
export const fee = shop.table(
  'fee',
  {
    id: text('id').primaryKey(),
    payment: text('payment').notNull(),
    kind: text('kind').notNull(),
    currency: text('currency').notNull(),
    amount: whole('amount').notNull(),
    fee: whole('fee').notNull(),
    tax: whole('tax').notNull(),
    net: whole('net').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    check('fee_kind', sql`${t.kind} in ('charge', 'refund', 'dispute')`),
    index('fee_payment').on(t.payment),
    index('fee_at').on(t.at),
  ],
);

/** When the processor was last asked for the fees of a payment. */
export const feeReading = shop.table('fee_reading', {
  payment: text('payment').primaryKey(),
  readAt: time('read_at').notNull(),
  isComplete: boolean('is_complete').notNull(),
});

/** Every webhook event of the processor, once. Rows are kept permanently. */
export const processorEvent = shop.table(
  'processor_event',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    receivedAt: time('received_at').notNull().defaultNow(),
    doneAt: time('done_at'),
    attempts: integer('attempts').notNull().default(1),
    /** Why the last failed attempt to process the event failed, and its time. */
    failure: text('failure'),
    failedAt: time('failed_at'),
  },
  (t) => [
    index('processor_event_open').on(t.receivedAt).where(sql`${t.doneAt} is null`),
    index('processor_event_received').on(t.receivedAt),
  ],
);

/** Unknown promotion codes by subject (account, address), for the limits on guessing codes. */
export const decline = shop.table(
  'decline',
  {
    id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
    subject: text('subject').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [index('decline_subject_at').on(t.subject, t.at)],
);

/**
 * Early fraud warnings and reviews of payments, as the processor's events report them. They move no money. A signal is stored by its
 * payment, because its event may arrive before the payment is booked; one of a payment that bought nothing here is never shown.
 */
export const fraudSignal = shop.table(
  'fraud_signal',
  {
    id: text('id').primaryKey(),
    payment: text('payment').notNull(),
    kind: text('kind').$type<FraudSignal['kind']>().notNull(),
    isOpen: boolean('is_open').notNull(),
    reason: text('reason').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('fraud_signal_kind', sql`${t.kind} in ('early_fraud_warning', 'review')`),
    index('fraud_signal_payment').on(t.payment),
    index('fraud_signal_open').on(t.createdAt).where(sql`${t.isOpen}`),
  ],
);
