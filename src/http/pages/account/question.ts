import { html } from 'hono/html';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** An action that ends something, and asks first. `field`: the hidden input that names it. */
export type Question = {
  /** Further things that end, each with a checkbox. */
  options?: readonly { name: string; label: string; isOn: boolean }[];
  title: string;
  effect: string;
  action: string;
  field: { name: string; value: string } | null;
  confirm: string;
  back: string;
};

/** Asks before an action; only the form of this page carries it out. */
export function question(
  texts: Texts,
  { title, effect, action, field, confirm, back, options = [] }: Question,
): Html {
  const id = field === null ? '' : html`<input type="hidden" name="${field.name}" value="${field.value}">`;
  const boxes = options.map(
    ({ name, label, isOn }) =>
      html`<p class="check"><input type="checkbox" id="${name}" name="${name}" value="yes" ${isOn ? 'checked' : ''}><label for="${name}">${label}</label></p>`,
  );
  return html`<h1>${title}</h1>
<section><p class="note" role="alert">${effect}</p>
<form method="post" action="${action}">${id}<input type="hidden" name="confirm" value="yes">${boxes}
<div class="actions"><a class="button plain" href="${back}">${say(texts, 'question.back')}</a><button class="danger">${confirm}</button></div></form></section>`;
}
