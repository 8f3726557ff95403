import { path } from '@sluice/kernel/endpoints';
import { id } from '@sluice/kernel/id';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** An unclaimed account whose assertion has expired is lost to its agent. */
export const lifeSeconds = 90 * 24 * 3600;

/** The grant type under which an assertion is exchanged (RFC 7523). */
export const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * RFC 7523, section 3: the audience is the token endpoint. Type and audience both differ from an access token's,
 * so that neither passes for the other even if one of the two checks were lost.
 */
const profile: Jwt.Profile = {
  typ: 'identity-assertion+jwt',
  audiencePath: path.token,
  lifeSeconds,
  required: [],
};

/** Issues an assertion: its holder can exchange it for access tokens of `session`. It is as secret as a password. */
export function issue(ring: KeyRing, session: Jwt.TokenSession, nowMs: number): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('ia', session.account), {}, nowMs);
}

/** Checks signature, type, issuer, audience and times. The caller must check in the database that the session is not revoked. */
export function verify(ring: KeyRing, assertion: string, nowMs: number): Promise<Jwt.Verified> {
  return Jwt.verify(ring, profile, assertion, nowMs);
}
