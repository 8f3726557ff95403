import type { TrialPlan } from '../catalog/plan.ts';
import * as AccessToken from '../identity/access-token.ts';
import * as Assertion from '../identity/assertion.ts';
import * as Bearer from '../identity/bearer.ts';
import * as ClaimToken from '../identity/claim-token.ts';
import type * as Form from '../identity/form.ts';
import * as Grant from '../identity/grant.ts';
import type { Issued } from '../identity/jwt.ts';
import * as Registration from '../identity/registration.ts';
import * as Revocation from '../identity/revocation.ts';
import { id } from '../kernel/id.ts';
import type { Shop } from './shop.ts';

const dayMs = 86_400_000;

export type Registered = {
  kind: 'registered';
  account: string;
  access: Issued;
  assertion: Issued;
  /** Hands the account over to a person; null where the shop has no mail. */
  claim: Issued | null;
  trial: TrialPlan | null;
};

/** A new anonymous account with its trial and its tokens, within the limits of its address and of the day. */
export async function register(
  shop: Shop,
  address: string,
): Promise<Registered | Extract<Registration.Admission, { kind: 'refused' }>> {
  const nowMs = shop.clock();
  const today = await shop.accounts.registeredSince(nowMs - (nowMs % dayMs));
  const admission = Registration.admit(shop.registrations, address, today, nowMs);
  if (admission.kind === 'refused') return admission;
  const account = id('acc');
  const trial = shop.catalog.plans.find((plan) => plan.kind === 'trial') ?? null;
  await shop.accounts.register(account, trial?.id ?? '', trial?.included ?? 0);
  const opened = await session(shop, account);
  const claim = shop.claiming && (await ClaimToken.issue(shop.desk.ring, opened.access.claims, nowMs));
  return { kind: 'registered', account, ...opened, claim, trial };
}

/** Tokens of a new session of an account. */
export async function session(shop: Shop, account: string): Promise<{ access: Issued; assertion: Issued }> {
  const { ring } = shop.desk;
  const opened = { account, sid: id('ses') };
  const nowMs = shop.clock();
  const [access, assertion] = await Promise.all([
    AccessToken.issue(ring, opened, nowMs),
    Assertion.issue(ring, opened, nowMs),
  ]);
  return { access, assertion };
}

export type Exchanged = { kind: 'granted'; access: Issued } | Form.Fault;

/** A fresh access token against the form that holds an assertion (RFC 7523). */
export async function exchange(shop: Shop, form: string): Promise<Exchanged> {
  const request = Grant.parse(form);
  return request.kind === 'fault' ? request : renew(shop, request.assertion);
}

/** A fresh access token of the session that an assertion names. */
export async function renew(shop: Shop, assertion: string): Promise<Exchanged> {
  const nowMs = shop.clock();
  const found = await Assertion.verify(shop.desk.ring, assertion, nowMs);
  if (found.kind !== 'ok') return Grant.refusal(found);
  // The list in memory looks back as far as an access token lives; an assertion lives longer, and the record knows.
  if (await shop.revocations.has([found.claims.sid, found.claims.jti])) {
    return Grant.refusal({ kind: 'revoked' });
  }
  const account = await shop.accounts.standing(found.claims.account);
  const { sid } = found.claims;
  return { kind: 'granted', access: await AccessToken.issue(shop.desk.ring, { account, sid }, nowMs) };
}

/** Ends a token, or with an assertion its whole session (RFC 7009): here at once, elsewhere as the record announces it. */
export async function revoke(shop: Shop, form: string): Promise<{ kind: 'done' } | Form.Fault> {
  const request = Revocation.parse(form);
  if (request.kind === 'fault') return request;
  const nowMs = shop.clock();
  const target = await Revocation.target(shop.desk.ring, request.token, nowMs);
  if (target.kind === 'nothing') return { kind: 'done' };
  Bearer.revoke(shop.desk, target.id, nowMs);
  await shop.revocations.add({ id: target.id, revokedMs: nowMs });
  return { kind: 'done' };
}
