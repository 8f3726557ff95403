import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { ListedInvitation } from '../../../identity/team/invitation.ts';
import { can, manageable, parseRole, type Role, roles } from '../../../identity/team/role.ts';
import type { AccountEvent, Member } from '../../../identity/team/team.ts';
import { cardName } from '../../../text/card-name.ts';
import { defaults } from '../../../text/defaults.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';
import { sections } from './frame.ts';
import { table } from './table.ts';

export type TeamFacts = {
  me: { id: string; role: Role };
  members: readonly Member[];
  invitations: readonly ListedInvitation[];
  /** The activity; null for a person who may not see it. */
  events: readonly AccountEvent[] | null;
  /** The last entry of the page of activity, when there are more. */
  older: number | null;
  /** The names of the account's keys, and of the plans of its subscriptions, by their ids. */
  names: ReadonlyMap<string, string>;
  /** The names of plans, by their ids. */
  plans: ReadonlyMap<string, string>;
  nowMs: number;
  /** The session of this browser. */
  session: string;
  result: FormResult | null;
};

/** The section for a browser that is signed in to the account, but not as a person. `hasEmail`: a person has the account. */
export function noPerson(texts: Texts, hasEmail: boolean): Html {
  return hasEmail
    ? html`<section><p>${say(texts, 'team.needs_sign_in')}</p><form method="post" action="/shop/leave"><button class="plain">${say(texts, 'team.sign_in')}</button></form></section>`
    : html`<section><p>${say(texts, 'team.needs_email')}</p><p><a class="button" href="/shop/account#claim">${say(texts, 'team.add_email')}</a></p></section>`;
}

/** The persons of an account, the invitations, and what was done in it. */
export function team(texts: Texts, facts: TeamFacts): Html {
  const { me, members, invitations, events } = facts;
  const isManager = can(me.role, 'team');
  return html`<section aria-labelledby="people"><h2 id="people">${say(texts, 'team.people')}</h2>${people(texts, facts)}</section>
${isManager ? inviteForm(texts, facts) : ''}
${isManager && invitations.length > 0 ? html`<section aria-labelledby="invitations"><h2 id="invitations">${say(texts, 'team.invitations')}</h2>${invited(texts, facts)}</section>` : ''}
${isManager ? '' : html`<section aria-labelledby="roles"><h2 id="roles">${say(texts, 'team.roles')}</h2>${rights(texts)}</section>`}
${events === null ? '' : activity(texts, events, facts)}
${can(me.role, 'owners') ? ownership(texts, members, me.id) : ''}
${
  mayLeave(facts)
    ? html`<section aria-labelledby="leave"><h2 id="leave">${say(texts, 'team.leave')}</h2><p class="soft">${say(texts, 'team.leave_intro')}</p>
<form method="post" action="/shop/account/team/leave"><button class="plain danger">${say(texts, 'team.leave')}</button></form></section>`
    : ''
}`;
}

/** The last owner cannot leave. */
function mayLeave({ me, members }: TeamFacts): boolean {
  return me.role !== 'owner' || members.some(({ id, role }) => id !== me.id && role === 'owner');
}

function people(texts: Texts, { me, members }: TeamFacts): Html {
  const given = manageable(me.role);
  const mayChange = ({ id, role }: Member) => id !== me.id && given.includes(role);
  return table(members, [
    {
      head: texts.text('team.person'),
      cell: ({ id, email }) => (id === me.id ? texts.text('team.you', { email }) : email),
    },
    {
      head: texts.text('team.role'),
      cell: (one) => (mayChange(one) ? roleForm(texts, one, given) : texts.text(`role.${one.role}`)),
      onPhone: 'bare',
    },
    { head: texts.text('team.joined'), cell: ({ joinedMs }) => texts.day(joinedMs), isShort: true },
    { head: texts.text('team.last_used'), cell: ({ usedMs }) => texts.day(usedMs), isShort: true },
    {
      head: '',
      cell: (one) =>
        mayChange(one)
          ? action('remove', 'member', one.id, {
              button: texts.text('team.remove'),
              label: texts.text('team.remove_label', { email: one.email }),
              isDanger: true,
            })
          : '',
      onPhone: 'lead',
    },
  ]);
}

function roleForm(texts: Texts, { id, email, role }: Member, given: readonly Role[]): Html {
  return html`<form class="role" method="post" action="/shop/account/team/role"><input type="hidden" name="member" value="${id}"><select name="role" aria-label="${texts.text('team.role_of', { email })}">${options(texts, given, role)}</select><button class="quiet" aria-label="${texts.text('team.change_role_label', { email })}">${say(texts, 'team.change_role')}</button></form>`;
}

function options(texts: Texts, given: readonly Role[], selected: string): Html[] {
  return given.map(
    (role) =>
      html`<option value="${role}" ${role === selected ? 'selected' : ''}>${say(texts, `role.${role}`)}</option>`,
  );
}

type Button = { button: string; label: string; isDanger: boolean };

function action(path: string, name: string, id: string, { button, label, isDanger }: Button): Html {
  return html`<form method="post" action="/shop/account/team/${path}"><input type="hidden" name="${name}" value="${id}"><button class="quiet${isDanger ? ' danger' : ''}" aria-label="${label}">${button}</button></form>`;
}

function inviteForm(texts: Texts, { me, result }: TeamFacts): Html {
  const typed = result?.refused?.path === 'team' ? result.refused.input.get('role') : null;
  return html`<section aria-labelledby="invite"><h2 id="invite">${say(texts, 'team.invite')}</h2><p class="soft">${say(texts, 'team.invite_intro')}</p>
<form method="post" action="/shop/account/team"><div class="row"><div class="wide">${field(texts, result, 'team', { name: 'email', label: texts.text('team.email'), attributes: html`type="email" autocomplete="off"`, isRequired: true })}</div>
<div><label for="invite-role">${say(texts, 'team.role')}</label><select id="invite-role" name="role">${options(texts, manageable(me.role), typed ?? 'developer')}</select></div>
<div class="fit"><button>${say(texts, 'team.send')}</button></div></div></form>
<details><summary>${say(texts, 'team.roles')}</summary>${rights(texts)}</details></section>`;
}

function rights(texts: Texts): Html {
  return html`<dl class="roles">${roles.map((role) => html`<div><dt>${say(texts, `role.${role}`)}</dt><dd>${say(texts, `role.${role}_may`)}</dd></div>`)}</dl><p class="soft">${say(texts, 'team.roles_keys')}</p>`;
}

function invited(texts: Texts, { invitations, me, nowMs }: TeamFacts): Html {
  const given = manageable(me.role);
  const stateOf = ({ state, expiresMs }: ListedInvitation) =>
    texts.text(
      state === 'declined'
        ? 'team.state_declined'
        : expiresMs <= nowMs
          ? 'team.state_expired'
          : 'team.state_open',
    );
  const isOpen = ({ state, role }: ListedInvitation) => state === 'open' && given.includes(role);
  return table(invitations, [
    { head: texts.text('team.person'), cell: ({ email }) => email },
    { head: texts.text('team.role'), cell: ({ role }) => texts.text(`role.${role}`), onPhone: 'bare' },
    { head: texts.text('team.state'), cell: stateOf, onPhone: 'bare' },
    { head: texts.text('team.sent'), cell: ({ sentMs }) => texts.day(sentMs), isShort: true },
    { head: texts.text('team.expires'), cell: ({ expiresMs }) => texts.day(expiresMs), isShort: true },
    {
      head: '',
      cell: (one) =>
        isOpen(one)
          ? html`<div class="pair">${action('resend', 'invitation', one.id, { button: texts.text('team.resend'), label: texts.text('team.resend_label', { email: one.email }), isDanger: false })}${action('withdraw', 'invitation', one.id, { button: texts.text('team.withdraw'), label: texts.text('team.withdraw_label', { email: one.email }), isDanger: true })}</div>`
          : one.state === 'declined' && given.includes(one.role)
            ? action('withdraw', 'invitation', one.id, {
                button: texts.text('team.remove'),
                label: texts.text('team.remove_declined_label', { email: one.email }),
                isDanger: true,
              })
            : '',
    },
  ]);
}

function ownership(texts: Texts, members: readonly Member[], me: string): Html {
  const others = members.filter(({ id }) => id !== me);
  const transfer = html`<p class="soft">${say(texts, 'team.transfer_intro')}</p>
<form method="post" action="/shop/account/team/transfer"><div class="row"><div><label for="new-owner">${say(texts, 'team.new_owner')}</label><select id="new-owner" name="member">${others.map(({ id, email }) => html`<option value="${id}">${email}</option>`)}</select></div><div class="fit"><button class="plain danger">${say(texts, 'team.transfer')}</button></div></div></form>`;
  return html`<section aria-labelledby="ownership"><details><summary><h2 id="ownership">${say(texts, 'team.ownership')}</h2></summary>
${others.length === 0 ? '' : transfer}
<h3>${say(texts, 'team.tokens_title')}</h3><p class="soft">${say(texts, 'team.tokens_intro')}</p>
<form method="post" action="/shop/account/team/tokens"><button class="plain danger">${say(texts, 'team.tokens')}</button></form></details></section>`;
}

const actors: Readonly<Record<string, `team.by_${'account' | 'cardholder' | 'payment' | 'erased'}`>> = {
  account: 'team.by_account',
  cardholder: 'team.by_cardholder',
  payment: 'team.by_payment',
  erased: 'team.by_erased',
};

function activity(texts: Texts, events: readonly AccountEvent[], facts: TeamFacts): Html {
  const { older, members, me } = facts;
  const own = members.find(({ id }) => id === me.id)?.email;
  const who = ({ who: name }: AccountEvent) => {
    if (name === own) return texts.text('team.yourself');
    const known = actors[name];
    return known === undefined ? name : texts.text(known);
  };
  return html`<section aria-labelledby="activity"><h2 id="activity">${say(texts, 'team.activity')}</h2>
${
  events.length === 0
    ? html`<p class="soft">${say(texts, 'team.no_activity')}</p>`
    : table(events, [
        { head: texts.text('team.what'), cell: (one) => eventText(texts, one, facts) },
        { head: texts.text('team.who'), cell: who, onPhone: 'bare' },
        {
          head: texts.text('team.when'),
          cell: ({ atMs }) => texts.minute(atMs),
          isShort: true,
          onPhone: 'bare',
        },
      ])
}${older === null ? '' : html`<p><a href="${sections.team}?older=${older}#activity">${say(texts, 'team.older')}</a></p>`}</section>`;
}

type EventNames = Pick<TeamFacts, 'names' | 'plans' | 'session'>;

/** An entry in words; the name of the act where there are none. */
function eventText(texts: Texts, event: AccountEvent, facts: EventNames): string {
  const { act, subject } = event;
  const exact = exactText(texts, event, facts);
  if (exact !== null) return exact;
  const key = `event.${act}`;
  if (!Object.hasOwn(defaults, key)) return act;
  const name = facts.names.get(subject) ?? textIn(event, 'name') ?? shortId(subject);
  return texts.text(key as 'event.person_left', { subject: name });
}

/** An entry with the amount, plan or role that it is about; null when they are not known. */
function exactText(texts: Texts, event: AccountEvent, { names, plans, session }: EventNames): string | null {
  const { act, subject } = event;
  const id = textIn(event, 'plan');
  const plan = id === null ? null : (plans.get(id) ?? id);
  switch (act) {
    case 'signed_in': {
      const browser = textIn(event, 'device');
      if (browser === null) return null;
      const isHere = textIn(event, 'session') === session;
      return texts.text(isHere ? 'event.signed_in_here' : 'event.signed_in_with', { browser });
    }
    case 'top_up_changed':
      return topUpText(texts, event);
    case 'top_up_agreed': {
      const [amount, brand, last4] = [amountIn(texts, event), textIn(event, 'brand'), textIn(event, 'last4')];
      if (amount === null || brand === null || last4 === null) return null;
      return texts.text('event.top_up_agreed_to', { amount, card: cardName(texts, { brand, last4 }) });
    }
    case 'purchase_paid': {
      const amount = amountIn(texts, event);
      if (plan === null || amount === null) return null;
      return texts.text('event.purchase_paid_for', { plan, amount });
    }
    case 'plan_cancelled':
    case 'plan_resumed': {
      const name = names.get(subject);
      return name === undefined ? null : texts.text(`event.${act}_named`, { plan: name });
    }
    case 'plan_changed':
      return plan === null ? null : texts.text('event.plan_changed_to', { plan });
    case 'role_changed':
    case 'person_invited': {
      const role = parseRole(textIn(event, 'after') ?? textIn(event, 'role'));
      return role && texts.text(`event.${act}_as`, { subject, role: texts.text(`role.${role}`) });
    }
    default:
      return null;
  }
}

function topUpText(texts: Texts, event: AccountEvent): string | null {
  const [state, usd] = [textIn(event, 'state'), textIn(event, 'amount_usd')];
  if (state === 'off') return texts.text('event.top_up_off');
  if (usd === null) return null;
  return texts.text(state === 'asked' ? 'event.top_up_asked' : 'event.top_up_on', {
    amount: texts.usd(usd),
  });
}

/** The amount of a payment or of an agreement; null when the entry has none. */
function amountIn(texts: Texts, { detail }: AccountEvent): string | null {
  const micro = detail?.amount_micro_usd;
  return typeof micro === 'number' ? texts.usd(Money.format(Money.ofMicro(micro))) : null;
}

/** A fact of an entry that is a text; null when it has none. */
function textIn({ detail }: AccountEvent, member: string): string | null {
  const value = detail?.[member];
  return typeof value === 'string' ? value : null;
}

/** Ids of purchases and keys in short, as the first and last characters; other subjects as they are. */
function shortId(subject: string): string {
  return /^[a-z]{3}_[0-9a-f]{20,}$/.test(subject) ? `${subject.slice(0, 8)}…${subject.slice(-4)}` : subject;
}
