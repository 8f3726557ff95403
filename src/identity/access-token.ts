import { id } from '../kernel/id.ts';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** A stolen token is of use for no longer than this; a fresh one is one exchange away. */
export const lifeSeconds = 3600;

/** RFC 9068: `iss` and `aud` are the public URL, `typ` is `at+jwt`. */
const profile: Jwt.Profile = { typ: 'at+jwt', audiencePath: '', lifeSeconds, required: ['client_id'] };

/**
 * A bearer token for `session`, good for `lifeSeconds`.
 * Its `client_id` is the `sid`: in open registration each registered agent is a client of its own.
 */
export function issue(ring: KeyRing, session: Jwt.Session, nowMs: number): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('at'), { client_id: session.sid }, nowMs);
}

/** Checks signature, type, issuer, audience and times. Knows nothing of revocation: callers with a bearer go through `Bearer`. */
export function verify(ring: KeyRing, token: string, nowMs: number): Promise<Jwt.Verified> {
  return Jwt.verify(ring, profile, token, nowMs);
}
