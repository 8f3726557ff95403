import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import { trialOf } from '../catalog/plan.ts';
import * as Claim from '../identity/claim.ts';
import { claimMail } from '../identity/claim-mail.ts';
import * as ClaimToken from '../identity/claim-token.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Claims as TokenClaims } from '../identity/jwt.ts';
import * as Registration from '../identity/registration.ts';
import type { Holder } from '../identity/team/team.ts';
import type { TrialState } from '../identity/trial-proof.ts';
import type { TextsContext } from '../text/texts-context.ts';
import { trialOffer } from './registration.ts';

const noTrial = { plan: '', units: 0, asset: 'unit', oncePer: [], address: null } as const;

/** The dependencies of claiming an account by email. */
export type ClaimContext = Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'clock' | 'publicUrl' | 'revocations' | 'tokenVerifier'> &
  Pick<RegistrationContext, 'workSecret'> &
  TextsContext;

export type ClaimStart =
  /** A code is on its way, if the address can receive mail. The result does not reveal whether the address is known. */
  | { kind: 'opened'; sid: string; expiresMs: number }
  | { kind: 'bad_token' }
  | { kind: 'claimed' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** Sends a person the code that lets them claim an agent's account. */
export async function startClaim(
  shop: ClaimContext,
  { claims, mail, secret }: Claim.ClaimService,
  { claimToken, email }: Claim.ClaimOpening,
  address: string,
): Promise<ClaimStart> {
  const token = await read(shop, claimToken);
  if (token === null) return { kind: 'bad_token' };
  const { account, sid } = token;
  const code = Claim.newCode();
  const expiresMs = shop.clock() + Claim.codeLifeMs;
  const claim = {
    id: id('clm'),
    account,
    email,
    mailbox: Claim.mailboxDigest(secret, email),
    rules: Registration.dailyRules(address, Claim.dailyMax.blocks),
    codeDigest: Claim.digest(secret, account, code),
    expiresMs,
  };
  const standing = await claims.start(claim);
  if (standing.kind !== 'begun') return standing;
  const { name } = shop.catalog.storefront;
  const { publicUrl } = shop;
  const letter = claimMail(shop.texts, { to: email, code, name, publicUrl, known: standing.known });
  await mail.enqueue(letter, `claim:${claim.id}`, expiresMs);
  return { kind: 'opened', sid, expiresMs };
}

export type ClaimCompletion =
  | { kind: 'claimed'; sid: string; account: string; joined: boolean; trial: TrialState; holder: Holder }
  | Exclude<Claim.ClaimOutcome, { kind: 'claimed' }>
  | { kind: 'bad_token' };

/**
 * Completes a claim with the mailed code: the account now belongs to the person, or is joined with the account that they already had. Every
 * process knows when this resolves.
 */
export async function complete(
  shop: ClaimContext,
  { claims, secret }: Claim.ClaimService,
  { claimToken, code }: Claim.ClaimCompletion,
  address: string,
): Promise<ClaimCompletion> {
  const token = await read(shop, claimToken);
  if (token === null) return { kind: 'bad_token' };
  const { account, sid } = token;
  const trial = trialOffer(shop, address) ?? noTrial;
  const more = trialOf(shop.catalog.plans)?.includedWhenClaimed.amount ?? 0;
  const outcome = await shop.revocations.announcing(
    account,
    () => claims.complete(account, Claim.digest(secret, account, code), trial, more),
    (done) => done.kind === 'claimed' && done.joined,
  );
  return outcome.kind === 'claimed' ? { ...outcome, sid } : outcome;
}

async function read(
  shop: Pick<IdentityContext, 'clock' | 'revocations' | 'tokenVerifier'>,
  claimToken: string,
): Promise<TokenClaims | null> {
  const found = await ClaimToken.verify(shop.tokenVerifier.ring, claimToken, shop.clock());
  if (found.kind !== 'ok') return null;
  const { jti, sid } = found.claims;
  return (await shop.revocations.has([jti, sid])) ? null : found.claims;
}
