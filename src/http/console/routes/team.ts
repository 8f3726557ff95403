import type { MailContext } from '../../../identity/identity-context.ts';
import * as Operators from '../../../identity/operators/operator.ts';
import { can, parseRole } from '../../../identity/operators/role.ts';
import * as InviteOperator from '../../../journeys/invite-operator.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as Page from '../pages/team.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { ConsoleSessionContext, Person } from '../sessions.ts';
import { redirect } from '../sign-in.ts';

const path = '/admin/console/team';

export type TeamContext = ConsoleSessionContext & Pick<MailContext, 'mail'>;

/** The persons with access to the console: invitations, roles, removal. */
export function addTeamSection(console: Console, shop: TeamContext): void {
  const page = async (
    person: Person,
    result: FormResult,
    more: Partial<Pick<Page.TeamFacts, 'link' | 'draft'>> = {},
  ): Promise<ConsoleResponse> => {
    const facts = {
      people: await shop.operators.list(),
      canChange: can(person.role, 'operators'),
      me: person.operator?.id ?? null,
      sendsMail: shop.mail !== null,
      nowMs: shop.clock(),
      result,
      link: null,
      draft: null,
      ...more,
    };
    return {
      title: 'Team',
      status: result?.isBad ? 422 : 200,
      main: Page.team(facts),
      canCopy: facts.link !== null,
    };
  };
  console.addSection('Team', path, (_, person, flash) =>
    page(person, flash, { link: flash?.secret ?? null }),
  );

  console.addAction(path, async (_, form, person) => {
    const [act, id] = [form.get('act') ?? '', form.get('id') ?? ''];
    if (act === 'invite') return invite(shop, form, person, page);
    if (act === 'role') return changeRole(shop, id, form.get('role') ?? '', person, page);
    if (act === 'remove') return remove(shop, id, person, page);
    return page(person, { text: 'Unknown action. Reload the page and try again.', isBad: true });
  });
}

type Show = (person: Person, result: FormResult) => Promise<ConsoleResponse>;

async function changeRole(
  { operators }: TeamContext,
  id: string,
  said: string,
  person: Person,
  page: Show,
): Promise<ConsoleResponse> {
  const role = parseRole(said);
  if (role === null) return page(person, { text: 'Choose a role.', isBad: true });
  const before = await operators.find(id);
  const changed = await operators.changeRole(id, role, person.who);
  const text = `${before?.name} ${before?.role === role ? 'already has' : 'now has'} the role ${role}.`;
  return changed === 'done' ? done(path, text) : page(person, faultOf(changed));
}

async function remove(
  { operators }: TeamContext,
  id: string,
  person: Person,
  page: Show,
): Promise<ConsoleResponse> {
  const before = (await operators.list()).find((one) => one.id === id);
  const removed = await operators.remove(id, person.who);
  if (removed !== 'done') return page(person, faultOf(removed));
  if (id === person.operator?.id) return redirect('/admin');
  const ended = before === undefined ? '' : Page.endedAccess(before, true);
  return done(path, `${before?.name ?? 'The person'} was removed. ${ended}`.trim());
}

async function invite(
  shop: TeamContext,
  form: URLSearchParams,
  person: Person,
  page: (
    person: Person,
    result: FormResult,
    more?: Partial<Pick<Page.TeamFacts, 'link' | 'draft'>>,
  ) => Promise<ConsoleResponse>,
): Promise<ConsoleResponse> {
  const said = {
    email: form.get('email') ?? '',
    name: form.get('name') ?? '',
    role: form.get('role') ?? '',
  };
  const read = Operators.parseInvitation(said);
  if (read.kind === 'fault')
    return page(
      person,
      { text: 'Nothing was changed. Correct the marked fields.', isBad: true },
      { draft: { ...said, faults: read.faults } },
    );
  const { operator, isNew, link } = await InviteOperator.invite(shop, read.invitation, person.who);
  const { email, role } = operator;
  const roleNow =
    isNew || role === read.invitation.role
      ? `Role: ${role}.`
      : `The role stays ${role}, not ${read.invitation.role}: change it in the list below.`;
  const whose = isNew
    ? `${email} is invited.`
    : `${email} was invited before. The new link replaces an earlier one that was not used.`;
  const how =
    shop.mail === null ? '' : ` The link was mailed. It works once, for ${Operators.invitationDays} days.`;
  return done(path, `${whose} ${roleNow}${how}`, shop.mail === null ? link : undefined);
}

const gone: FormResult = { text: 'This person no longer has access.', isBad: true };
const lastOwner: FormResult = {
  text: 'Nothing was changed: this is the last person who can sign in as an owner. Make another person an owner first, and let them add a passkey.',
  isBad: true,
};
function faultOf(outcome: 'unknown' | 'last_owner'): FormResult {
  return outcome === 'last_owner' ? lastOwner : gone;
}
