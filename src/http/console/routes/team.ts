import { sha256Hex } from '@sluice/kernel/digest';
import type { MailContext } from '../../../identity/identity-context.ts';
import * as Operators from '../../../identity/operators/operator.ts';
import * as Passkey from '../../../identity/operators/passkey.ts';
import { can, parseRole } from '../../../identity/operators/role.ts';
import * as InviteOperator from '../../../journeys/invite-operator.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import { mePath } from '../pages/frame.ts';
import * as MePage from '../pages/me.ts';
import * as Page from '../pages/team.ts';
import type { ConsoleResponse } from '../response.ts';
import type { ConsoleSessionContext, Person } from '../sessions.ts';
import { browserOf, passkeyContext, redirect } from '../sign-in.ts';

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
    return { title: 'Team', status: result?.isBad ? 422 : 200, main: Page.team(facts) };
  };
  console.addSection('Team', path, (_, person) => page(person, null));

  console.addAction(path, async (_, form, person) => {
    const [act, id] = [form.get('act') ?? '', form.get('id') ?? ''];
    if (act === 'invite') return invite(shop, form, person, page);
    if (act === 'role') {
      const role = parseRole(form.get('role') ?? '');
      if (role === null) return page(person, { text: 'Choose a role.', isBad: true });
      return page(person, inWords(await shop.operators.changeRole(id, role, person.who), 'Role changed.'));
    }
    if (act === 'remove') {
      const done = 'Removed. Their passkeys and sessions have ended.';
      const removed = inWords(await shop.operators.remove(id, person.who), done);
      return id === person.operator?.id && !removed?.isBad ? redirect('/admin') : page(person, removed);
    }
    return page(person, { text: 'Unknown action. Reload the page and try again.', isBad: true });
  });
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
  const whose = isNew
    ? `${operator.email} is invited as ${operator.role}.`
    : `${operator.email} is already a member and gets a new link to add a passkey. ${read.invitation.role === operator.role ? `The role stays ${operator.role}.` : `The role stays ${operator.role}, not ${read.invitation.role}: change it in the list below.`}`;
  const days = Operators.invitationDays;
  const how =
    shop.mail === null
      ? `Send them this link. It works once, for ${days} days.`
      : `The link was mailed to them. It works once, for ${days} days.`;
  return page(person, { text: `${whose} ${how}`, isBad: false }, { link: shop.mail === null ? link : null });
}

function inWords(outcome: Operators.ChangeResult, done: string): FormResult {
  switch (outcome) {
    case 'done':
      return { text: done, isBad: false };
    case 'unknown':
      return { text: 'This person or passkey no longer exists.', isBad: true };
    case 'last_owner':
      return {
        text: 'Nothing was changed: this is the last person who can sign in as an owner. Make another person an owner first, and let them add a passkey.',
        isBad: true,
      };
  }
}

/** The person's own passkeys and sessions. */
export function addOwnPage(console: Console, shop: TeamContext): void {
  const page = async (c: Call, person: Person, result: FormResult): Promise<ConsoleResponse> => {
    const { operator } = person;
    if (operator === null) return redirect(path);
    const { browser, cookies } = browserOf(shop, c);
    const options = Passkey.arePossible(shop.publicUrl)
      ? await Passkey.registrationOptions(passkeyContext(shop), operator, {
          shopName: shop.catalog.storefront.name,
          purpose: purposeOf(person),
          browser,
        })
      : null;
    const [passkeys, sessions] = await Promise.all([
      shop.operators.passkeys(operator.id),
      shop.operators.sessions(operator.id),
    ]);
    const main = MePage.me({ operator, passkeys, sessions, current: person.session, options, result });
    const status = result?.isBad ? 422 : 200;
    return { title: operator.name, status, main, hasScript: options !== null, cookies };
  };
  console.addPage(mePath, (c, person) => page(c, person, null));

  console.addAction(mePath, async (c, form, person) => {
    const { operator, who } = person;
    if (operator === null) return redirect(path);
    const id = form.get('id') ?? '';
    switch (form.get('act')) {
      case 'passkey_add': {
        const said = {
          credential: form.get('credential') ?? '',
          name: form.get('name') ?? '',
          purpose: purposeOf(person),
          browser: browserOf(shop, c).browser,
          invitation: null,
        };
        const added = await Passkey.register(passkeyContext(shop), operator, said, who);
        return page(c, person, added === 'registered' ? addedResult : refusedResult);
      }
      case 'passkey_remove': {
        const removed = await shop.operators.removePasskey(operator.id, id, who);
        // A passkey that may be in other hands must not keep sessions alive.
        if (removed === 'done') await shop.operators.endSessions(operator.id, person.session);
        return page(c, person, inWords(removed, 'Passkey removed. Your other sessions have ended.'));
      }
      case 'session_end':
        await shop.operators.endSession(id, operator.id);
        return page(c, person, { text: 'That session has ended.', isBad: false });
      case 'sessions_end': {
        const ended = await shop.operators.endSessions(operator.id, person.session);
        return page(c, person, { text: `${ended} other sessions have ended.`, isBad: false });
      }
      default:
        return page(c, person, { text: 'Unknown action. Reload the page and try again.', isBad: true });
    }
  });
}

const addedResult = { text: 'Passkey added.', isBad: false };
const refusedResult = {
  text: 'The passkey could not be registered: the request was invalid or has expired, or you have 20 passkeys. Try again.',
  isBad: true,
};

/** Binds the challenge of a new passkey to the session. */
function purposeOf({ session }: Person): string {
  return `session ${sha256Hex(session ?? '')}`;
}
