import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

export type AuthorizationRequest = {
  client: string;
  /** The site or program that the browser returns to. */
  returnsTo: string;
  /** The query of the authorization request, for the form. */
  request: string;
  /** The account of this browser; null where it has none. */
  visitor: { account: string; balance: string } | null;
  /** The content of the trial, such as `25 results`. */
  trial: string | null;
  byMail: boolean;
  problem: string | null;
};

const rights = ['connect.may_call', 'connect.may_spend', 'connect.may_buy', 'connect.may_read'] as const;

/** Asks a person whether an application may use their account. */
export function consent(texts: Texts, facts: AuthorizationRequest): Html {
  const { client, returnsTo, visitor, problem } = facts;
  return html`<h1>${say(texts, 'connect.heading', { application: client })}</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<section><p>${say(texts, 'connect.asks', { application: html`<strong>${client}</strong>` })}</p>
<ul class="rights">${rights.map((right) => html`<li>${say(texts, right)}</li>`)}</ul>
<p>${visitor === null ? say(texts, 'connect.never') : say(texts, 'connect.spend_limit', { amount: html`<strong>${texts.usd(visitor.balance)}</strong>`, never: say(texts, 'connect.never') })}</p>
<p class="soft">${say(texts, 'connect.returns', { address: html`<code>${returnsTo}</code>` })}</p></section>
${visitor === null ? strangers(texts, facts) : allow(texts, facts, visitor)}`;
}

function allow(
  texts: Texts,
  { request }: AuthorizationRequest,
  { account, balance }: NonNullable<AuthorizationRequest['visitor']>,
): Html {
  return html`<section><h2>${say(texts, 'connect.account')}</h2><dl class="facts"><div><dt>${say(texts, 'connect.account_id')}</dt><dd class="id">${account}</dd></div><div><dt>${say(texts, 'connect.balance')}</dt><dd>${texts.usd(balance)}</dd></div></dl>
<form method="post" action="/shop/authorize"><input type="hidden" name="request" value="${request}"><div class="actions"><button name="action" value="allow">${say(texts, 'connect.allow')}</button><button class="plain" name="action" value="deny">${say(texts, 'connect.refuse')}</button></div></form>
<p class="soft">${say(texts, 'connect.end_any_time')}</p></section>`;
}

/** Signing in comes first: a person who has an account must not open a second one. */
function strangers(texts: Texts, { request, trial, byMail }: AuthorizationRequest): Html {
  const choice = html`<input type="hidden" name="request" value="${request}">`;
  const refuse = html`<button class="plain" name="action" value="deny">${say(texts, 'connect.refuse')}</button>`;
  return html`${
    byMail
      ? html`<section><h2>${say(texts, 'connect.by_email')}</h2><p class="soft">${say(texts, 'connect.by_email_text')}</p>
<form method="post" action="/shop/account/link"><label for="email">${say(texts, 'sign_in.email')}</label><input id="email" name="email" type="email" autocomplete="email" required><button>${say(texts, 'sign_in.send_link')}</button></form></section>`
      : ''
  }
<section><h2>${say(texts, 'sign_in.new')}</h2><p class="soft">${trial === null ? say(texts, 'connect.new_account') : say(texts, 'connect.new_account_trial', { quantity: trial })}</p>
<form method="post" action="/shop/authorize">${choice}<div class="actions"><button${byMail ? html` class="plain"` : ''} name="action" value="start">${say(texts, trial === null ? 'connect.open' : 'connect.start')}</button>${refuse}</div></form></section>
<details><summary>${say(texts, 'connect.by_assertion')}</summary>
<form method="post" action="/shop/account/sign-in"><label for="assertion">${say(texts, 'sign_in.assertion')}</label><textarea class="code" id="assertion" name="assertion" rows="3" spellcheck="false" required></textarea><button class="plain">${say(texts, 'sign_in.submit')}</button></form></details>`;
}

/** The page for an invalid authorization request that must not be redirected to a client. */
export function unusable(texts: Texts, description: string): Html {
  return html`<h1>${say(texts, 'connect.unusable')}</h1>
<p class="note" role="alert">${description}</p>
<p class="soft">${say(texts, 'connect.unusable_text')}</p>`;
}
