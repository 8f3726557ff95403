import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Charging } from '../../journeys/top-up-consent.ts';
import { type Consent, stateAt } from '../../payment/top-up-consent.ts';
import { cardName } from '../../text/card-name.ts';
import type { Texts } from '../../text/texts.ts';
import { question } from './account/question.ts';
import type { Html } from './frame.ts';
import { identifier } from './identifier.ts';
import { say } from './say.ts';
import * as TermsStyle from './terms-style.ts';

export type CardPage = { title: string; main: Html };

type ConsentFacts = {
  /** The name of the shop. */
  name: string;
  isTaxed: boolean;
  isOwn: boolean;
  charging: Charging;
};

/** The terms of auto top-up for the cardholder: the state of the agreement and the form that stops it. `isOwn`: this browser is signed in to the account. */
export function consent(
  texts: Texts,
  found: Consent,
  { name, isTaxed, isOwn, charging }: ConsentFacts,
  nowMs: number,
): CardPage {
  const { id, account, terms, card, agreedMs, endedMs } = found;
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  const isEnded = stateAt(found, nowMs) === 'ended';
  const stop = html`<form method="get" action="/auto-top-up/${id}/stop"><button class="plain danger">${say(texts, 'consent.stop')}</button></form>`;
  const back = isOwn
    ? html`<a class="button" href="/shop/account/billing">${say(texts, 'receipt.back')}</a>`
    : '';
  const each = usd(terms.amount);
  const due = isTaxed ? texts.text('consent.each_charge_taxed', { amount: each }) : each;
  const facts = html`<dl class="terms">
<div><dt>${say(texts, 'consent.each_charge')}</dt><dd>${due}</dd></div>
<div><dt>${say(texts, 'consent.when')}</dt><dd>${say(texts, 'consent.below', { below: usd(terms.below) })}</dd></div>
<div><dt>${say(texts, 'consent.monthly_max')}</dt><dd>${say(texts, 'consent.monthly_max_of', { monthly_max: usd(terms.monthlyMax) })}</dd></div>
${isEnded ? (endedMs === null ? '' : html`<div><dt>${say(texts, 'consent.stopped_on')}</dt><dd>${texts.day(endedMs)}</dd></div>`) : html`<div><dt>${say(texts, 'consent.until')}</dt><dd>${say(texts, 'consent.until_cancelled')}</dd></div>`}
${card === null ? '' : html`<div><dt>${say(texts, 'consent.card')}</dt><dd>${cardName(texts, card)}</dd></div>`}
<div><dt>${say(texts, 'consent.account')}</dt><dd>${identifier(account)}</dd></div>
</dl>`;
  const titled = (title: string, text: Html | string, action: Html | string = ''): CardPage => ({
    title,
    main: html`<div class="narrow"><h1>${title}</h1><section><p>${text}</p>${facts}${action}</section></div>`,
  });
  switch (stateAt(found, nowMs)) {
    case 'ended':
      return titled(texts.text('consent.ended'), texts.text('consent.ended_text'), actions(back));
    case 'agreed': {
      const day = texts.day(agreedMs ?? 0);
      if (charging.isPaused)
        return titled(
          texts.text('consent.paused'),
          texts.text('consent.paused_text', { day }),
          actions(html`${back}${stop}`),
        );
      return titled(
        texts.text('consent.agreed'),
        html`${say(texts, 'consent.agreed_text', { day })} ${chargedText(texts, found, { isTaxed, charging }, due)}`,
        actions(html`${back}${stop}`),
      );
    }
    case 'expired':
      return titled(texts.text('consent.expired'), texts.text('consent.expired_text'), actions(back));
    case 'offered':
      return titled(
        texts.text('consent.offered'),
        say(texts, 'consent.offered_text', { shop: name }),
        html`<p class="soft">${say(texts, 'consent.mail')}${isOwn ? '' : html` ${say(texts, 'consent.close_page')}`}</p><p class="${charging.isDue ? 'note' : 'ok'}">${charging.isDue ? say(texts, 'consent.due_now', { amount: due, below: usd(terms.below) }) : say(texts, 'consent.nothing_now')}</p>${actions(html`<form method="post" action="/auto-top-up/${id}/card"><button>${say(texts, 'consent.continue')}</button></form>${isOwn ? html`<a class="button plain" href="/shop/account/billing#top-up">${say(texts, 'consent.cancel')}</a>` : ''}`)}`,
      );
  }
}

/** Asks before the cardholder ends an agreement: only the form of this page ends it. */
export function stopping(texts: Texts, { id }: Pick<Consent, 'id'>): CardPage {
  const title = texts.text('consent.stop_title');
  const main = question(texts, {
    title,
    effect: texts.text('consent.stop_effect'),
    action: `/auto-top-up/${id}/stop`,
    field: null,
    confirm: texts.text('consent.stop'),
    back: `/auto-top-up/${id}`,
  });
  return { title, main: html`<div class="narrow">${main}</div>` };
}

/** Says what was charged, or is about to be. `due`: the amount of a charge, with a note of its tax. */
function chargedText(
  texts: Texts,
  { terms }: Consent,
  { isTaxed, charging: { isDue, chargedThisMonth } }: Pick<ConsentFacts, 'isTaxed' | 'charging'>,
  due: string,
): Html | string {
  const usd = (money: Money.Money) => texts.usd(Money.format(money));
  if (isDue) return say(texts, 'consent.being_charged', { amount: due, below: usd(terms.below) });
  if (chargedThisMonth === null || chargedThisMonth === 0) return say(texts, 'consent.nothing_charged');
  return say(texts, isTaxed ? 'consent.charged_taxed' : 'consent.charged', {
    charged: usd(chargedThisMonth),
  });
}

function actions(all: Html | string): Html | string {
  return all === '' ? '' : html`<div class="actions">${all}</div>`;
}

export function subscriptionCard(texts: Texts): CardPage {
  return {
    title: texts.text('card.saved_title'),
    main: message(texts.text('card.saved'), texts.text('card.saved_text'), next(texts)),
  };
}

export function cancelled(texts: Texts): CardPage {
  const title = texts.text('card.cancelled');
  return { title, main: message(title, texts.text('card.cancelled_text'), next(texts)) };
}

/** Answers the return from a card page whose plan was cancelled, or whose account was frozen, in the meantime. */
export function notUsed(texts: Texts): CardPage {
  const title = texts.text('card.not_used');
  return { title, main: message(title, texts.text('card.not_used_text'), next(texts)) };
}

export function unavailable(texts: Texts): CardPage {
  const main = message(texts.text('card.unavailable'), texts.text('card.unavailable_text'));
  return { title: texts.text('card.unavailable_title'), main };
}

export function unknown(texts: Texts): CardPage {
  const title = texts.text('card.unknown');
  const account = html`<div class="actions"><a class="button" href="/shop/account/billing">${say(texts, 'paid.to_account')}</a></div>`;
  return { title, main: message(title, texts.text('card.unknown_text'), account) };
}

/** The page of a link to a plan that does not exist. `byMail`: the shop can mail a new one. */
export function unknownPlan(texts: Texts, byMail: boolean): CardPage {
  if (!byMail) return unknown(texts);
  const title = texts.text('card.unknown');
  const actions = html`<div class="actions"><a class="button" href="/shop/plans/links">${say(texts, 'card.new_link')}</a><a class="button plain" href="/shop/account">${say(texts, 'paid.to_account')}</a></div>`;
  return { title, main: message(title, texts.text('card.unknown_plan'), actions) };
}

function message(title: string, text: string, action: Html | string = ''): Html {
  return html`<div class="narrow"><h1>${title}</h1><section><p>${text}</p>${action}</section></div>`;
}

function next(texts: Texts): Html {
  return html`<div class="actions"><a class="button" href="/shop/account/billing">${say(texts, 'receipt.back')}</a></div>`;
}

/** The styles of these pages: the terms of an agreement, a line for each. */
export const style = `.narrow{max-width:34rem;margin:0 auto}.narrow h1{font-size:clamp(1.5rem,4vw,1.875rem);overflow-wrap:anywhere}@media(max-width:40rem){.narrow .actions{display:grid;margin-top:1rem}.narrow .actions :is(.button,button){width:100%;text-align:center;margin:0}.narrow .actions>*{margin:0}}${TermsStyle.style}`;
