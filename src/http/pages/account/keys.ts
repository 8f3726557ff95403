import { html } from 'hono/html';
import type { ShownKey } from '../../../journeys/account-keys.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';
import { table } from './table.ts';

/** The keys of an account, and the form that creates one. */
export function keys(texts: Texts, all: readonly ShownKey[], result: FormResult | null): Html {
  const input = (name: string, label: string, attributes: Html, isRequired = false) =>
    html`<div>${field(texts, result, 'keys', { name, label, id: `key-${name.replace('_usd', '')}`, attributes, isRequired })}</div>`;
  return html`<p class="lead">${say(texts, 'keys.intro')}</p>
<section aria-labelledby="new"><h2 id="new">${say(texts, 'keys.new')}</h2>
<form method="post" action="/shop/account/keys"><div class="row">${input('name', texts.text('keys.name'), html`maxlength="100" autocomplete="off"`, true)}${input('budget_usd', texts.text('keys.budget'), html`inputmode="decimal" autocomplete="off"`)}${input('days', texts.text('keys.days'), html`inputmode="numeric" autocomplete="off"`)}</div>
<button>${say(texts, 'keys.create')}</button></form></section>
${all.length === 0 ? '' : html`<section aria-labelledby="own"><h2 id="own">${say(texts, 'keys.title')}</h2>${list(texts, all)}</section>`}`;
}

function list(texts: Texts, all: readonly ShownKey[]): Html {
  return table(all, [
    {
      head: texts.text('keys.name'),
      cell: ({ id, name }) => html`<a href="/shop/account/usage?key=${id}">${name}</a>`,
    },
    {
      head: texts.text('keys.key'),
      cell: ({ hint, state }) =>
        html`<span><code>${hint}</code>${state === 'paused' ? html` <span class="sign">${say(texts, 'keys.paused')}</span>` : ''}</span>`,
    },
    ...(all.some(({ created_by }) => created_by !== null)
      ? [{ head: texts.text('keys.creator'), cell: ({ created_by }: ShownKey) => created_by ?? '' }]
      : []),
    { head: texts.text('keys.created'), cell: ({ created_at }) => texts.dayOf(created_at) },
    { head: texts.text('keys.spent'), cell: (key) => spentOf(texts, key), isNumber: true },
    {
      head: texts.text('keys.expires'),
      cell: ({ expires_at }) => (expires_at === null ? texts.text('keys.never') : texts.dayOf(expires_at)),
    },
    {
      head: '',
      cell: ({ id, name }) =>
        html`<form method="post" action="/shop/account/keys/end"><input type="hidden" name="key" value="${id}"><button class="quiet danger" aria-label="${texts.text('keys.revoke_label', { name })}">${say(texts, 'keys.revoke')}</button></form>`,
    },
  ]);
}

function spentOf(texts: Texts, { budget_usd, spent_usd }: ShownKey): string {
  if (budget_usd === null) return texts.text('keys.no_limit');
  return texts.text('keys.spent_of', {
    spent: texts.decimal(spent_usd ?? '0.00'),
    budget: texts.usd(budget_usd),
  });
}
