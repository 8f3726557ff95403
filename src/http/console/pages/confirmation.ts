import { html } from 'hono/html';
import type { Html } from '../../pages/frame.ts';
import { pairs } from './figures.ts';

export type Confirmation = {
  /** The question: `Freeze this account?` */
  question: string;
  /** The heading above the facts. */
  subject: string;
  facts: Parameters<typeof pairs>[0];
  effects: readonly (string | Html)[];
  /** The path that the form is sent to. */
  action: string;
  /** The fields of the form. */
  fields: Html;
  /** The text of the button. */
  button: string;
  isDangerous?: boolean;
  /** The page to return to. */
  back: string;
  /** The text of the link to it. */
  backText?: string;
  /** The form that was filled in, with its values. */
  change?: string;
};

/** Asks before something is done: its subject, and beside it the effects with the form. */
export function confirmation(of: Confirmation): Html {
  const { question, subject, facts, effects, action, fields, button } = of;
  const { isDangerous = true, back, backText = 'Cancel', change } = of;
  return html`<h1>${question}</h1>
<div class="columns"><section aria-labelledby="subject"><h2 id="subject">${subject}</h2>${pairs(facts)}</section>
<section class="confirmation" aria-labelledby="effects"><h2 id="effects">Effects</h2><ul>${effects.map((effect) => html`<li>${effect}</li>`)}</ul>
<form method="post" action="${action}">${fields}
<div class="actions"><button class="${isDangerous ? 'danger' : ''}">${button}</button>${change === undefined ? '' : html`<a class="button plain" href="${change}">Change</a>`}<a class="button plain" href="${back}">${backText}</a></div></form></section></div>`;
}
