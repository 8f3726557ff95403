import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** `renews`: a plan of the account is charged again. */
export type Losses = { balance: string; renews: boolean };

/** Says that the person is signed out, or that the browser has forgotten its account (`left`). */
export function left(texts: Texts, which: 'signed_out' | 'left'): Html {
  const link = (href: string, name: string, isMain: boolean) =>
    html`<a class="button${isMain ? '' : ' plain'}" href="${href}">${name}</a>`;
  const isOut = which === 'signed_out';
  const signIn = link('/shop/account', texts.text('leave.sign_in'), isOut);
  const toShop = link('/', texts.text('leave.to_shop'), !isOut);
  return html`<div class="narrow"><h1>${say(texts, `leave.${which}`)}</h1>
<section><p role="status">${say(texts, `leave.${which}_text`)}</p><div class="actions">${isOut ? [signIn, toShop] : [toShop, signIn]}</div></section></div>`;
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
