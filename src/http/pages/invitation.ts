import { html } from 'hono/html';
import { accountText, type OpenInvitation } from '../../identity/team/invitation.ts';
import type { Membership } from '../../identity/team/team.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';
import * as TermsStyle from './terms-style.ts';

export type InvitationFacts = {
  invitation: OpenInvitation;
  token: string;
  shop: string;
  /** The address of the person of this browser, when the invitation is theirs; otherwise null. */
  invited: string | null;
  /** The typed address, and its fault. */
  email: string;
  problem: string | null;
};

/**
 * An invitation as its recipient sees it. The address of the invitation is not shown, and only the person who has proved it can decline: the link
 * may have been passed on.
 */
export function invitation(texts: Texts, facts: InvitationFacts): Html {
  const { token, shop, invited, email, problem } = facts;
  const isInvited = invited !== null;
  const { inviter, role, expiresMs } = facts.invitation;
  const id = html`<input type="hidden" name="token" value="${token}">`;
  const answer = html`<form method="post" action="/shop/invitation/accept">${id}<button>${say(texts, 'invitation.accept')}</button></form>
<form method="post" action="/shop/invitation/decline" class="second">${id}<button class="plain">${say(texts, 'invitation.decline')}</button></form>`;
  const prove = html`<form method="post" action="/shop/invitation/link">${id}<p>${say(texts, 'invitation.prove')}</p>
<label for="email">${say(texts, 'sign_in.email')}</label><input id="email" name="email" type="email" autocomplete="email" value="${email}" ${problem === null ? '' : html`aria-invalid="true" aria-describedby="email-fault"`} required>${problem === null ? '' : html`<p class="fault" id="email-fault">${problem}</p>`}<button>${say(texts, 'invitation.send')}</button></form>`;
  return html`<div class="narrow"><h1>${titleOf(texts, facts.invitation)}</h1>
<section><p>${say(texts, 'invitation.text', { inviter: html`<strong>${inviter ?? texts.text('invitation.former_inviter')}</strong>`, account: accountText(texts, facts.invitation), shop, role: html`<strong>${texts.text(`role.${role}`)}</strong>` })}</p>
<dl class="terms">${isInvited ? html`<div><dt>${say(texts, 'invitation.as')}</dt><dd>${invited}</dd></div>` : ''}<div><dt>${say(texts, 'invitation.rights')}</dt><dd>${say(texts, `role.${role}_may`)}</dd></div>
<div><dt>${say(texts, 'invitation.expires')}</dt><dd>${texts.day(expiresMs)}</dd></div></dl>
${isInvited && problem !== null ? html`<p class="note" role="alert">${problem}</p>` : ''}${isInvited ? answer : prove}
<p class="hint">${say(texts, 'invitation.separate')}${isInvited ? '' : html` ${say(texts, 'invitation.ignore', { link: html`<a href="/shop/account">${say(texts, 'invitation.ignore_link')}</a>` })}`}</p></section></div>`;
}

/** The heading of an invitation; without the name of a person whose data was erased. */
export function titleOf(texts: Texts, { inviter }: Pick<OpenInvitation, 'inviter'>): string {
  return inviter === null
    ? texts.text('invitation.plain_title')
    : texts.text('invitation.title', { inviter });
}

/** Asks before an invitation is declined. */
export function declining(texts: Texts, token: string): Html {
  return html`<div class="narrow"><h1>${say(texts, 'invitation.decline_title')}</h1><section><p class="note" role="alert">${say(texts, 'invitation.decline_effect')}</p>
<div class="actions"><a class="button plain" href="/shop/invitation?${new URLSearchParams({ token })}">${say(texts, 'question.back')}</a>
<form method="post" action="/shop/invitation/decline"><input type="hidden" name="token" value="${token}"><input type="hidden" name="confirm" value="yes"><button class="danger">${say(texts, 'invitation.decline')}</button></form></div></section></div>`;
}

/** Says that the person has joined by this invitation already. `isHere`: the browser uses that account. */
export function alreadyIn(texts: Texts, { account, owner, isOwn }: Membership, isHere: boolean): Html {
  const name = isOwn ? texts.text('switch.own') : texts.text('switch.of', { email: owner });
  const open = isHere
    ? html`<a class="button" href="/shop/account">${say(texts, 'paid.to_account')}</a>`
    : html`<form method="post" action="/shop/account/switch"><input type="hidden" name="account" value="${account}"><button>${say(texts, 'invitation.open_account')}</button></form>`;
  return html`<div class="narrow"><h1>${say(texts, 'invitation.joined_title')}</h1>
<section><p class="ok" role="status">${say(texts, 'invitation.joined_before', { account: name })}</p><div class="actions">${open}</div></section></div>`;
}

/** A page with one message about an invitation. */
export function message(texts: Texts, title: string, text: string, isBad: boolean): Html {
  return html`<div class="narrow"><h1>${title}</h1>
<section><p class="${isBad ? 'note' : 'ok'}" role="${isBad ? 'alert' : 'status'}">${text}</p><a class="button plain" href="/shop/account">${say(texts, 'paid.to_account')}</a></section></div>`;
}

/** The styles of an invitation: its facts, a line for each. */
export const style = `${TermsStyle.style}.narrow h1{overflow-wrap:anywhere;font-size:clamp(1.375rem,4vw,1.875rem)}.narrow a.button{display:block;text-align:center}`;
