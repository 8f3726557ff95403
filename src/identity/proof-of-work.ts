import { createHash, createHmac, randomBytes } from 'node:crypto';
import { equal, sha256Hex } from '@sluice/kernel/digest';

/** A challenge expires after this. */
const lifeMs = 10 * 60_000;
const solutionCharsMax = 64;
const challengeCharsMax = 200;

/** A challenge and its solution, as the caller sends them. */
export type Work = { challenge: string; solution: string };

/** A challenge for a caller to solve. */
export type Challenge = { challenge: string; bits: number; expiresMs: number };

/** Creates a challenge of `bits` leading zero bits, which takes about 2^bits digests. Nothing is stored. */
export function issue(secret: string, bits: number, nowMs: number): Challenge {
  const expiresMs = Math.floor(nowMs / 1_000) * 1_000 + lifeMs;
  const terms = `${bits}.${expiresMs / 1_000}.${randomBytes(16).toString('base64url')}`;
  return { challenge: `${terms}.${sign(secret, terms)}`, bits, expiresMs };
}

/** Returns the id that makes a solved challenge usable once, with its expiry; null when it is foreign, expired or not solved. */
export function verify(
  secret: string,
  { challenge, solution }: Work,
  nowMs: number,
): { id: string; expiresMs: number } | null {
  if (challenge.length > challengeCharsMax || solution.length > solutionCharsMax) return null;
  const cut = challenge.lastIndexOf('.');
  const terms = challenge.slice(0, cut);
  if (cut < 0 || !equal(sign(secret, terms), challenge.slice(cut + 1))) return null;
  const [bits = 0, seconds = 0] = terms.split('.').map(Number);
  if (seconds * 1_000 <= nowMs) return null;
  const digest = createHash('sha256').update(`${challenge}.${solution}`).digest();
  return leadingZeroBits(digest) >= bits ? { id: sha256Hex(challenge), expiresMs: seconds * 1_000 } : null;
}

function sign(secret: string, terms: string): string {
  return createHmac('sha256', secret).update(`proof-of-work ${terms}`).digest('hex');
}

function leadingZeroBits(digest: Buffer): number {
  let bits = 0;
  for (const byte of digest) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}
