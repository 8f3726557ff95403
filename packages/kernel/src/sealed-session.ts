import { createHmac } from 'node:crypto';
import { seconds } from './clock.ts';
import * as Digest from './digest.ts';

const written = /^(\d{10})\.([0-9a-f]{64})$/;

/**
 * Issues the proof that `subject` has signed in, which expires after `lifeSeconds`. It contains neither the subject nor a secret. Every
 * process with `secret` can verify it.
 */
export function issue(secret: string, subject: string, lifeSeconds: number, nowMs: number): string {
  const expires = seconds(nowMs) + lifeSeconds;
  return `${expires}.${seal(secret, subject, expires)}`;
}

/** Returns true for a proof of this subject that has not expired. */
export function isGood(proof: string, secret: string, subject: string, nowMs: number): boolean {
  const [, expires, mac] = written.exec(proof) ?? [];
  if (expires === undefined || mac === undefined || Number(expires) <= seconds(nowMs)) return false;
  return Digest.equal(mac, seal(secret, subject, Number(expires)));
}

function seal(secret: string, subject: string, expires: number): string {
  return createHmac('sha256', secret).update(`${subject} ${expires}`).digest('hex');
}
