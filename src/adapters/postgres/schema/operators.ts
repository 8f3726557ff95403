import { sql } from 'drizzle-orm';
import { boolean, check, foreignKey, index, text } from 'drizzle-orm/pg-core';
import type { Role } from '../../../identity/operators/role.ts';
import { shop, statementTime, time, whole } from './shop.ts';

/** The persons who may use the seller's console. A removed person is deleted; the audit log keeps their address. */
export const operator = shop.table(
  'operator',
  {
    id: text('id').primaryKey(),
    /** Lower case (src/identity/email.ts). */
    email: text('email').notNull().unique('operator_email'),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
    /** The issuer and subject of the person's OpenID Connect sign-in, separated by a space; null before the first one. */
    oidcSubject: text('oidc_subject').unique('operator_oidc_subject'),
    createdAt: time('created_at').notNull().default(statementTime),
  },
  (t) => [check('operator_role', sql`${t.role} in ('owner', 'finance', 'support', 'viewer')`)],
);

/** Invitation links, each for one registration of a passkey. Only the SHA-256 digest of a link's token is stored. */
export const operatorInvitation = shop.table(
  'operator_invitation',
  {
    digest: text('digest').primaryKey(),
    operatorId: text('operator_id').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
  },
  (t) => [
    foreignKey({
      name: 'operator_invitation_operator_id',
      columns: [t.operatorId],
      foreignColumns: [operator.id],
    }).onDelete('cascade'),
    index('operator_invitation_operator').on(t.operatorId),
  ],
);

/** Passkeys (WebAuthn credentials). */
export const operatorPasskey = shop.table(
  'operator_passkey',
  {
    /** The credential id in base64url. */
    id: text('id').primaryKey(),
    operatorId: text('operator_id').notNull(),
    /** The COSE public key in base64url. */
    publicKey: text('public_key').notNull(),
    /** The last signature counter; zero for authenticators that do not count. */
    counter: whole('counter').notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    /** True when the authenticator's provider synchronizes it to other devices. */
    isBackedUp: boolean('is_backed_up').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
    usedAt: time('used_at'),
  },
  (t) => [
    foreignKey({
      name: 'operator_passkey_operator_id',
      columns: [t.operatorId],
      foreignColumns: [operator.id],
    }).onDelete('cascade'),
    index('operator_passkey_operator').on(t.operatorId),
  ],
);

/** Browser sessions of operators. Only the SHA-256 digest of the cookie is stored. A session that ends is deleted. */
export const operatorSession = shop.table(
  'operator_session',
  {
    digest: text('digest').primaryKey(),
    operatorId: text('operator_id').notNull(),
    /** The address block of the sign-in. */
    address: text('address').notNull(),
    createdAt: time('created_at').notNull().default(statementTime),
    usedAt: time('used_at').notNull().default(statementTime),
    expiresAt: time('expires_at').notNull(),
    /** The browser and system, such as `Chrome on macOS`; null when they are not known. */
    device: text('device'),
  },
  (t) => [
    foreignKey({
      name: 'operator_session_operator_id',
      columns: [t.operatorId],
      foreignColumns: [operator.id],
    }).onDelete('cascade'),
    index('operator_session_operator').on(t.operatorId),
    index('operator_session_expires_at').on(t.expiresAt),
  ],
);

/** Catalogues that a person published in the console, each with the text that it replaced. Append-only. */
export const catalogPublication = shop.table('catalog_publication', {
  id: whole('id').primaryKey().generatedAlwaysAsIdentity(),
  at: time('at').notNull().default(statementTime),
  who: text('who').notNull(),
  /** The digest of the catalogue with the files that it names, as in `shop.catalog`. */
  digest: text('digest').notNull(),
  text: text('text').notNull(),
  textBefore: text('text_before').notNull(),
  note: text('note').notNull(),
});
