import * as SealedSession from '@sluice/kernel/sealed-session';

/** The seller's browser session ends after this. */
export const lifeSeconds = 8 * 60 * 60;

/** Issues the cookie of a browser in which the admin token was entered. A new admin token invalidates it. */
export function issue(secret: string, tokenDigest: string, nowMs: number): string {
  return SealedSession.issue(secret, subject(tokenDigest), lifeSeconds, nowMs);
}

/** Returns true for a proof of this shop and admin token that has not expired. */
export function isGood(proof: string, secret: string, tokenDigest: string, nowMs: number): boolean {
  return SealedSession.isGood(proof, secret, subject(tokenDigest), nowMs);
}

function subject(tokenDigest: string): string {
  return `seller ${tokenDigest}`;
}
