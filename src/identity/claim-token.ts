import { id } from '../kernel/id.ts';
import * as Assertion from './assertion.ts';
import { path } from './endpoint.ts';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** As long as the account can be reached without a person. */
const lifeSeconds = Assertion.lifeSeconds;

/** Neither an access token nor an assertion: it opens nothing but the claim of its account. */
const profile: Jwt.Profile = {
  typ: 'claim-token+jwt',
  audiencePath: path.claim,
  lifeSeconds,
  required: [],
};

/** Whoever holds it may ask a person by email to take the account over. It may be handed on: it does not act for the account. */
export function issue(ring: KeyRing, session: Jwt.Session, nowMs: number): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('ct'), {}, nowMs);
}

/** A claim token, or an assertion, which is more: accounts that a wallet or a purchase made have that alone. */
export async function verify(ring: KeyRing, token: string, nowMs: number): Promise<Jwt.Verified> {
  const found = await Jwt.verify(ring, profile, token, nowMs);
  if (found.kind !== 'invalid' || found.reason !== 'type') return found;
  return Assertion.verify(ring, token, nowMs);
}
