import { html } from 'hono/html';
import { outlook, type Subscription, willRenew } from '../../payment/subscription.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** The page of a plan for the person who pays for it: its status and the form that cancels it. Shows nothing of the account. */
export function plan(texts: Texts, one: Subscription, key: string): Html {
  return html`<h1>${say(texts, 'payer.plan', { plan: one.plan })}</h1>
<p>${statusOf(texts, one)}</p>
${one.status === 'past_due' && one.payUrl !== null ? html`<p><a class="button" href="${one.payUrl}">${say(texts, 'payer.pay_invoice')}</a></p>` : ''}
${willRenew(one) ? html`<form method="get" action="/plans/manage/${key}/cancel"><button class="danger">${say(texts, 'payer.cancel')}</button></form>` : ''}`;
}

function statusOf(texts: Texts, one: Subscription): Html {
  const day = texts.day(one.endMs);
  switch (outlook(one)) {
    case 'ended':
      return say(texts, 'payer.ended');
    case 'ends':
      return say(texts, 'payer.ends', { day });
    case 'past_due':
      return say(texts, 'payer.past_due');
    case 'renews':
      return say(texts, 'payer.renews', { day });
  }
}
