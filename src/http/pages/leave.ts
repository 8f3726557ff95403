import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** `renews`: a plan of the account is charged again. */
export type Losses = { balance: string; renews: boolean };

/** Says that the browser has forgotten its account, or that the person is signed out. */
export function left(texts: Texts, text: string): Html {
  return html`<div class="narrow"><h1>${text}</h1><section><p class="soft">${say(texts, 'leave.left_text')}</p><div class="actions"><a class="button" href="/shop/account">${say(texts, 'leave.sign_in')}</a><a class="button plain" href="/">${say(texts, 'leave.to_shop')}</a></div></section></div>`;
}

/** Asks before the browser forgets an account that no email address can sign in to again. */
export function leave(texts: Texts, { balance, renews }: Losses): Html {
  return html`<h1>${say(texts, 'leave.title')}</h1>
<section><p class="note" role="alert">${Number(balance) === 0 ? say(texts, 'leave.plans') : say(texts, 'leave.balance', { amount: texts.usd(balance) })}${renews ? html` ${say(texts, 'leave.renews')}` : ''}</p>
<p>${say(texts, 'leave.text')}</p>
<div class="actions"><a class="button" href="/shop/account#claim">${say(texts, 'leave.add_email')}</a>
<a class="button plain" href="/shop/account/settings">${say(texts, 'leave.stay')}</a>
<form method="post" action="/shop/leave"><input type="hidden" name="confirm" value="yes"><button class="plain danger">${say(texts, 'leave.anyway')}</button></form></div></section>`;
}
