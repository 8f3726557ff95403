import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TrialProof, TrialState } from '../../../identity/trial-proof.ts';
import { shop, statementTime, time } from './shop.ts';

/**
 * Attempts to pay, by what they count against: `card:<digest>`, `address:<block>`, `account:<id>`. An attempt whose outcome is open counts,
 * so that concurrent attempts cannot pass a limit together. A success deletes the rows of its attempt.
 */
export const cardAttempt = shop.table(
  'card_attempt',
  {
    /** The challenge that is charged, or the processor's charge on a hosted page. */
    attempt: text('attempt').notNull(),
    subject: text('subject').notNull(),
    declined: boolean('declined').notNull(),
    at: time('at').notNull().default(statementTime),
  },
  (t) => [
    primaryKey({ name: 'card_attempt_pkey', columns: [t.attempt, t.subject] }),
    index('card_attempt_subject').on(t.subject, t.at),
    index('card_attempt_at').on(t.at),
  ],
);

/** Charges of cards with the processor's assessment of their risk, of successful and of declined ones. */
export const charge = shop.table(
  'charge',
  {
    /** The processor's charge. */
    id: text('id').primaryKey(),
    payment: text('payment').notNull(),
    orderId: text('order_id'),
    succeeded: boolean('succeeded').notNull(),
    riskLevel: text('risk_level'),
    riskScore: integer('risk_score'),
    networkStatus: text('network_status'),
    /** The kind of outcome, such as `issuer_declined` or `blocked`. */
    outcome: text('outcome'),
    /** The category of the reason for a decline, such as `insufficient_funds`. */
    reason: text('reason'),
    /** Digest of the card, by which the trial is given once; null once the owner is erased. */
    card: text('card'),
    /** The result of the trial for the card of the charge; null until it is decided (shop.give_card_trials). */
    trial: text('trial').$type<TrialState>(),
    at: time('at').notNull(),
  },
  (t) => [
    index('charge_trial')
      .on(t.at)
      .where(sql`${t.succeeded} and ${t.card} is not null and ${t.trial} is null`),
    index('charge_payment').on(t.payment),
    index('charge_order').on(t.orderId).where(sql`${t.orderId} is not null`),
    index('charge_declined_at').on(t.at).where(sql`not ${t.succeeded}`),
  ],
);

/**
 * Mailboxes, cards, wallets and addresses that a trial was given to, as digests. They are kept after an account is erased, so that
 * erasing an account earns no second trial. Rows of addresses expire.
 */
export const trialProof = shop.table(
  'trial_proof',
  {
    kind: text('kind').$type<TrialProof>().notNull(),
    digest: text('digest').notNull(),
    at: time('at').notNull().default(statementTime),
  },
  (t) => [
    primaryKey({ name: 'trial_proof_pkey', columns: [t.kind, t.digest] }),
    check('trial_proof_kind', sql`${t.kind} in ('email', 'card', 'wallet', 'address')`),
    index('trial_proof_address_at').on(t.at).where(sql`${t.kind} = 'address'`),
  ],
);
