import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { type TrialPlan, trialOf } from '../catalog/plan.ts';
import * as AccessToken from '../identity/access-token.ts';
import * as Assertion from '../identity/assertion.ts';
import * as Bearer from '../identity/bearer.ts';
import * as ClaimToken from '../identity/claim-token.ts';
import type * as Form from '../identity/form.ts';
import * as Grant from '../identity/grant.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Issued, TokenSession } from '../identity/jwt.ts';
import type { SignedRequest } from '../identity/message-signature.ts';
import * as Grants from '../identity/oauth/grants.ts';
import * as ProofOfWork from '../identity/proof-of-work.ts';
import * as Registration from '../identity/registration.ts';
import * as Revocation from '../identity/revocation.ts';
import type { Holder } from '../identity/team/team.ts';
import { addressDigest, type TrialOffer, type TrialState } from '../identity/trial-proof.ts';
import * as WebBotAuth from '../identity/web-bot-auth.ts';
import * as OAuth from './oauth.ts';

/** The dependencies of opening an account. */
export type RegisterContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'accounts' | 'clock' | 'tokenVerifier'> &
  Pick<RegistrationContext, 'admissions' | 'claiming' | 'workSecret'>;

/** The dependencies of opening an account for an agent that may sign its requests. */
export type AgentRegisterContext = RegisterContext &
  Pick<RegistrationContext, 'agentDirectories' | 'trustedAgents'>;

/** The dependencies of renewing a session. */
type SessionContext = Pick<IdentityContext, 'clock' | 'revocations' | 'team' | 'tokenVerifier'>;

export type Registered = {
  kind: 'registered';
  account: string;
  access: Issued;
  assertion: Issued;
  /** Lets a person claim the account; null when the shop has no mail. */
  claim: Issued | null;
  /** The trial that the account was given; null when it has none. */
  trial: TrialPlan | null;
  trialState: TrialState;
};

/** Why a caller cannot register now. `bad_work`: the proof of work is invalid, too old or already used. */
export type RegistrationRefusal =
  | { kind: 'refused'; reason: 'address' | 'day'; retryAfterSeconds: number }
  | { kind: 'work_required' | 'bad_work'; challenge: ProofOfWork.Challenge };

/** Checks whether one more account can be registered from this address, and counts it if so. */
export async function admit(
  {
    admissions,
    workSecret,
    clock,
  }: Pick<RegistrationContext, 'admissions' | 'workSecret'> & Pick<IdentityContext, 'clock'>,
  address: string,
  work: ProofOfWork.Work | null,
): Promise<{ kind: 'allowed' } | RegistrationRefusal> {
  const nowMs = clock();
  const proof = work && ProofOfWork.verify(workSecret, work, nowMs);
  const admission = await admissions.admit(Registration.rules(address), proof);
  const challenge = (today: number) => ProofOfWork.issue(workSecret, Registration.workBits(today), nowMs);
  switch (admission.kind) {
    case 'allowed':
    case 'refused':
      return admission;
    case 'work_required':
      return {
        kind: work === null ? 'work_required' : 'bad_work',
        challenge: challenge(admission.today),
      };
    case 'work_used':
      return { kind: 'bad_work', challenge: challenge(Registration.daily.max) };
  }
}

/** Registers a new anonymous account with its trial and its tokens, within the limits of its address and of the day. */
export async function register(
  shop: RegisterContext,
  address: string,
  work: ProofOfWork.Work | null = null,
): Promise<Registered | RegistrationRefusal> {
  const admission = await admit(shop, address, work);
  return admission.kind === 'allowed' ? open(shop, address) : admission;
}

/** Registers like `register`; an agent that is recognised by its signature has its own limits, and needs no proof of work. */
export async function registerAgent(
  shop: AgentRegisterContext,
  address: string,
  work: ProofOfWork.Work | null,
  request: SignedRequest,
): Promise<{ agent: WebBotAuth.Recognition; outcome: Registered | RegistrationRefusal }> {
  const trust = {
    directories: shop.agentDirectories,
    trusted: shop.trustedAgents.map(({ origin }) => origin),
  };
  const agent = await WebBotAuth.recognise(trust, request, shop.clock());
  const trusted =
    agent.kind === 'recognised' && shop.trustedAgents.find(({ origin }) => origin === agent.agent);
  if (!trusted) return { agent, outcome: await register(shop, address, work) };
  const admission = await shop.admissions.admitAgent(Registration.agentRules(trusted), agent.use);
  if (admission.kind === 'allowed') return { agent, outcome: await open(shop, address) };
  // The limits of the address still apply, as if the agent had not signed.
  const reason = admission.kind === 'refused' ? 'limit' : 'used';
  return { agent: { kind: 'unrecognised', reason }, outcome: await register(shop, address, work) };
}

/** Opens a new account with its tokens, and with its trial where that needs no proof. */
async function open(shop: RegisterContext, address: string): Promise<Registered> {
  const nowMs = shop.clock();
  const account = id('acc');
  const offer = trialOffer(shop, address);
  const trialState = await shop.accounts.register(account, offer);
  const opened = await session(shop, newAccount(account));
  const claim =
    shop.claiming && (await ClaimToken.issue(shop.tokenVerifier.ring, opened.access.claims, nowMs));
  const trial = trialState === 'given' ? trialOf(shop.catalog.plans) : null;
  return { kind: 'registered', account, ...opened, claim, trial, trialState };
}

/** Returns the trial of the shop as a caller of this address would get it; null for a shop without one. */
export function trialOffer(
  { catalog, workSecret }: Pick<CatalogContext, 'catalog'> & Pick<RegistrationContext, 'workSecret'>,
  address: string | null,
): TrialOffer | null {
  const plan = trialOf(catalog.plans);
  return (
    plan && {
      plan: plan.id,
      units: plan.included.amount,
      asset: plan.included.asset,
      oncePer: plan.oncePer,
      address: address === null ? null : addressDigest(workSecret, address),
    }
  );
}

/** Gives the trial to accounts whose card has paid, where the catalogue gives it once for each card. Call it periodically. */
export async function giveCardTrials(
  shop: Pick<CatalogContext, 'catalog'> &
    Pick<IdentityContext, 'accounts'> &
    Pick<RegistrationContext, 'workSecret'>,
): Promise<void> {
  const trial = trialOffer(shop, null);
  if (trial?.oncePer.includes('card')) await shop.accounts.giveCardTrials(trial);
}

/** The holder of the sessions of a new account, which belongs to no person yet. */
export function newAccount(account: string): Holder {
  return { account, member: null, epoch: 0 };
}

/** Opens a new session of a person, or of an account that belongs to none, and issues its tokens. */
export async function session(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'>,
  { account, member, epoch }: Holder,
  sid = id('ses', account),
): Promise<{ access: Issued; assertion: Issued }> {
  const { ring } = shop.tokenVerifier;
  const opened = { account, member, epoch, sid };
  const nowMs = shop.clock();
  const [access, assertion] = await Promise.all([
    AccessToken.issue(ring, opened, nowMs),
    Assertion.issue(ring, opened, nowMs),
  ]);
  return { access, assertion };
}

export type Renewed = { kind: 'granted'; access: Issued } | Form.FormFault;
/** `assertion`: a new one of the same session, when an assertion was exchanged. */
export type Exchanged =
  | { kind: 'granted'; access: Issued; refreshToken?: string; assertion?: Issued }
  | Form.FormFault;

/** Exchanges the grant of a token request: an assertion (RFC 7523), an authorization code or a refresh token. */
export async function exchange(shop: OAuth.OAuthContext, form: string): Promise<Exchanged> {
  const request = Grant.parse(form, OAuth.resources(shop.publicUrl));
  switch (request.kind) {
    case 'fault':
      return request;
    case 'assertion':
      return exchangeAssertion(shop, request.assertion);
    case 'code':
      return OAuth.exchangeCode(shop, request);
    case 'refresh':
      return OAuth.refresh(shop, request);
  }
}

/**
 * Issues a new access token and a new assertion of the same session, so that an unclaimed account remains accessible as long as it is used.
 * Revoking any assertion of the session revokes all of them.
 */
async function exchangeAssertion(shop: SessionContext, given: string): Promise<Exchanged> {
  const renewed = await renew(shop, given);
  if (renewed.kind === 'fault') return renewed;
  return { ...renewed, assertion: await prolong(shop, renewed.access.claims) };
}

/** Issues a new assertion of a session, which then lasts as long as the first one from now on. */
export async function prolong(
  shop: Pick<IdentityContext, 'clock' | 'team' | 'tokenVerifier'>,
  session: TokenSession,
): Promise<Issued> {
  const { member, sid } = session;
  if (member !== null) await shop.team.keepSession({ id: sid, member: member.id, device: null });
  return Assertion.issue(shop.tokenVerifier.ring, session, shop.clock());
}

/** Issues a new access token for the session that an assertion names, with the current role of its person. */
export async function renew(shop: SessionContext, assertion: string): Promise<Renewed> {
  const nowMs = shop.clock();
  const found = await Assertion.verify(shop.tokenVerifier.ring, assertion, nowMs);
  if (found.kind !== 'ok') return Grant.refusal(found);
  // The list in memory covers only the lifetime of an access token. An assertion lives longer, so the database is asked.
  if (await shop.revocations.has([found.claims.sid, found.claims.jti])) {
    return Grant.refusal({ kind: 'revoked' });
  }
  const { account, sid, member, epoch } = found.claims;
  const holder = await shop.team.holder({ account, member: member?.id ?? null, epoch });
  if (holder === null) return Grant.refusal({ kind: 'revoked' });
  const access = await AccessToken.issue(shop.tokenVerifier.ring, { ...holder, sid }, nowMs);
  return { kind: 'granted', access };
}

/** Revokes a token, or with an assertion its whole session (RFC 7009): here at once, in other processes when they receive the revocation. */
export async function revoke(
  shop: OAuth.OAuthContext,
  form: string,
): Promise<{ kind: 'done' } | Form.FormFault> {
  const request = Revocation.parse(form);
  if (request.kind === 'fault') return request;
  if (Grants.isRefreshToken(request.token)) {
    await OAuth.revokeRefreshToken(shop, request.token);
    return { kind: 'done' };
  }
  const nowMs = shop.clock();
  const target = await Revocation.target(shop.tokenVerifier.ring, request.token, nowMs);
  if (target.kind === 'nothing') return { kind: 'done' };
  Bearer.revoke(shop.tokenVerifier, target.id, nowMs);
  await shop.revocations.add({ id: target.id, revokedMs: nowMs, account: target.account });
  return { kind: 'done' };
}
