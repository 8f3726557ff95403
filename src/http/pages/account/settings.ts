import { html } from 'hono/html';
import type { GrantListing } from '../../../identity/oauth/grants.ts';
import type { SignedInSession } from '../../../identity/team/team.ts';
import type { Texts } from '../../../text/texts.ts';
import { contactUrl, type Html } from '../frame.ts';
import { say } from '../say.ts';
import { sections } from './frame.ts';
import { table } from './table.ts';

/** The page lists so many browsers of a person. */
const sessionsMax = 20;

export type SettingsFacts = {
  account: string;
  createdMs: number | null;
  claimed: boolean;
  /** The address that the account was claimed with. */
  email: string | null;
  canClaim: boolean;
  /** The address of the owner when the person is not one; null for an owner. */
  ownerOfOther: string | null;
  /** Applications that the owner connected through OAuth. */
  connections: readonly GrantListing[];
  /** The browsers that the person signed in with, and the session of this one. */
  sessions: readonly SignedInSession[];
  session: string;
};

/** The identity of the account, the applications that may use it, and the way out. */
export function settings(texts: Texts, facts: SettingsFacts): Html {
  const { claimed, email, canClaim, connections, ownerOfOther } = facts;
  const leave = texts.text(claimed ? 'account.leave_claimed' : 'account.leave_unclaimed');
  const added = html`<a href="/shop/account#claim">${say(texts, 'leave.add_email')}</a>`;
  return html`<section aria-labelledby="profile"><h2 id="profile">${say(texts, 'settings.profile')}</h2>
<dl class="facts">
<div><dt>${say(texts, 'account.email')}</dt><dd class="plain">${email ?? (canClaim && !claimed ? added : texts.text('settings.no_email'))}</dd></div>
${ownerOfOther === null ? '' : html`<div><dt>${say(texts, 'settings.owner')}</dt><dd class="plain">${texts.text('switch.of', { email: ownerOfOther })}</dd></div>`}
<div><dt>${say(texts, 'account.account')}</dt><dd class="id">${facts.account}</dd></div>
${facts.createdMs === null ? '' : html`<div><dt>${say(texts, 'settings.created')}</dt><dd class="plain">${texts.day(facts.createdMs)}</dd></div>`}
</dl></section>
${facts.sessions.length === 0 ? '' : signedInBrowsers(texts, facts)}
<section aria-labelledby="connections"><h2 id="connections">${say(texts, 'connections.title')}</h2>
${connections.length === 0 ? html`<p class="soft">${say(texts, 'connections.none')}</p>` : applications(texts, connections)}</section>
<div class="columns"><section aria-labelledby="leave"><h2 id="leave">${leave}</h2><p class="soft">${say(texts, claimed ? 'account.leave_claimed_effect' : 'account.leave_unclaimed_effect')}</p>
<form method="post" action="/shop/leave"><button class="plain${claimed ? '' : ' danger'}">${leave}</button></form></section>
${ownerOfOther === null ? closeCard(texts) : html`<section aria-labelledby="quit"><h2 id="quit">${say(texts, 'team.leave')}</h2><p class="soft">${say(texts, 'team.leave_intro')}</p><p class="actions"><a class="button plain" href="${sections.team}#leave">${say(texts, 'settings.leave_on_team')}</a></p></section>`}</div>`;
}

function closeCard(texts: Texts): Html {
  return html`<section aria-labelledby="close"><h2 id="close">${say(texts, 'settings.close')}</h2><p class="soft">${say(texts, 'settings.close_intro')}</p><p class="actions"><a class="button plain" href="/shop/account/close">${say(texts, 'settings.close_ask')}</a></p></section>`;
}

/** The account to close. `renews`: a plan of it is charged again. */
type Closing = { account: string; balance: string; renews: boolean };

/** The page about closing an account: what ends, what is kept, and whom to ask. `contact`: the address of the seller, an email address or a URL. */
export function closing(texts: Texts, { account, balance, renews }: Closing, contact: string): Html {
  const subject = `?${new URLSearchParams({ subject: texts.text('settings.close_subject', { account }) })}`;
  const url = contactUrl(contact);
  const link = url.startsWith('mailto:') ? `${url}${subject.replaceAll('+', '%20')}` : url;
  return html`<h1>${say(texts, 'settings.close')}</h1>
<section><p class="note">${Number(balance) > 0 ? html`${say(texts, 'settings.close_credit', { amount: texts.usd(balance) })} ` : ''}${renews ? html`${say(texts, 'settings.close_plans')} ` : ''}${say(texts, 'settings.close_first')}</p>
<p>${say(texts, 'settings.close_text')}</p><p>${say(texts, 'settings.close_kept')}</p>
<dl class="terms"><div><dt>${say(texts, 'settings.close_to')}</dt><dd><a href="${link}">${contact}</a></dd></div>
<div><dt>${say(texts, 'account.account')}</dt><dd class="id">${account}</dd></div></dl>
<div class="actions"><a class="button plain" href="/shop/account/settings">${say(texts, 'question.back')}</a><a class="button" href="${link}">${say(texts, 'settings.close_write')}</a></div></section>`;
}

/** The browsers that the person signed in with, each but this one with a button that signs it out. This one is the first. */
function signedInBrowsers(texts: Texts, { sessions, session }: SettingsFacts): Html {
  const sorted = [...sessions].sort((a, b) => Number(b.id === session) - Number(a.id === session));
  const shown = sorted.slice(0, sessionsMax);
  const left = sessions.length - shown.length;
  const hasOthers = sessions.some(({ id }) => id !== session);
  const browser = ({ device }: SignedInSession) => device ?? texts.text('sessions.unknown');
  return html`<section aria-labelledby="sessions"><h2 id="sessions">${say(texts, 'sessions.title')}</h2><p class="soft">${say(texts, 'sessions.intro')}</p>
${table(shown, [
  {
    head: texts.text('sessions.browser'),
    cell: (one) =>
      html`${browser(one)}${one.id === session ? html` <span class="sign">${say(texts, 'sessions.this')}</span>` : ''}`,
  },
  {
    head: texts.text('sessions.signed_in'),
    cell: ({ atMs }) => texts.minute(atMs),
    isShort: true,
  },
  {
    head: '',
    onPhone: 'lead',
    cell: (one) =>
      one.id === session
        ? ''
        : html`<form method="post" action="/shop/account/sessions/end"><input type="hidden" name="session" value="${one.id}"><button class="quiet danger" aria-label="${texts.text('sessions.end_label', { browser: browser(one) })}">${say(texts, 'sessions.end')}</button></form>`,
  },
])}${left > 0 ? html`<p class="soft">${texts.text('sessions.more', { count: left })}</p>` : ''}
${hasOthers ? html`<form method="post" action="/shop/account/sessions/end-others"><button class="plain danger">${say(texts, 'sessions.end_others')}</button></form>` : ''}</section>`;
}

/** Applications that may use the account, each with a button that disconnects it. */
function applications(texts: Texts, all: readonly GrantListing[]): Html {
  return table(all, [
    { head: texts.text('connections.application'), cell: ({ clientName }) => clientName },
    {
      head: texts.text('connections.connected'),
      cell: ({ createdMs }) => texts.day(createdMs),
      isShort: true,
    },
    { head: texts.text('connections.last_used'), cell: ({ usedMs }) => texts.day(usedMs), isShort: true },
    {
      head: '',
      onPhone: 'lead',
      cell: ({ sid, clientName }) =>
        html`<form method="post" action="/shop/account/connections/end"><input type="hidden" name="connection" value="${sid}"><button class="quiet danger" aria-label="${texts.text('connections.disconnect_label', { application: clientName })}">${say(texts, 'connections.disconnect')}</button></form>`,
    },
  ]);
}
