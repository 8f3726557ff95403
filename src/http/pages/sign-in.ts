import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { isTrialImmediate, trialOf } from '../../catalog/plan.ts';
import { unitOfPlan } from '../../catalog/plan-unit.ts';
import { includedText } from '../../text/included-text.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { mailboxOf } from './mailbox-link.ts';
import { say } from './say.ts';
import { startForm } from './start-form.ts';

/** The account page of a browser that is not signed in. `byMail` is true when the shop sends sign-in links; `isOfToken`, when the problem is one of the recovery token. */
export function signedOut(
  texts: Texts,
  { plans, services }: Pick<Catalog, 'plans' | 'services'>,
  byMail: boolean,
  problem: string | null,
  isOfToken = false,
): Html {
  const trial = isTrialImmediate(plans) ? trialOf(plans) : null;
  const newText =
    trial === null
      ? say(texts, 'sign_in.new_text')
      : say(texts, 'sign_in.new_trial', {
          included: includedText(texts, trial.included, unitOfPlan(trial, services)),
        });
  const byEmail = html`<form method="post" action="/shop/account/link"><label for="email">${say(texts, 'sign_in.email')}</label><input id="email" name="email" type="email" autocomplete="email" required><button>${say(texts, 'sign_in.send_link')}</button><p class="hint">${say(texts, 'sign_in.by_email_text')}</p></form>`;
  const planLinks = html`<details><summary>${say(texts, 'sign_in.plan_links')}</summary>${planLinksForm(texts, html`<button class="plain">${say(texts, 'sign_in.send_plan_links')}</button>`)}</details>`;
  return html`<div class="narrow"><h1>${say(texts, 'sign_in.submit')}</h1>
${isOfToken ? '' : alert(problem)}
${byMail ? html`<section>${byEmail}</section>` : ''}
<section class="new"><h2>${say(texts, 'sign_in.new')}</h2><p class="soft">${newText}</p>${startForm(texts, plans)}</section>
<details ${byMail && !isOfToken ? '' : 'open'}><summary>${say(texts, 'sign_in.by_token')}</summary><p class="soft">${say(texts, 'sign_in.by_token_text')}</p>
<form method="post" action="/shop/account/sign-in"><label for="assertion">${say(texts, 'sign_in.assertion')}</label><textarea class="code" id="assertion" name="assertion" rows="4" spellcheck="false" ${isOfToken ? html`aria-invalid="true" aria-describedby="assertion-fault" autofocus=""` : ''} required></textarea>${isOfToken ? html`<p class="fault" id="assertion-fault" role="alert">${problem}</p>` : ''}<button class="plain">${say(texts, 'sign_in.submit')}</button></form></details>
${byMail ? planLinks : ''}</div>`;
}

function planLinksForm(texts: Texts, button: Html): Html {
  return html`<p class="soft">${say(texts, 'sign_in.plan_links_text')}</p>
<form method="post" action="/shop/plans/links"><label for="payer">${say(texts, 'sign_in.payer_email')}</label><input id="payer" name="email" type="email" autocomplete="email" required>${button}</form>`;
}

/** The form for people who pay for a plan and cannot sign in to its account. */
export function planLinks(texts: Texts, byMail: boolean, problem: string | null): Html {
  const form = planLinksForm(texts, html`<button>${say(texts, 'sign_in.send_plan_links')}</button>`);
  return html`<div class="narrow"><h1>${say(texts, 'payer.links_title')}</h1>${alert(problem)}${byMail ? html`<section>${form}</section>` : ''}</div>`;
}

/** The styles of the pages that sign in. */
export const style =
  '.narrow{max-width:28rem;margin:0 auto}.narrow p>strong{display:inline-block;max-width:100%;overflow-wrap:anywhere}.narrow button{width:100%}.narrow .new button{background:none;color:var(--accent);box-shadow:inset 0 0 0 1.5px var(--accent)}.narrow label{margin-top:0}.narrow .hint{margin-top:.75rem}.narrow details+details{margin-top:1rem}.narrow form.second{margin-top:.75rem}.narrow .actions{margin:0}.narrow .choice{display:flex;gap:.75rem}.narrow .choice button{margin-top:.5rem}.narrow .actions .button{width:100%;text-align:center}.resend{display:grid}.resend button{grid-area:2/1;margin:0;animation:resend 0s 30s both}.resend .wait{opacity:.5;cursor:default;animation:gone 0s 30s both}.resend span::after{content:counter(seconds);counter-reset:seconds var(--seconds)}.resend p{animation:wait 30s linear both,gone 0s 30s both}@property --seconds{syntax:"<integer>";inherits:true;initial-value:0}@keyframes wait{from{--seconds:30}to{--seconds:0}}@keyframes resend{from{visibility:hidden}to{visibility:visible}}@keyframes gone{to{display:none}}';

/** Does not reveal whether the address belongs to an account. */
export function sent(
  texts: Texts,
  { text, email }: { text: string; email: string | null },
  minutes: number,
): Html {
  const mailbox = email === null ? null : mailboxOf(email);
  return html`<div class="narrow"><h1>${say(texts, 'sign_in.check_email')}</h1>
<section><p class="ok" role="status">${text}</p>
<p>${say(texts, 'sign_in.open_link', { count: minutes })}</p>
${mailbox === null ? '' : html`<div class="actions"><a class="button" href="${mailbox.url}" rel="noreferrer">${say(texts, 'sign_in.open_mailbox', { name: mailbox.name })}</a></div>`}
<p class="soft">${say(texts, 'sign_in.nothing_there', { link: html`<a href="/shop/account">${say(texts, 'sign_in.try_again')}</a>` })}</p>
${email === null ? '' : resend(texts, email)}</section></div>`;
}

/** Sends the mail again. The button appears after half a minute, which CSS counts: the page has no script. */
function resend(texts: Texts, email: string): Html {
  return html`<form class="resend" method="post" action="/shop/account/link"><input type="hidden" name="email" value="${email}"><p class="soft" aria-hidden="true">${say(texts, 'sign_in.resend_in', { seconds: html`<span></span>` })}</p><button type="button" class="plain wait" disabled aria-hidden="true">${say(texts, 'sign_in.resend')}</button><button class="plain">${say(texts, 'sign_in.resend')}</button></form>`;
}

export type OpenedLink = {
  token: string;
  /** `here`: this browser asked for the link, for `email`. */
  kind: 'here' | 'elsewhere';
  email?: string;
  /** The link accepts an invitation. */
  joins: boolean;
  /** The account that this browser is signed in to now. */
  visitor: string | null;
  problem: string | null;
  /** The address that was typed and refused. */
  typed?: string;
};

/** Does not reveal whether a plan is paid with the address. */
export function linksSent(texts: Texts, text: string): Html {
  return html`<div class="narrow"><h1>${say(texts, 'sign_in.check_email')}</h1>
<section><p class="ok" role="status">${text}</p>
<p>${say(texts, 'sign_in.plan_links_next')}</p></section></div>`;
}

/** The page of a sign-in link. Only its button signs in, because mail scanners open links too. */
export function openedLink(
  texts: Texts,
  { token, email, joins, visitor, problem, typed = '' }: OpenedLink,
): Html {
  const button = texts.text(joins ? 'invitation.accept' : 'sign_in.submit');
  const other = html`<a href="/shop/account#claim">${say(texts, 'sign_in.other_account_link')}</a>`;
  return html`<div class="narrow"><h1>${button}</h1>
${email === undefined ? '' : alert(problem)}
<section><form method="post" action="/shop/account/link/open"><input type="hidden" name="token" value="${token}">
${
  email === undefined
    ? html`<p>${say(texts, 'sign_in.link_elsewhere')}</p>
<label for="email">${say(texts, 'sign_in.link_email')}</label><input id="email" name="email" type="email" autocomplete="email" value="${typed}"${problem === null ? '' : html` aria-invalid="true" aria-describedby="email-fault" autofocus=""`} required>${problem === null ? '' : html`<p class="fault" id="email-fault" role="alert">${problem}</p>`}`
    : html`<p>${say(texts, joins ? 'sign_in.join_here' : 'sign_in.link_here', { email: html`<strong>${email}</strong>` })}</p>`
}
<button>${button}</button></form>
${visitor === null || joins ? '' : html`<p class="soft">${say(texts, 'sign_in.other_account', { account: html`<code>${visitor}</code>`, link: other })}</p>`}</section>
${email === undefined ? html`<p class="soft">${say(texts, 'sign_in.new_link', { link: html`<a href="/shop/account">${say(texts, 'sign_in.new_link_here')}</a>` })}</p>` : ''}</div>`;
}

function alert(problem: string | null): Html {
  return problem === null ? html`` : html`<p class="note" role="alert">${problem}</p>`;
}
