import { sql } from 'drizzle-orm';
import { check, foreignKey, index, integer, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import type { Account } from '../../../identity/account.ts';
import { shop, statementTime, time, whole } from './shop.ts';

export const account = shop.table(
  'account',
  {
    id: text('id').primaryKey(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The origin of the account: `anonymous` (registration) or `purchase`. */
    origin: text('origin').$type<Account['origin']>().notNull(),
    /** The email of the person who claimed the account. */
    email: text('email').unique('account_email'),
    claimedAt: time('claimed_at'),
    /** The account that this one was merged into. Calls on this account draw from that one. */
    joinedTo: text('joined_to'),
    joinedAt: time('joined_at'),
    /** When the seller froze the account. A frozen account can read but neither call nor buy. */
    frozenAt: time('frozen_at'),
    /** Counts how often the sessions that belong to no person were ended. Tokens name it. */
    tokenEpoch: integer('token_epoch').notNull().default(0),
  },
  (t) => [
    index('account_frozen').on(t.id).where(sql`${t.frozenAt} is not null`),
    index('account_created_at').on(t.createdAt),
    index('account_email_prefix').on(t.email.op('text_pattern_ops')).where(sql`${t.email} is not null`),
    index('account_joined').on(t.joinedTo).where(sql`${t.joinedTo} is not null`),
    index('account_joined_at').on(t.joinedAt).where(sql`${t.joinedAt} is not null`),
  ],
);

/** Long-lived keys that an account makes for its own programs. Only the digest of a key is stored: its SHA-256, and the slot of the account as the first byte. */
export const key = shop.table(
  'key',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    digest: text('digest').notNull().unique('key_digest'),
    /** The last characters of the key, by which its owner recognizes it. */
    hint: text('hint').notNull(),
    name: text('name').notNull(),
    /** Total worth of the calls allowed under the key, in micro-dollars. The ledger keeps it as a `budget` lot whose account is the key. */
    budget: whole('budget'),
    services: text('services').array(),
    expiresAt: time('expires_at'),
    createdAt: time('created_at').notNull().default(statementTime),
    revokedAt: time('revoked_at'),
    /** The person who created it (`shop.member`); null for the account's own tokens. It stays when the person is removed. */
    memberId: text('member_id'),
  },
  (t) => [
    foreignKey({ name: 'key_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    check('key_budget', sql`${t.budget} > 0`),
    check('key_services', sql`cardinality(${t.services}) > 0`),
    index('key_account').on(t.accountId, t.createdAt).where(sql`${t.revokedAt} is null`),
  ],
);

/**
 * The accounts that a wallet can sign in to: the one that its first sign-in created and each one that its coin payments created. A
 * sign-in that names no account opens the oldest. An address is the same wallet on every chain.
 */
export const wallet = shop.table(
  'wallet',
  {
    address: text('address').notNull(),
    accountId: text('account_id').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
  },
  (t) => [
    primaryKey({ name: 'wallet_pkey', columns: [t.address, t.accountId] }),
    // 0001_ledger.sql defers this key to the commit, because the wallet's row is written before the account's.
    foreignKey({ name: 'wallet_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    check('wallet_address', sql`${t.address} ~ '^0x[0-9a-f]{40}$'`),
    index('wallet_account').on(t.accountId),
  ],
);

/** The company and address that an account wants on its receipts, in the owner's words. */
export const billingDetails = shop.table(
  'billing_details',
  {
    accountId: text('account_id').primaryKey(),
    name: text('name').notNull(),
    address: text('address').notNull(),
    /** ISO 3166-1 alpha-2. */
    country: text('country').notNull(),
    /** A VAT id or another tax number; empty when the buyer has none. */
    taxId: text('tax_id').notNull(),
    updatedAt: time('updated_at').notNull().default(statementTime),
  },
  (t) => [
    foreignKey({ name: 'billing_details_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
  ],
);

/**
 * Resources that callers created at the upstream, and the account that each belongs to. Ids are unique within a kind. The row of a deleted
 * resource stays for a while, so that no other account gets its id.
 */
export const resource = shop.table(
  'resource',
  {
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    accountId: text('account_id').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
    /** Null for always. */
    expiresAt: time('expires_at'),
  },
  (t) => [
    primaryKey({ name: 'resource_pkey', columns: [t.kind, t.id] }),
    foreignKey({ name: 'resource_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    check('resource_id', sql`length(${t.id}) between 1 and 200`),
    index('resource_account').on(t.accountId),
    index('resource_expires_at').on(t.expiresAt).where(sql`${t.expiresAt} is not null`),
  ],
);

/** Signed messages that were accepted, payment proofs and sign-ins. Each is accepted once over all processes. */
export const proof = shop.table(
  'proof',
  { key: text('key').primaryKey(), expiresAt: time('expires_at').notNull() },
  (t) => [index('proof_expires_at').on(t.expiresAt)],
);

/** Codes sent by email, each to claim one account. Rows are kept for a day because the limits count them. */
export const claim = shop.table(
  'claim',
  {
    id: text('id').primaryKey(),
    /** The account that the claim token names. */
    accountId: text('account_id').notNull(),
    email: text('email').notNull(),
    /** Digest of the mailbox. Aliases of one mailbox share it, so one-time grants are given once per person. */
    mailbox: text('mailbox').notNull(),
    /** A keyed digest, so that reading the table reveals no code. */
    codeDigest: text('code_digest').notNull(),
    tries: integer('tries').notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    doneAt: time('done_at'),
  },
  (t) => [index('claim_account').on(t.accountId, t.createdAt), index('claim_created_at').on(t.createdAt)],
);

/** Sign-in links. Requests for addresses without an account are rows too, because they count; no link is sent to them. */
export const signIn = shop.table(
  'sign_in',
  {
    id: text('id').primaryKey(),
    email: text('email').notNull(),
    mailbox: text('mailbox').notNull(),
    tokenDigest: text('token_digest').notNull(),
    /** Digest of a secret held by the browser that requested the link. */
    browserDigest: text('browser_digest').notNull(),
    /** Digest of the browser, if it requested the link in its own allowance: it had opened a link of the mailbox before. */
    knownDigest: text('known_digest'),
    tries: integer('tries').notNull().default(0),
    createdAt: time('created_at').notNull().default(statementTime),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
    /** The invitation that opening the link accepts. */
    invitationId: text('invitation_id'),
  },
  (t) => [unique('sign_in_token_digest').on(t.tokenDigest), index('sign_in_created_at').on(t.createdAt)],
);

/**
 * Uses that are limited by address block (registrations, claim codes, sign-in links). Each use is one row per block that contains the
 * address, and one row for all addresses with an empty block.
 */
export const blockUse = shop.table(
  'block_use',
  {
    kind: text('kind').notNull(),
    block: text('block').notNull(),
    at: time('at').notNull().default(statementTime),
  },
  (t) => [index('block_use_block').on(t.kind, t.block, t.at), index('block_use_at').on(t.at)],
);

/** Proofs of work that were used. */
export const usedWork = shop.table('used_work', {
  id: text('id').primaryKey(),
  expiresAt: time('expires_at').notNull(),
});

/** Tokens (`jti`) and sessions (`sid`) that were revoked before they expired. */
export const revocation = shop.table(
  'revocation',
  {
    id: text('id').primaryKey(),
    /** The account that the token named. An account with a revoked session gets no more tokens from an order. */
    accountId: text('account_id'),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [index('revocation_account').on(t.accountId), index('revocation_expires_at').on(t.expiresAt)],
);
