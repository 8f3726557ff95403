import { createHash } from 'node:crypto';
import { secret, secretDigest } from '@sluice/kernel/id';
import type { ClientMetadata, OAuthClient } from './client.ts';

/** Clients exchange an authorization code immediately. */
export const codeLifeMs = 60_000;
/** A refresh token that is not used for this long ends with its grant. */
export const refreshLifeMs = 90 * 86_400_000;
/** A rotated refresh token is accepted again for this long: the response with its successor may have been lost. */
export const rotationGraceMs = 60_000;

/** @param account the account that grants it */
export const newCode = (account: string) => secret('oac', account);
/** @param previous the code or refresh token that it is exchanged for */
export const newRefreshToken = (previous: string) => secret('ort', previous);
export const digest = secretDigest;

/** Returns true for a string in the form of a refresh token; access tokens and assertions are JWTs. */
export function isRefreshToken(token: string): boolean {
  return /^ort_[\w-]{43}$/.test(token);
}

/** The S256 transformation of a code verifier (RFC 7636, section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

/** One consent: the session that all tokens of a client descend from. */
export type OAuthGrant = {
  sid: string;
  account: string;
  /** The person who consented; null for a session that belongs to the account itself. */
  member: string | null;
  clientId: string;
  clientName: string;
};
export type GrantListing = OAuthGrant & { createdMs: number; usedMs: number };

export type Redeemed =
  | { kind: 'redeemed'; grant: OAuthGrant }
  /** Used before, so the code or token may be stolen: revoke the whole session. */
  | { kind: 'replayed'; sid: string }
  | { kind: 'unknown' };

export type NewCode = {
  grant: OAuthGrant;
  digest: string;
  redirectUri: string;
  challenge: string;
  expiresMs: number;
};
/** A code as presented at the token endpoint. */
export type PresentedCode = { digest: string; clientId: string; redirectUri: string; challenge: string };
export type NewRefreshToken = { digest: string; expiresMs: number };

/** The store of OAuth clients and grants, shared by all processes. */
export interface OAuthGrants {
  registerClient(id: string, client: ClientMetadata): Promise<void>;
  findClient(id: string): Promise<OAuthClient | null>;
  /** Stores a grant and its code, in one statement. */
  issueCode(code: NewCode): Promise<void>;
  /** Uses a code up, once across all processes, and stores the first refresh token of its session. */
  redeemCode(code: PresentedCode, first: NewRefreshToken): Promise<Redeemed>;
  /** Exchanges a refresh token for `next`, in one statement. */
  rotate(token: string, clientId: string | null, next: NewRefreshToken): Promise<Redeemed>;
  /** Returns the grant of a valid refresh token, or null. */
  findRefreshToken(token: string): Promise<(OAuthGrant & { expiresMs: number }) | null>;
  /**
   * Grants of an account, newest first.
   * @param member with an id, only those of this person
   */
  list(account: string, member: string | null): Promise<readonly GrantListing[]>;
  /** Deletes the record of a revoked session. The session itself is ended by `Revocations`. */
  end(sid: string): Promise<void>;
}
