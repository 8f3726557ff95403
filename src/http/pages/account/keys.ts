import { html } from 'hono/html';
import type { ShownKey } from '../../../journeys/account-keys.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';
import { type Column, table } from './table.ts';

export type KeysFacts = {
  /** The keys of one page of the list. */
  keys: readonly ShownKey[];
  page: number;
  pages: number;
  /** The last day of use of each key in the last `days` days, by its id. */
  lastUse: ReadonlyMap<string, string>;
  days: number;
  result: FormResult | null;
};

/** The keys of an account, and the form that creates one. */
export function keys(texts: Texts, facts: KeysFacts): Html {
  const { keys: all, result } = facts;
  const input = (name: string, label: string, attributes: Html, isRequired = false) =>
    html`<div>${field(texts, result, 'keys', { name, label, attributes, isRequired })}</div>`;
  const isPaused = all.some(({ state }) => state === 'paused');
  const own = html`<section aria-labelledby="own"><h2 id="own">${say(texts, 'keys.title')}</h2>${list(texts, facts)}${isPaused ? html`<p class="hint">${say(texts, 'keys.paused_why')}</p>` : ''}</section>`;
  return html`<p class="soft">${say(texts, 'keys.intro')}</p>
${all.length === 0 ? '' : own}
<section aria-labelledby="new"><h2 id="new">${say(texts, 'keys.new')}</h2>
<form method="post" action="/shop/account/keys"><div class="row">${input('name', texts.text('keys.name'), html`maxlength="100" autocomplete="off" placeholder="${texts.text('keys.name_example')}"`, true)}${input('budget_usd', texts.text('keys.budget'), html`inputmode="decimal" autocomplete="off"`)}${input('days', texts.text('keys.days'), html`inputmode="numeric" autocomplete="off"`)}</div>
<button>${say(texts, 'keys.create')}</button></form></section>`;
}

function list(texts: Texts, { keys: all, page, pages, lastUse, days }: KeysFacts): Html {
  const link = (to: number, key: 'keys.previous' | 'keys.next') =>
    html`<a href="/shop/account/keys?page=${to}">${say(texts, key)}</a> `;
  return html`${table(all, columns(texts, all, lastUse, days))}${pages === 1 ? '' : html`<p class="range">${page > 1 ? link(page - 1, 'keys.previous') : ''}${page < pages ? link(page + 1, 'keys.next') : ''}</p>`}`;
}

function columns(
  texts: Texts,
  all: readonly ShownKey[],
  lastUse: KeysFacts['lastUse'],
  days: number,
): [Column<ShownKey>, ...Column<ShownKey>[]] {
  const usedOn = (id: string) => {
    const day = lastUse.get(id);
    return day === undefined ? texts.text('keys.unused', { count: days }) : texts.dayOf(day);
  };
  const creator: Column<ShownKey>[] = all.some(({ created_by }) => created_by !== null)
    ? [{ head: texts.text('keys.creator'), cell: ({ created_by }) => created_by ?? '', onPhone: 'bare' }]
    : [];
  return [
    {
      head: texts.text('keys.name'),
      cell: ({ id, name, state }) =>
        html`<a href="/shop/account/usage?key=${id}">${name}</a>${state === 'paused' ? html` <span class="sign">${say(texts, 'keys.paused')}</span>` : ''}`,
    },
    { head: texts.text('keys.key'), cell: ({ hint }) => html`<code>${hint}</code>`, onPhone: 'bare' },
    ...creator,
    { head: texts.text('keys.created'), cell: ({ created_at }) => texts.dayOf(created_at) },
    { head: texts.text('keys.last_used'), cell: ({ id }) => usedOn(id) },
    { head: texts.text('keys.spent'), cell: (key) => spentOf(texts, key), isNumber: true },
    {
      head: texts.text('keys.expires'),
      cell: ({ expires_at }) => (expires_at === null ? texts.text('keys.never') : texts.dayOf(expires_at)),
    },
    {
      head: '',
      cell: ({ id, name }) =>
        html`<form method="post" action="/shop/account/keys/end"><input type="hidden" name="key" value="${id}"><button class="quiet danger" aria-label="${texts.text('keys.revoke_label', { name })}">${say(texts, 'keys.revoke')}</button></form>`,
      onPhone: 'lead',
    },
  ];
}

function spentOf(texts: Texts, { budget_usd, spent_usd }: ShownKey): string {
  if (budget_usd === null) return texts.text('keys.no_limit');
  return texts.text('keys.spent_of', {
    spent: texts.decimal(spent_usd ?? '0.00'),
    budget: texts.usd(budget_usd),
  });
}
