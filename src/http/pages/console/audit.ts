import { html } from 'hono/html';
import type { AuditEntry } from '../../../identity/audit.ts';
import type { Html } from '../frame.ts';
import { moment, table } from './figures.ts';

export type Facts = {
  account: string | null;
  entries: readonly AuditEntry[];
  /** The last entry of this page, where there are more. */
  next: number | null;
};

/** What was done, by whom, the newest first. */
export function audit({ account, entries, next }: Facts): Html {
  const filter = account === null ? '' : `&account=${encodeURIComponent(account)}`;
  return html`<h1>Audit log</h1>
<section aria-labelledby="filter"><h2 id="filter">Of one account</h2>
<form class="row" method="get" action="/admin/console/audit"><div><label for="account">Account, with its orders; empty for all</label>
<input id="account" name="account" value="${account ?? ''}" autocomplete="off" autocapitalize="off" spellcheck="false"></div><button>Show</button></form></section>
<section aria-labelledby="acts"><h2 id="acts">What was done</h2>
${entries.length === 0 ? html`<p class="soft">Nothing.</p>` : log(entries)}
${next === null ? '' : html`<nav class="pages" aria-label="Pages"><a href="/admin/console/audit?before=${next}${filter}">Older</a></nav>`}</section>`;
}

/** Entries as a table. */
export function log(entries: readonly AuditEntry[]): Html {
  const row = ({ atMs, who, act, subject, before, after }: AuditEntry) =>
    html`<tr><td>${moment(atMs)}</td><td>${who}</td><td>${act.replaceAll('_', ' ')}</td><td class="id">${subject}</td><td>${members(before)}</td><td>${after === null ? 'begun; its end is not known' : members(after)}</td></tr>`;
  return table('Acts', ['When', 'Who', 'Act', 'On', 'Before, or asked', 'After'], entries.map(row));
}

/** The members of a record, in one line. */
function members(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  return Object.entries(record)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
