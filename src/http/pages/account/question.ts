import { html } from 'hono/html';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** An action that ends something, and asks first. `field`: the hidden input that names it. */
export type Question = {
  title: string;
  effect: string;
  action: string;
  field: { name: string; value: string } | null;
  confirm: string;
  back: string;
};

/** Asks before an action; only the form of this page carries it out. */
export function question(texts: Texts, { title, effect, action, field, confirm, back }: Question): Html {
  return html`<h1>${title}</h1>
<section><p class="note" role="alert">${effect}</p>
<div class="actions"><a class="button plain" href="${back}">${say(texts, 'question.back')}</a>
<form method="post" action="${action}">${field === null ? '' : html`<input type="hidden" name="${field.name}" value="${field.value}">`}<input type="hidden" name="confirm" value="yes"><button class="danger">${confirm}</button></form></div></section>`;
}
