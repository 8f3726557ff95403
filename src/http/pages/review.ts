import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** A purchase before it is paid, with the outcome of its promotion code. Amounts are formatted. */
export type PurchaseReview = {
  plan: string;
  /** The credit, or the content of a period. */
  content: string;
  due: string;
  codeResult: string;
  isTaxAdded: boolean;
  url: string;
};

/** Shows what the purchase and the promotion code give and what is due, and leads to the card page. */
export function review(texts: Texts, facts: PurchaseReview): Html {
  const fact = (name: string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<div class="narrow"><h1>${say(texts, 'buy.review')}</h1><section><dl class="terms">
${fact(texts.text('buy.review_plan'), facts.plan)}
${fact(texts.text('buy.review_content'), facts.content)}
${fact(texts.text('buy.review_code'), html`<span role="status">${facts.codeResult}</span>`)}
${fact(texts.text('buy.review_due'), html`<strong>${facts.due}</strong>`)}</dl>
${facts.isTaxAdded ? html`<p>${say(texts, 'buy.review_tax')}</p>` : ''}<p class="soft">${say(texts, 'buy.review_text')}</p>
<div class="actions"><a class="button" href="${facts.url}">${say(texts, 'buy.review_pay')}</a><a class="button plain" href="/#plans">${say(texts, 'error.back')}</a></div></section></div>`;
}
