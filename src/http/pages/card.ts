import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import { type Consent, sentence, stateAt } from '../../payment/top-up-consent.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

export type CardPage = { title: string; main: Html };

/** The terms of auto top-up for the cardholder: the state of the agreement and the form that stops it. */
export function consent(
  texts: Texts,
  found: Consent | null,
  { name, isTaxed }: { name: string; isTaxed: boolean },
  nowMs: number,
): CardPage {
  if (found === null) return unknown(texts);
  const { id, account, terms, card, agreedMs } = found;
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  const stop = html`<form method="post" action="/auto-top-up/${id}/stop"><button>${say(texts, 'consent.stop')}</button></form>`;
  const facts = html`<dl class="facts">
<div><dt>${say(texts, 'consent.each_charge')}</dt><dd>${usd(terms.amount)}</dd></div>
<div><dt>${say(texts, 'consent.below')}</dt><dd>${usd(terms.below)}</dd></div>
<div><dt>${say(texts, 'consent.monthly_max')}</dt><dd>${usd(terms.monthlyMax)}</dd></div>
<div><dt>${say(texts, 'consent.account')}</dt><dd class="id">${account}</dd></div>
${card === null ? '' : html`<div><dt>${say(texts, 'consent.card')}</dt><dd>${card.brand} ${card.last4}</dd></div>`}
</dl>`;
  const titled = (title: string, text: Html | string, action: Html | string = ''): CardPage => ({
    title,
    main: html`<h1>${title}</h1><section><p class="words">${text}</p>${facts}${action}</section>`,
  });
  switch (stateAt(found, nowMs)) {
    case 'ended':
      return titled(texts.text('consent.ended'), texts.text('consent.ended_text'));
    case 'agreed':
      return titled(
        texts.text('consent.agreed'),
        texts.text('consent.agreed_text', { day: texts.day(agreedMs ?? 0) }),
        stop,
      );
    case 'expired':
      return titled(texts.text('consent.expired'), texts.text('consent.expired_text'));
    case 'offered':
      return titled(
        texts.text('consent.offered'),
        say(texts, 'consent.offered_text', { sentence: sentence(texts, found, name, isTaxed) }),
        html`<p><a class="button" href="/auto-top-up/${id}/card">${say(texts, 'consent.continue')}</a></p><p class="soft">${say(texts, 'consent.nothing_now')}</p>`,
      );
  }
}

export function subscriptionCard(texts: Texts): CardPage {
  return {
    title: texts.text('card.saved_title'),
    main: html`<h1>${say(texts, 'card.saved')}</h1><p>${say(texts, 'card.saved_text')}</p>`,
  };
}

export function cancelled(texts: Texts): CardPage {
  const title = texts.text('card.cancelled');
  return { title, main: html`<h1>${title}</h1><p>${say(texts, 'card.cancelled_text')}</p>` };
}

export function unavailable(texts: Texts): CardPage {
  const main = html`<h1>${say(texts, 'card.unavailable')}</h1><p>${say(texts, 'card.unavailable_text')}</p>`;
  return { title: texts.text('card.unavailable_title'), main };
}

export function unknown(texts: Texts): CardPage {
  const title = texts.text('card.unknown');
  return { title, main: html`<h1>${title}</h1><p>${say(texts, 'card.unknown_text')}</p>` };
}
