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
  /** The account of this browser, by its address (null for an unsaved one), its credit, and what its plans include; null where it has none. */
  visitor: { account: string | null; credit: string; included: string } | null;
  /** The content of the trial, such as `25 results`. */
  trial: string | null;
  byMail: boolean;
  problem: string | null;
};

const rights = ['connect.may_call', 'connect.may_spend', 'connect.may_buy', 'connect.may_read'] as const;

/** Asks a person whether an application may use their account. */
export function consent(texts: Texts, facts: AuthorizationRequest): Html {
  const { client, returnsTo, visitor, problem, request } = facts;
  const form = (action: string) =>
    html`<form method="post" action="/shop/authorize"><input type="hidden" name="request" value="${request}">${action === 'allow' ? allowOrRefuse(texts) : html`<button class="plain" name="action" value="deny">${say(texts, 'connect.refuse')}</button>`}</form>`;
  const returns = say(texts, 'connect.returns', { address: html`<code>${returnsTo}</code>` });
  return html`<div class="narrow"><h1>${say(texts, 'connect.heading', { application: client })}</h1>
${problem === null ? '' : html`<p class="note" role="alert">${problem}</p>`}
<section>${visitor === null ? '' : html`<p>${visitor.account === null ? say(texts, 'connect.signed_in_unsaved') : say(texts, 'connect.signed_in', { account: html`<strong class="words">${visitor.account}</strong>` })}</p>`}<p>${say(texts, 'connect.asks', { application: html`<strong>${client}</strong>` })}</p>
<ul class="rights">${rights.map((right) => html`<li>${say(texts, right)}</li>`)}</ul>
<p>${visitor === null ? say(texts, 'connect.never') : html`${limit(texts, visitor)} ${say(texts, 'connect.never')}`}</p>
${visitor === null ? '' : html`<p class="soft">${returns} ${say(texts, 'connect.end_any_time')}</p>${form('allow')}`}</section>
${visitor === null ? html`${strangers(texts, facts)}<p class="soft">${returns}</p>${form('deny')}` : ''}</div>`;
}

function limit(texts: Texts, { credit, included }: NonNullable<AuthorizationRequest['visitor']>): Html {
  const amount = html`<strong>${credit}</strong>`;
  return included === ''
    ? say(texts, 'connect.spend_limit', { amount })
    : say(texts, 'connect.spend_limit_included', { amount, included: html`<strong>${included}</strong>` });
}

function allowOrRefuse(texts: Texts): Html {
  return html`<div class="choice"><button name="action" value="allow">${say(texts, 'connect.allow')}</button><button class="plain" name="action" value="deny">${say(texts, 'connect.refuse')}</button></div>`;
}

/** Signing in comes first: a person who has an account must not open a second one. */
function strangers(texts: Texts, { request, trial, byMail }: AuthorizationRequest): Html {
  const start = html`<form method="post" action="/shop/authorize"><input type="hidden" name="request" value="${request}"><button name="action" value="start">${say(texts, trial === null ? 'connect.open' : 'connect.start')}</button></form>`;
  return html`${
    byMail
      ? html`<section><h2>${say(texts, 'connect.by_email')}</h2>
<form method="post" action="/shop/account/link"><label for="email">${say(texts, 'sign_in.email')}</label><input id="email" name="email" type="email" autocomplete="email" required><button>${say(texts, 'sign_in.send_link')}</button><p class="hint">${say(texts, 'connect.by_email_text')}</p></form></section>`
      : ''
  }
<section${byMail ? html` class="new"` : ''}><h2>${say(texts, 'sign_in.new')}</h2><p class="soft">${trial === null ? say(texts, 'connect.new_account') : say(texts, 'connect.new_account_trial', { quantity: trial })}</p>
${start}</section>
<details><summary>${say(texts, 'connect.by_assertion')}</summary>
<form method="post" action="/shop/account/sign-in"><label for="assertion">${say(texts, 'connect.token')}</label><textarea class="code" id="assertion" name="assertion" rows="3" spellcheck="false" required></textarea><button class="plain">${say(texts, 'sign_in.submit')}</button></form></details>`;
}

/** The page for an invalid authorization request that must not be redirected to a client. */
export function unusable(texts: Texts, description: string): Html {
  return html`<div class="narrow"><h1>${say(texts, 'connect.unusable')}</h1>
<section><p role="alert">${say(texts, 'connect.unusable_text')}</p><div class="actions"><a class="button" href="/">${say(texts, 'not_found.shop')}</a></div><details><summary>${say(texts, 'connect.unusable_details')}</summary><p class="soft">${description}</p></details></section></div>`;
}
