import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import * as Email from '../../../identity/email.ts';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { can, parseRole } from '../../../identity/team/role.ts';
import type { ChangeResult } from '../../../identity/team/team.ts';
import * as AccountKeys from '../../../journeys/account-keys.ts';
import * as Team from '../../../journeys/team.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { address } from '../../request-context.ts';
import type { TeamFacts } from '../account/team.ts';
import { whenAgain } from '../when-again.ts';
import { bad, badField, good, type Result, type Submission } from './account-form.ts';

const eventsMax = 8;
/** Acts that the page does not show: the payment that follows has an entry of its own. */
const hiddenActs = ['purchase_started', 'card_page_opened'];

/** Reads the team section; its activity from the entry before `older`. */
export async function readTeam(
  shop: Pick<IdentityContext, 'clock' | 'keys' | 'team'> &
    Pick<CatalogContext, 'catalog'> &
    Pick<PaymentContext, 'subscriptions'>,
  account: string,
  me: TeamFacts['me'],
  older: string | undefined,
): Promise<Omit<TeamFacts, 'result' | 'session'>> {
  const { team, clock } = shop;
  const before = older !== undefined && /^\d{1,15}$/.test(older) ? Number(older) : null;
  const seesAll = can(me.role, 'team');
  const [members, invitations, events, keys, subscriptions] = await Promise.all([
    team.members(account),
    seesAll ? team.invitations(account) : [],
    seesAll ? team.events(account, before, eventsMax + 1, hiddenActs) : null,
    seesAll ? AccountKeys.list(shop, account, null) : [],
    seesAll ? shop.subscriptions.of(account) : [],
  ]);
  const shown = events?.slice(0, eventsMax) ?? null;
  const hasMore = events !== null && events.length > eventsMax;
  const last = hasMore ? (shown?.at(-1)?.id ?? null) : null;
  return {
    me,
    members,
    invitations,
    events: shown,
    older: last,
    names: new Map([
      ...keys.map(({ id, name }) => [id, name] as const),
      ...subscriptions.map(({ id, plan }) => [id, nameOf(shop.catalog, plan)] as const),
    ]),
    plans: new Map([...shop.catalog.plans, ...shop.catalog.retired].map(({ id, name }) => [id, name])),
    nowMs: clock(),
  };
}

/** The table of rights admits only persons to these forms. */
function personOf({ account, visitor }: Submission): Team.Person {
  return { account, member: visitor.member ?? { id: '' } };
}

export async function invite(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const { texts } = shop;
  const { c, form, clientAddressHeader } = submission;
  const email = Email.parse(form.get('email') ?? '');
  const role = parseRole(form.get('role'));
  if (email === null) return badField(texts.text('fault.email'), 'email');
  if (role === null) return bad(texts.text('result.invite_role'));
  const from = address(c, clientAddressHeader);
  return invitedResult(shop, email, await Team.invite(shop, personOf(submission), { email, role }, from));
}

export async function resend(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const { c, form, account, clientAddressHeader } = submission;
  const id = form.get('invitation') ?? '';
  const found = (await shop.team.invitations(account)).find((one) => one.id === id);
  const from = address(c, clientAddressHeader);
  return invitedResult(shop, found?.email ?? '', await Team.resend(shop, personOf(submission), id, from));
}

function invitedResult(
  shop: Pick<IdentityContext, 'clock'> & TextsContext,
  email: string,
  invited: Team.Invited | { kind: 'unknown' },
): Result {
  const { texts } = shop;
  switch (invited.kind) {
    case 'invited':
      return good(texts.text('result.invited', { email }));
    case 'no_mail':
      return bad(texts.text('result.no_mail'));
    case 'unknown':
      return bad(texts.text('result.team_unknown'));
    case 'forbidden':
      return bad(texts.text('result.team_forbidden'));
    case 'limited':
      return badField(shop.texts.text('result.invite_limited', whenAgain(shop, invited)), 'email');
    case 'member':
    case 'declined':
    case 'full':
      return badField(texts.text(`result.invite_${invited.kind}`), 'email');
  }
}

export async function withdraw(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const { account, member } = personOf(submission);
  const withdrawn = await shop.team.withdraw(account, submission.form.get('invitation') ?? '', member.id);
  return changed(shop, withdrawn, 'result.invitation_withdrawn');
}

export async function setRole(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const { form } = submission;
  const role = parseRole(form.get('role'));
  if (role === null) return bad(shop.texts.text('result.invite_role'));
  const id = form.get('member') ?? '';
  const done = can(role, 'call') ? 'result.role_changed' : 'result.role_paused';
  return changed(shop, await Team.setRole(shop, personOf(submission), id, role), done);
}

export async function remove(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const { form } = submission;
  const how = {
    revokesKeys: form.get('keys') === 'yes',
    endsAccountTokens: form.get('tokens') === 'yes',
  };
  const removed = await Team.remove(shop, personOf(submission), form.get('member') ?? '', how);
  return changed(shop, removed, 'result.person_removed');
}

export async function leave(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const person = personOf(submission);
  const how = { revokesKeys: submission.form.get('keys') === 'yes', endsAccountTokens: false };
  return changed(shop, await Team.remove(shop, person, person.member.id, how), 'result.left');
}

export async function transfer(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  const id = submission.form.get('member') ?? '';
  return changed(shop, await Team.transfer(shop, personOf(submission), id), 'result.transferred');
}

export async function endTokens(shop: Team.TeamContext, submission: Submission): Promise<Result> {
  return changed(shop, await Team.endAccountTokens(shop, personOf(submission)), 'result.tokens_ended');
}

/** Signs another browser of the person out. */
export async function endSession(shop: Team.TeamContext, { visitor, form }: Submission): Promise<Result> {
  return (await Team.endSession(shop, visitor.member, form.get('session') ?? ''))
    ? good(shop.texts.text('result.session_signed_out'))
    : bad(shop.texts.text('result.session_unknown'));
}

/** Signs all other browsers of the person out. */
export async function endOtherSessions(shop: Team.TeamContext, { visitor }: Submission): Promise<Result> {
  await Team.endOtherSessions(shop, visitor.access.claims);
  return good(shop.texts.text('result.sessions_signed_out'));
}

function changed(
  { texts }: TextsContext,
  { kind }: ChangeResult,
  done:
    | 'result.invitation_withdrawn'
    | 'result.role_changed'
    | 'result.role_paused'
    | 'result.person_removed'
    | 'result.left'
    | 'result.transferred'
    | 'result.tokens_ended',
): Result {
  switch (kind) {
    case 'done':
      return good(texts.text(done));
    case 'unknown':
      return bad(texts.text('result.team_unknown'));
    case 'last_owner':
      return bad(texts.text('result.last_owner'));
    case 'forbidden':
      return bad(texts.text('result.team_forbidden'));
  }
}
