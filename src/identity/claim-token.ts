import { path } from '@sluice/kernel/endpoints';
import { id } from '@sluice/kernel/id';
import * as Assertion from './assertion.ts';
import * as Jwt from './jwt.ts';
import type { KeyRing } from './key-ring.ts';

/** As long as the agent's own access to the account. */
const lifeSeconds = Assertion.lifeSeconds;

/** Differs from an access token and an assertion: it only permits the claim of its account. */
const profile: Jwt.Profile = {
  typ: 'claim-token+jwt',
  audiencePath: path.claim,
  lifeSeconds,
  required: [],
};

/** Issues a claim token: its holder can ask a person by email to take over the account. It may be passed on, as it cannot act for the account. */
export function issue(ring: KeyRing, session: Jwt.TokenSession, nowMs: number): Promise<Jwt.Issued> {
  return Jwt.issue(ring, profile, session, id('ct', session.account), {}, nowMs);
}

/** Accepts a claim token, or an assertion, which permits more: accounts created by a wallet or a purchase have only an assertion. */
export async function verify(ring: KeyRing, token: string, nowMs: number): Promise<Jwt.Verified> {
  const found = await Jwt.verify(ring, profile, token, nowMs);
  if (found.kind !== 'invalid' || found.reason !== 'type') return found;
  return Assertion.verify(ring, token, nowMs);
}
