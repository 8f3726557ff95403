import { html } from 'hono/html';
import type { Texts } from '../../../text/texts.ts';
import type { FormResult } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** The sections of an account, each with an address of its own. */
export const sections = {
  overview: '/shop/account',
  usage: '/shop/account/usage',
  keys: '/shop/account/keys',
  billing: '/shop/account/billing',
  settings: '/shop/account/settings',
} as const;
export type Section = keyof typeof sections;

/** The title of a section. */
export function titleOf(texts: Texts, section: Section): string {
  if (section === 'overview') return texts.text('account.title');
  return texts.text(section === 'keys' ? 'account.keys_title' : `account.${section}`);
}

/** A section: the links to all sections, the title, the result of the form that was just sent, and `main`. */
export function inSection(texts: Texts, section: Section, result: FormResult | null, main: Html): Html {
  const link = (one: Section) =>
    html`<a href="${sections[one]}" ${one === section ? html`aria-current="page"` : ''}>${say(texts, `account.${one}`)}</a>`;
  return html`<nav class="sections" aria-label="${texts.text('account.sections')}">${(Object.keys(sections) as Section[]).map(link)}</nav>
<h1>${titleOf(texts, section)}</h1>
${result === null ? '' : outcome(texts, result)}
${main}`;
}

function outcome(texts: Texts, { isBad, text, link, secret }: FormResult): Html {
  return html`<p class="${isBad ? 'note' : 'ok'}" role="${isBad ? 'alert' : 'status'}">${text}${link === undefined ? '' : html` <a href="${link.url}">${link.text}</a>`}</p>${secret === null ? '' : html`<pre class="secret" tabindex="0" aria-label="${texts.text('result.key_label')}">${secret}</pre>`}`;
}
