import { sql } from 'drizzle-orm';
import { check, foreignKey, index, text } from 'drizzle-orm/pg-core';
import { account } from './accounts.ts';
import { shop, statementTime, time } from './shop.ts';

// OAuth 2.1 for public clients: authorization codes with PKCE, and refresh tokens that rotate. Secrets are stored as digests that begin with their slot (`secretDigest`).

/** Clients that registered dynamically (RFC 7591). A client identified by its own https metadata document is not stored. */
export const oauthClient = shop.table(
  'oauth_client',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    redirectUris: text('redirect_uris').array().notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
  },
  (t) => [
    check('oauth_client_redirect_uris', sql`cardinality(${t.redirectUris}) between 1 and 10`),
    index('oauth_client_created_at').on(t.createdAt),
  ],
);

/** The consent of an account to one client: the session from which all its tokens descend. Revoking it ends its codes and tokens. */
export const oauthGrant = shop.table(
  'oauth_grant',
  {
    sid: text('sid').primaryKey(),
    accountId: text('account_id').notNull(),
    clientId: text('client_id').notNull(),
    clientName: text('client_name').notNull(),
    /** The person who consented (`shop.member`); null for a session that belongs to no person. */
    memberId: text('member_id'),
    createdAt: time('created_at').notNull().default(statementTime),
    usedAt: time('used_at').notNull().default(statementTime),
  },
  (t) => [
    foreignKey({ name: 'oauth_grant_account_id', columns: [t.accountId], foreignColumns: [account.id] }),
    index('oauth_grant_account').on(t.accountId, t.createdAt),
    index('oauth_grant_client').on(t.clientId),
  ],
);

export const oauthCode = shop.table(
  'oauth_code',
  {
    digest: text('digest').primaryKey(),
    sid: text('sid').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** The S256 code challenge of PKCE (RFC 7636). */
    challenge: text('challenge').notNull(),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
  },
  (t) => [
    foreignKey({ name: 'oauth_code_grant', columns: [t.sid], foreignColumns: [oauthGrant.sid] }).onDelete(
      'cascade',
    ),
    index('oauth_code_sid').on(t.sid),
  ],
);

export const oauthRefreshToken = shop.table(
  'oauth_refresh_token',
  {
    digest: text('digest').primaryKey(),
    sid: text('sid').notNull(),
    expiresAt: time('expires_at').notNull(),
    /** When the token was first exchanged for a newer one. */
    rotatedAt: time('rotated_at'),
  },
  (t) => [
    foreignKey({
      name: 'oauth_refresh_token_grant',
      columns: [t.sid],
      foreignColumns: [oauthGrant.sid],
    }).onDelete('cascade'),
    index('oauth_refresh_token_sid').on(t.sid),
    index('oauth_refresh_token_expires_at').on(t.expiresAt),
  ],
);
