import { createHmac } from 'node:crypto';
import { seconds } from '../kernel/clock.ts';
import * as Digest from '../kernel/digest.ts';

/** How long a seller stays signed in. */
export const lifeSeconds = 8 * 60 * 60;

const written = /^(\d{10})\.([0-9a-f]{64})$/;

/**
 * What a browser keeps once the admin token was typed into it: no token, but a proof that it was known, which expires by itself.
 * Every process that has the shop's `secret` can read it; it is void once the admin token is another one.
 */
export function issue(secret: string, tokenDigest: string, nowMs: number): string {
  const expires = seconds(nowMs) + lifeSeconds;
  return `${expires}.${seal(secret, tokenDigest, expires)}`;
}

/** Whether a proof is ours, of this admin token, and has not expired. */
export function isGood(proof: string, secret: string, tokenDigest: string, nowMs: number): boolean {
  const [, expires, mac] = written.exec(proof) ?? [];
  if (expires === undefined || mac === undefined || Number(expires) <= seconds(nowMs)) return false;
  return Digest.equal(mac, seal(secret, tokenDigest, Number(expires)));
}

function seal(secret: string, tokenDigest: string, expires: number): string {
  return createHmac('sha256', secret).update(`seller ${tokenDigest} ${expires}`).digest('hex');
}
