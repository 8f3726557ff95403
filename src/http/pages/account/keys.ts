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
  /** The first of these days (`2030-01-31`). */
  firstDay: string;
  result: FormResult | null;
};

/** The keys of an account, and the form that creates one. */
export function keys(texts: Texts, facts: KeysFacts): Html {
  const { keys: all, result } = facts;
  const input = (
    name: string,
    label: string,
    attributes: Html,
    more: { isRequired?: boolean; hint?: string } = {},
  ) => html`<div>${field(texts, result, 'keys', { name, label, attributes, ...more })}</div>`;
  const isPaused = all.some(({ state }) => state === 'paused');
  const own = html`<section aria-labelledby="own"><h2 id="own">${say(texts, 'keys.title')}</h2>${list(texts, facts)}${isPaused ? html`<p class="hint">${say(texts, 'keys.paused_why')}</p>` : ''}</section>`;
  return html`<p class="soft intro">${say(texts, 'keys.intro')}</p>
${all.length === 0 ? '' : own}
<section aria-labelledby="new"><h2 id="new">${say(texts, 'keys.new')}</h2>
<form method="post" action="/shop/account/keys"><div class="row">${input('name', texts.text('keys.name'), html`maxlength="100" autocomplete="off" placeholder="${texts.text('keys.name_example')}"`, { isRequired: true })}${input('budget_usd', texts.text('keys.budget'), html`inputmode="decimal" autocomplete="off"`, { hint: texts.text('keys.budget_counts') })}${input('days', texts.text('keys.days'), html`inputmode="numeric" autocomplete="off"`)}</div>
<button>${say(texts, 'keys.create')}</button></form></section>`;
}

function list(texts: Texts, { keys: all, page, pages, ...used }: KeysFacts): Html {
  const link = (to: number, key: 'keys.previous' | 'keys.next') =>
    html`<a href="/shop/account/keys?page=${to}">${say(texts, key)}</a> `;
  return html`${table(all, columns(texts, all, used))}${pages === 1 ? '' : html`<p class="range">${page > 1 ? link(page - 1, 'keys.previous') : ''}${page < pages ? link(page + 1, 'keys.next') : ''}</p>`}`;
}

function columns(
  texts: Texts,
  all: readonly ShownKey[],
  { lastUse, days, firstDay }: Pick<KeysFacts, 'lastUse' | 'days' | 'firstDay'>,
): [Column<ShownKey>, ...Column<ShownKey>[]] {
  const usedOn = ({ id, created_at }: ShownKey) => {
    const day = lastUse.get(id);
    if (day !== undefined) return texts.dayOf(day);
    return created_at.slice(0, 10) >= firstDay
      ? texts.text('keys.unused_new')
      : texts.text('keys.unused', { count: days });
  };
  const usedBy = new Set(all.map(({ created_by }) => created_by));
  const creator = ({ created_by }: ShownKey) =>
    usedBy.size < 2 || created_by === null
      ? ''
      : html`<br><small>${say(texts, 'keys.created_by', { email: created_by })}</small>`;
  return [
    {
      head: texts.text('keys.name'),
      cell: (key) =>
        html`<a href="/shop/account/usage?key=${key.id}">${key.name}</a>${key.state === 'paused' ? html` <span class="sign">${say(texts, 'keys.paused')}</span>` : ''}${creator(key)}`,
    },
    { head: texts.text('keys.key'), cell: ({ hint }) => html`<code>${hint}</code>`, onPhone: 'bare' },
    { head: texts.text('keys.created'), cell: ({ created_at }) => texts.dayOf(created_at), isShort: true },
    {
      head: texts.text('keys.last_used'),
      cell: usedOn,
      isShort: true,
      phone: (key) => (lastUse.has(key.id) ? null : usedOn(key)),
    },
    {
      head: texts.text('keys.spent'),
      cell: (key) => spentOf(texts, key),
      isShort: true,
      phone: ({ budget_usd }) => (budget_usd === null ? texts.text('keys.no_limit_phone') : null),
    },
    {
      head: texts.text('keys.expires'),
      cell: ({ expires_at }) => (expires_at === null ? texts.text('keys.never') : texts.dayOf(expires_at)),
      isShort: true,
      phone: ({ expires_at }) => (expires_at === null ? texts.text('keys.never_phone') : null),
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
