import { html } from 'hono/html';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

/** The facts that a person needs before a subscription is cancelled. */
export type Cancellation = {
  plan: string;
  /** The end of the paid period. */
  endMs: number;
  /** The renewal was not paid: the days of grace end with the subscription. */
  isUnpaid: boolean;
  /** The rest of the plan, with its unit; null when the reader may not see it. */
  left: string | null;
  /** The rest at the end of the period can be used for one more period. */
  rollsOver: boolean;
  /** The path of the form, its hidden field, and the page that keeps the subscription. */
  form: { action: string; subscription: string | null };
  keep: string;
};

/** Asks before a subscription is cancelled: until when it can be used, and what is lost. */
export function cancel(texts: Texts, asked: Cancellation): Html {
  const { plan, left, form } = asked;
  const day = texts.day(asked.endMs);
  const lost = asked.rollsOver && !asked.isUnpaid ? 'cancel.rolls_over' : 'cancel.lost';
  return html`<h1>${say(texts, 'cancel.title', { plan })}</h1>
<section><p class="note" role="alert">${asked.isUnpaid ? say(texts, 'cancel.unpaid') : say(texts, 'cancel.until', { day })}</p>
<p>${say(texts, lost)}${left === null ? '' : html` ${say(texts, 'cancel.left', { left })}`}</p>
<div class="actions"><a class="button plain" href="${asked.keep}">${say(texts, 'cancel.keep')}</a>
<form method="post" action="${form.action}">${form.subscription === null ? '' : html`<input type="hidden" name="subscription" value="${form.subscription}">`}<input type="hidden" name="confirm" value="yes"><button class="danger">${say(texts, 'cancel.confirm')}</button></form></div></section>`;
}
