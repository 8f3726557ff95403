import { id } from '@sluice/kernel/id';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** Limits the use of a stolen token. Clients get a new token with one exchange. */
export const lifeSeconds = 3600;

/** RFC 9068: `iss` and `aud` are the public URL, `typ` is `at+jwt`. */
const profile: Jwt.Profile = { typ: 'at+jwt', audiencePath: '', lifeSeconds, required: ['client_id'] };

/**
 * Issues a bearer token for `session`, valid for `lifeSeconds`.
 * @param clientId the OAuth client; by default the `sid`, as in open registration each registered agent is a client of its own
 */
export function issue(
  ring: KeyRing,
  session: Jwt.TokenSession,
  nowMs: number,
  clientId: string = session.sid,
): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('at', session.account), { client_id: clientId }, nowMs);
}

/** Checks signature, type, issuer, audience and times, but not revocation: requests are authenticated by `Bearer`. */
export function verify(ring: KeyRing, token: string, nowMs: number): Promise<Jwt.Verified> {
  return Jwt.verify(ring, profile, token, nowMs);
}
