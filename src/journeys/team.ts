import { id } from '@sluice/kernel/id';
import type { CatalogContext } from '../catalog/catalog-context.ts';
import * as Bearer from '../identity/bearer.ts';
import * as Claim from '../identity/claim.ts';
import type { IdentityContext, RegistrationContext } from '../identity/identity-context.ts';
import type { Issued } from '../identity/jwt.ts';
import * as Registration from '../identity/registration.ts';
import * as Invitation from '../identity/team/invitation.ts';
import { invitationMail } from '../identity/team/invitation-mail.ts';
import type { Role } from '../identity/team/role.ts';
import type { ChangeResult, Holder, Membership, Removal, SignedInSession } from '../identity/team/team.ts';
import type { TextsContext } from '../text/texts-context.ts';
import * as Registering from './registration.ts';

const dayMs = 86_400_000;
/** The path of an invitation. Its token is in the query string, which is never logged. */
export const invitationPath = '/shop/invitation';

/** The dependencies of changing who is in an account. */
export type TeamContext = Pick<CatalogContext, 'catalog' | 'publicUrl'> &
  Pick<IdentityContext, 'clock' | 'revocations' | 'team' | 'tokenVerifier'> &
  Pick<RegistrationContext, 'claiming' | 'teamLimits'> &
  TextsContext;

/** A person in a session of an account. */
export type Person = { account: string; member: { id: string } };

export type Invited = Invitation.InviteResult | { kind: 'no_mail' };

/**
 * Invites an address to the account, or sends its open invitation again with another link. The result does not depend on whether the address is known.
 * @param address the network address of the person who invites, which limits the number of mails
 */
export async function invite(
  shop: TeamContext,
  { account, member }: Person,
  { email, role }: { email: string; role: Role },
  address: string,
): Promise<Invited> {
  const { claiming, publicUrl, teamLimits, texts } = shop;
  if (claiming === null) return { kind: 'no_mail' };
  const token = Invitation.newToken();
  const digest = Invitation.digest(token);
  const mailbox = Claim.mailboxDigest(claiming.secret, email);
  const expiresMs = shop.clock() + teamLimits.invitationDays * dayMs;
  const invited = await shop.team.invite({
    ...{ id: id('inv', account), account, by: member.id, email, role, digest, expiresMs },
    membersMax: teamLimits.membersMax,
    rules: [
      ...Invitation.accountRules(account, mailbox, teamLimits),
      ...Registration.dailyRules(address, Invitation.dailyMax.blocks),
    ],
    quietRule: Invitation.mailboxRule(mailbox),
  });
  if (invited.kind !== 'invited' || !invited.isMailed) return invited;
  const memberships = await membershipsOf(shop, member);
  const owner = memberships.find((one) => one.account === account)?.owner ?? invited.inviter;
  const letter = invitationMail(texts, {
    ...{ to: email, role, owner, publicUrl, inviter: invited.inviter },
    name: shop.catalog.storefront.name,
    link: `${publicUrl}${invitationPath}?token=${token}`,
    days: teamLimits.invitationDays,
  });
  await claiming.mail.enqueue(letter, `invitation:${invited.id}:${digest}`, expiresMs);
  return invited;
}

/** Sends an open invitation of the account again. The earlier link stops working. */
export async function resend(
  shop: TeamContext,
  person: Person,
  invitation: string,
  address: string,
): Promise<Invited | { kind: 'unknown' }> {
  const found = (await shop.team.invitations(person.account)).find(
    (one) => one.id === invitation && one.state === 'open',
  );
  return found === undefined ? { kind: 'unknown' } : invite(shop, person, found, address);
}

type ChangeContext = Pick<IdentityContext, 'clock' | 'revocations' | 'team' | 'tokenVerifier'>;

/** Changes a role. When this resolves, no process accepts a token with the old one. */
export async function setRole(
  shop: ChangeContext,
  { account, member }: Person,
  id: string,
  role: Role,
): Promise<ChangeResult> {
  return spread(shop, await shop.team.setRole(account, id, role, member.id));
}

/** Makes another person an owner, and the owner who asks an admin. */
export async function transfer(
  shop: ChangeContext,
  { account, member }: Person,
  id: string,
): Promise<ChangeResult> {
  return spread(shop, await shop.team.transfer(account, id, member.id));
}

/** Removes a person, or lets them leave. When this resolves, no process accepts their tokens, nor what `how` ends. */
export async function remove(
  shop: ChangeContext,
  { account, member }: Person,
  id: string,
  how: Removal,
): Promise<ChangeResult> {
  return spread(shop, await shop.team.remove(account, id, how, member.id));
}

/** Ends the sessions, applications and wallets that belong to no person. */
export async function endAccountTokens(
  shop: ChangeContext,
  { account, member }: Person,
): Promise<ChangeResult> {
  return spread(shop, await shop.team.endAccountTokens(account, member.id));
}

/** Waits until every process refuses what a change revoked. The change itself has stored it. */
async function spread(shop: ChangeContext, changed: ChangeResult): Promise<ChangeResult> {
  if (changed.kind !== 'done') return changed;
  const revokedMs = shop.clock();
  for (const id of changed.revoked) Bearer.revoke(shop.tokenVerifier, id, revokedMs);
  await Promise.all(changed.revoked.map((id) => shop.revocations.add({ id, revokedMs, account: null })));
  return changed;
}

/** Returns the address of the person of a session; null when they are no longer in the account. */
export async function emailOf(
  { team }: Pick<IdentityContext, 'team'>,
  member: { id: string } | null,
): Promise<string | null> {
  return member === null ? null : ((await team.find(member.id))?.email ?? null);
}

/** Returns the accounts of the person of a session. */
export async function membershipsOf(
  { team }: Pick<IdentityContext, 'team'>,
  member: { id: string } | null,
): Promise<Membership[]> {
  const email = await emailOf({ team }, member);
  return email === null ? [] : team.of(email);
}

/** The session of a browser. */
type Session = { member: { id: string } | null; sid: string };

/** Moves the session of a person to another of their accounts. Returns its assertion there; null when they are not in that account. */
export async function switchTo(
  shop: SessionContext,
  session: Session,
  account: string,
  device: string | null,
): Promise<string | null> {
  const found = (await membershipsOf(shop, session.member)).find((one) => one.account === account);
  if (found === undefined) return null;
  const holder = await shop.team.holder({ account, member: found.member, epoch: null });
  if (holder === null) return null;
  return (await startSession(shop, holder, device, session.sid)).assertion.token;
}

type SessionContext = Pick<IdentityContext, 'clock' | 'team' | 'tokenVerifier'>;

/**
 * Starts a session of a person in the browser `device`, and adds it to the list of their sessions.
 * @param sid the session of that person which the browser has, in another account: it continues, so that one sign-out ends it everywhere
 */
export async function startSession(
  shop: SessionContext,
  holder: Holder,
  device: string | null,
  sid?: string,
): Promise<{ access: Issued; assertion: Issued }> {
  const { account, member } = holder;
  const started = await Registering.session(shop, holder, sid);
  if (member === null) return started;
  const session = started.assertion.claims.sid;
  await shop.team.keepSession({ id: session, member: member.id, device });
  await shop.team.record(account, member.id, 'signed_in', member.id, { device, session });
  return started;
}

/** Returns the browsers that are signed in as the person of a session, each once, whichever account it shows: the newest first. */
export async function sessionsOf(
  { team }: Pick<IdentityContext, 'team'>,
  member: { id: string } | null,
): Promise<SignedInSession[]> {
  const email = await emailOf({ team }, member);
  return email === null ? [] : team.sessions(email);
}

/** Ends a session of the person. Returns false for one that is not theirs. When this resolves, no process accepts its tokens. */
export async function endSession(
  shop: ChangeContext,
  member: { id: string } | null,
  session: string,
): Promise<boolean> {
  if (!(await sessionsOf(shop, member)).some(({ id }) => id === session)) return false;
  await spread(shop, { kind: 'done', revoked: [session] });
  return true;
}

/** Ends all sessions of the person but this one. When this resolves, no process accepts their tokens. */
export async function endOtherSessions(shop: ChangeContext, { member, sid }: Session): Promise<void> {
  const others = (await sessionsOf(shop, member)).filter(({ id }) => id !== sid);
  await spread(shop, { kind: 'done', revoked: others.map(({ id }) => id) });
}

/**
 * Ends the session of a person that a browser had before it signed in again, because the browser no longer has its tokens. A session that belongs to
 * no person continues: its tokens may be the only access to an account.
 */
export async function endReplaced(shop: ChangeContext, before: Session | null, sid: string): Promise<void> {
  if (before === null || before.member === null || before.sid === sid) return;
  await spread(shop, { kind: 'done', revoked: [before.sid] });
}

export type Joined =
  | { kind: 'accepted'; assertion: string }
  | Exclude<Invitation.AcceptResult, { kind: 'accepted' }>;

/** Declines an invitation for the person of a session, whose proved address must be that of the invitation: its link may have been passed on. */
export async function decline(
  { team }: Pick<IdentityContext, 'team'>,
  member: { id: string } | null,
  token: string,
): Promise<Invitation.DeclineResult> {
  const email = await emailOf({ team }, member);
  return email === null ? 'other_address' : team.decline(Invitation.digest(token), email);
}

/** Returns the account that the person of a session has joined by an invitation, and is still in; null for anyone else, because its link may have been passed on. */
export async function joinedBy(
  { team }: Pick<IdentityContext, 'team'>,
  member: { id: string } | null,
  token: string,
): Promise<Membership | null> {
  const email = await emailOf({ team }, member);
  const account = email === null ? null : await team.joined(Invitation.digest(token), email);
  if (email === null || account === null) return null;
  return (await team.of(email)).find((one) => one.account === account) ?? null;
}

/** Accepts an invitation for the person of a session, whose proved address must be that of the invitation. No money moves. */
export async function accept(
  shop: Pick<IdentityContext, 'clock' | 'team' | 'tokenVerifier'> & Pick<RegistrationContext, 'teamLimits'>,
  session: Session | null,
  token: string,
  device: string | null,
): Promise<Joined> {
  const email = await emailOf(shop, session?.member ?? null);
  if (email === null) return { kind: 'other_address' };
  const joined = await shop.team.accept(Invitation.digest(token), email, shop.teamLimits.membersMax);
  if (joined.kind !== 'accepted') return joined;
  return {
    kind: joined.kind,
    assertion: (await startSession(shop, joined, device, session?.sid)).assertion.token,
  };
}
