import { id } from '../kernel/id.ts';
import { path } from './endpoint.ts';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** How long an unclaimed account can be reached without registering anew. */
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

/** The shop's own word that whoever holds it may draw access tokens for `session`. As secret as a password. */
export function issue(ring: KeyRing, session: Jwt.Session, nowMs: number): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('ia'), {}, nowMs);
}

/** Checks signature, type, issuer, audience and times. Whether the session still stands is for the database to say. */
export function verify(ring: KeyRing, assertion: string, nowMs: number): Promise<Jwt.Verified> {
  return Jwt.verify(ring, profile, assertion, nowMs);
}
