import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import * as Claim from '../identity/claim.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import * as KnownBrowser from '../identity/known-browser.ts';
import * as Registration from '../identity/registration.ts';
import * as SignIn from '../identity/sign-in.ts';
import { type Invited, signInMail } from '../identity/sign-in-mail.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as Registering from './registration.ts';

/** The path of a sign-in link. Its token is in the query string, which is never logged. */
export const path = '/shop/account/link';

export type SignInLinkResult =
  /** A mail is queued, if the address can receive mail. */
  { kind: 'sent' } | { kind: 'limited'; retryAfterSeconds: number };

/** A person's request for a link. */
type LinkRequest = {
  email: string;
  browser: string;
  known: string | null;
  invitation?: (Invited & { id: string }) | null;
};

/**
 * Sends a person a sign-in link. An address without an account gets a mail that says so, so that the response has the same content and
 * duration in both cases and does not reveal accounts.
 * @param browser a secret of the requesting browser
 * @param known its cookie with the mailboxes whose links it has opened
 * @param invitation the invitation that opening the link accepts
 */
export async function sendSignInLink(
  shop: Pick<CatalogContext, 'catalog' | 'publicUrl'> & Pick<IdentityContext, 'clock'> & TextsContext,
  { signIns, mail, secret }: Claim.ClaimService,
  { email, browser, known, invitation = null }: LinkRequest,
  address: string,
): Promise<SignInLinkResult> {
  const token = SignIn.newToken();
  const mailbox = Claim.mailboxDigest(secret, email);
  const knownId = KnownBrowser.knownTo(secret, mailbox, known);
  const link = {
    id: id('sin'),
    email,
    mailbox,
    rules: Registration.dailyRules(address, SignIn.dailyMax.blocks),
    tokenDigest: SignIn.digest(token),
    browserDigest: SignIn.digest(browser),
    knownDigest: knownId && SignIn.digest(knownId),
    expiresMs: shop.clock() + SignIn.linkLifeMs,
    lateExpiresMs: shop.clock() + SignIn.lateLinkLifeMs,
    invitation: invitation?.id ?? null,
  };
  const standing = await signIns.start(link);
  if (standing.kind === 'limited') return standing;
  const key = `sign-in:${link.id}`;
  if (standing.kind === 'skipped') {
    await mail.pretend(key);
    return { kind: 'sent' };
  }
  const { publicUrl } = shop;
  const letter = signInMail(shop.texts, {
    to: email,
    name: shop.catalog.storefront.name,
    publicUrl,
    invitation,
    link: standing.known ? `${publicUrl}${path}?token=${token}` : null,
    lifeMs: standing.expiresMs === link.expiresMs ? SignIn.linkLifeMs : SignIn.lateLinkLifeMs,
  });
  await mail.enqueue(letter, key, standing.expiresMs);
  return { kind: 'sent' };
}

/** Returns the state of a link in a browser. */
export function inspectLink(
  { signIns }: Claim.ClaimService,
  token: string,
  browser: string | null,
): Promise<SignIn.LinkState> {
  return signIns.look(SignIn.digest(token), browser && SignIn.digest(browser));
}

/** Returns true for a link that accepts an invitation. */
export async function joins(claiming: Claim.ClaimService, token: string): Promise<boolean> {
  const state = await inspectLink(claiming, token, null);
  return state.kind !== 'gone' && state.joins;
}

export type SignInResult =
  /** `known`: the new cookie of the browser, with the mailbox. */
  | { kind: 'entered'; account: string; session: string; assertion: string; known: string }
  | { kind: 'elsewhere' | 'gone' | 'full' };

/** `device`: the name of the browser and its system, for the list of sign-ins. */
type OpenedLink = {
  token: string;
  browser: string | null;
  email: string | null;
  known: string | null;
  device: string | null;
};

/** Redeems a link, and opens a session of its person: in the account of the invitation, in their own account, or in the one that they used last. */
export async function enter(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'> & Pick<RegistrationContext, 'teamLimits'>,
  { signIns, secret }: Claim.ClaimService,
  { token, browser, email, known, device }: OpenedLink,
): Promise<SignInResult> {
  const link = {
    tokenDigest: SignIn.digest(token),
    browserDigest: browser && SignIn.digest(browser),
    email,
    device,
  };
  const outcome = await signIns.end(link, shop.teamLimits.membersMax);
  if (outcome.kind !== 'signed_in') return outcome;
  const { assertion } = await Registering.session(shop, outcome.holder, outcome.session);
  const mailbox = Claim.mailboxDigest(secret, outcome.email);
  return {
    kind: 'entered',
    account: outcome.holder.account,
    session: outcome.session,
    assertion: assertion.token,
    known: KnownBrowser.withMailbox(secret, mailbox, known),
  };
}
