import { html } from 'hono/html';
import type { Membership } from '../../../identity/team/team.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, isCodeRefused, summaryOf } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** The sections of an account, each with an address of its own. */
export const sections = {
  overview: '/shop/account',
  usage: '/shop/account/usage',
  keys: '/shop/account/keys',
  billing: '/shop/account/billing',
  team: '/shop/account/team',
  settings: '/shop/account/settings',
} as const;
export type Section = keyof typeof sections;

/** The form in the header with which a person changes to another of their accounts; empty for those with one. */
export function switcher(texts: Texts, memberships: readonly Membership[], current: string): Html {
  if (memberships.length < 2) return html``;
  const name = ({ isOwn, owner }: Membership) => (isOwn ? texts.text('switch.own') : owner);
  const option = (one: Membership) =>
    html`<option value="${one.account}" ${one.account === current ? 'selected' : ''}>${name(one)}</option>`;
  return html`<form class="switch" method="post" action="/shop/account/switch"><label for="switch">${say(texts, 'switch.label')}</label><select id="switch" name="account">${memberships.map(option)}</select><button class="plain">${say(texts, 'switch.go')}</button></form>`;
}

/** The title of a section. */
export function titleOf(texts: Texts, section: Section): string {
  if (section === 'overview') return texts.text('account.title');
  return texts.text(section === 'keys' ? 'account.keys_title' : `account.${section}`);
}

/** A section: the links to the sections that the person may see, the heading, the result of the form that was just sent, and `main`. */
export function inSection(
  texts: Texts,
  section: Section,
  result: FormResult | null,
  main: Html,
  shown: readonly Section[] = Object.keys(sections) as Section[],
  heading: string = titleOf(texts, section),
): Html {
  return html`${navigation(texts, section, shown)}
<h1>${heading}</h1>
${result === null ? '' : outcome(texts, result)}
${main}`;
}

/** The links to the sections that the person may see. */
export function navigation(texts: Texts, current: Section | null, shown: readonly Section[]): Html {
  const link = (one: Section) =>
    html`<a href="${sections[one]}" ${one === current ? html`aria-current="page"` : ''}>${say(texts, `account.${one}`)}</a>`;
  return html`<nav class="sections" aria-label="${texts.text('account.sections')}">${shown.map(link)}</nav>`;
}

function outcome(texts: Texts, result: FormResult): Html {
  const { isBad, text, link, secret } = result;
  if (secret !== null) return newKey(texts, text, secret);
  if (isCodeRefused(result)) return html``;
  return html`<p class="${isBad ? 'note' : 'ok'}" role="${isBad ? 'alert' : 'status'}">${summaryOf(texts, result) ?? text}${link === undefined ? '' : html` <a href="${link.url}">${link.text}</a>`}</p>`;
}

/** A key that was just created, and the next step. */
function newKey(texts: Texts, text: string, secret: string): Html {
  const reference = html`<a href="/docs">${say(texts, 'result.key_use_link')}</a>`;
  return html`<section class="made"><p role="status">${text}</p><pre class="secret" tabindex="0" aria-label="${texts.text('result.key_label')}">${secret}</pre><p>${say(texts, 'result.key_use', { link: reference })}</p><pre class="secret" tabindex="0" aria-label="${texts.text('result.key_header')}"><code>Authorization: Bearer ${secret}</code></pre></section>`;
}
