import { html, raw } from 'hono/html';
import type { ListedOperator } from '../../../identity/operators/operator.ts';
import { type Role, roles } from '../../../identity/operators/role.ts';
import { capitalized } from '../../../text/capitalized.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { field } from './fields.ts';
import { day, many, moment, sign, table } from './figures.ts';
import { emailText } from './orders.ts';

export type TeamFacts = {
  people: readonly ListedOperator[];
  canChange: boolean;
  /** The id of the person at the browser; null with the admin token. */
  me: string | null;
  sendsMail: boolean;
  nowMs: number;
  result: FormResult;
  /** An invitation link to pass on. It is shown once. */
  link: string | null;
  /** A refused invitation: its fields, and the faults by field. */
  draft: { email: string; name: string; role: string; faults: Readonly<Record<string, string>> } | null;
};

const abilities: Readonly<Record<Role, string>> = {
  owner: 'Everything, including prices, plans and this page.',
  finance: 'Refunds, promotion codes, exports and checking the books.',
  support: 'Granting credit, freezing accounts, declining refund requests and delivering events again.',
  viewer: 'Reads every page, and changes nothing.',
};

const path = '/admin/console/team';

/** The persons with access to the console, and the form that invites one. */
export function team(facts: TeamFacts): Html {
  const { people, canChange, result, link } = facts;
  return html`<h1>Team</h1>
${resultLine(result)}
${link === null ? '' : html`<section><h2>Invitation link</h2><p class="soft">Send it to the person. It is shown once, works once, for seven days, and signs in the first person who uses it.</p><pre class="secret" tabindex="0" aria-label="Invitation link">${link}</pre></section>`}
<section aria-labelledby="people"><h2 id="people">People</h2>
${
  people.length === 0
    ? html`<p>Only the admin token has access yet. Invite yourself as the first owner, open the link and create a passkey.</p>`
    : table(
        'People',
        ['Person', { lead: 'Role' }, { bare: 'Signs in with' }, 'Last seen', ...(canChange ? [''] : [])],
        people.map((one) => row(one, facts)),
        'stack',
        'people',
      )
}</section>
<div class="columns">${canChange ? inviteForm(facts) : ''}
<section aria-labelledby="roles"><h2 id="roles">Roles</h2>
<dl class="list">${roles.map((role) => html`<dt>${nameOf(role)}</dt><dd>${abilities[role]}</dd>`)}</dl></section></div>`;
}

function row(one: ListedOperator, { canChange, me }: TeamFacts): Html {
  const { id, email, name, role, passkeys, hasOidc, seenMs, invitedUntilMs } = one;
  const ways = [passkeys === 0 ? null : many(passkeys, 'passkey'), hasOidc ? 'single sign-on' : null].filter(
    (way) => way !== null,
  );
  const open =
    invitedUntilMs === null
      ? ''
      : html`${sign('invited', 'warn')} <small>link works until ${day(invitedUntilMs)}</small>`;
  return html`<tr><th scope="row">${name}${id === me ? ' (you)' : ''}${name === email ? '' : html`<br><span class="soft">${emailText(email)}</span>`}</th>
<td>${nameOf(role)}</td><td>${ways.length === 0 && invitedUntilMs === null ? html`${sign('cannot sign in', true)} <small>${seenMs === null ? 'the invitation has expired' : 'no passkey: send a new invitation link'}</small>` : ways.join(', ')} ${open}</td>
<td>${seenMs === null ? 'not yet' : moment(seenMs)}</td>${canChange ? html`<td>${changeForms(one)}</td>` : ''}</tr>`;
}

/** The access of a person that a removal ends; as effects of it, or once it is done. */
export function endedAccess(
  { passkeys, hasOidc, seenMs, invitedUntilMs }: ListedOperator,
  isDone: boolean,
): string {
  const canSignIn = passkeys > 0 || hasOidc || seenMs !== null;
  const sessions = isDone
    ? 'Their passkeys and sessions have ended.'
    : 'Their passkeys and sessions end at once.';
  const link = isDone ? 'Their invitation link no longer works.' : 'Their invitation link stops working.';
  return [canSignIn ? sessions : '', invitedUntilMs === null ? '' : link].filter(Boolean).join(' ');
}

function changeForms(person: ListedOperator): Html {
  const { id, email, name, role } = person;
  return html`<details><summary>Change<span class="hidden"> ${name}</span></summary><form class="row" method="post" action="${path}"><input type="hidden" name="act" value="role"><input type="hidden" name="id" value="${id}">
<div><label for="role-${id}">Role of ${name}</label><select id="role-${id}" name="role">${options(role)}</select></div><button class="plain">Change role</button></form>
<form method="post" action="${path}"><input type="hidden" name="act" value="invite"><input type="hidden" name="email" value="${email}"><input type="hidden" name="role" value="${role}"><button class="quiet">New invitation link</button></form>
<details class="confirm"><summary>Remove ${name}</summary><p class="soft">${endedAccess(person, false)} What they did stays in the audit log.</p><form method="post" action="${path}"><input type="hidden" name="act" value="remove"><input type="hidden" name="id" value="${id}"><button class="danger small">Remove ${name}</button></form></details></details>`;
}

/** The name of a role: `Owner`. */
function nameOf(role: Role): string {
  return capitalized(role);
}

function options(selected: string): Html[] {
  return roles.map(
    (role) =>
      html`<option value="${role}"${role === selected ? raw(' selected') : ''}>${nameOf(role)}</option>`,
  );
}

function inviteForm({ people, sendsMail, draft }: TeamFacts): Html {
  const proposed = people.some(({ role }) => role === 'owner') ? 'viewer' : 'owner';
  return html`<section aria-labelledby="invite"><h2 id="invite">Invite a person</h2>
<p class="soft">${sendsMail ? 'They get a link by mail.' : 'You get a link to pass on, because the shop has no mail server.'} It works once, for seven days.</p>
<form method="post" action="${path}"><input type="hidden" name="act" value="invite">
${field({ name: 'email', label: 'Email address', type: 'email', value: draft?.email ?? '', fault: draft?.faults.email, isRequired: true })}
${field({ name: 'name', label: 'Name', value: draft?.name ?? '', fault: draft?.faults.name })}
<label for="invite-role">Role</label><select id="invite-role" name="role">${options(draft?.role ?? proposed)}</select>
<button>Invite</button></form></section>`;
}
