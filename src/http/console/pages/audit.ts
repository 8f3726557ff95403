import { html } from 'hono/html';
import type { AuditEntry } from '../../../identity/audit.ts';
import type { Html } from '../../pages/frame.ts';
import { amount, moment, sign } from './figures.ts';
import { pageOf } from './orders.ts';

export type AuditFacts = {
  account: string | null;
  entries: readonly AuditEntry[];
  /** The last entry of this page when there are more. */
  next: number | null;
};

/** The audit log, the newest entry first. */
export function audit({ account, entries, next }: AuditFacts): Html {
  const filter = account === null ? '' : `&account=${encodeURIComponent(account)}`;
  return html`<h1>Audit log</h1>
<section aria-labelledby="filter"><h2 id="filter">Filter</h2>
<form class="row" method="get" action="/admin/console/audit"><div><label for="account">Account, including its orders (leave empty for all)</label>
<input id="account" name="account" value="${account ?? ''}" autocomplete="off" autocapitalize="off" spellcheck="false"></div><button>Filter</button></form></section>
<section aria-labelledby="acts"><h2 id="acts">Actions</h2>
${entries.length === 0 ? html`<p class="soft">No actions.</p>` : log(entries)}
${next === null ? '' : html`<nav class="pages" aria-label="Pages"><a href="/admin/console/audit?before=${next}${filter}">Older</a></nav>`}</section>`;
}

/** A list of audit entries. */
export function log(entries: readonly AuditEntry[]): Html {
  const entry = ({ atMs, who, act, subject, before, after }: AuditEntry) =>
    html`<li><p><b>${act.replaceAll('_', ' ')}</b> ${subjectLink(subject)}</p>
<p class="soft">${moment(atMs)}, ${who}</p>${line(act === 'refund' ? 'Requested' : 'Before', before)}${after === null ? html`<p>${sign('started; outcome unknown', true)}</p>` : line('After', after)}</li>`;
  return html`<ul class="log">${entries.map(entry)}</ul>`;
}

/** The subject of an action, as a link when it has a page. */
function subjectLink(subject: string): Html {
  if (subject.startsWith('acc_'))
    return html`<a class="id" href="/admin/console/accounts/${subject}">${subject}</a>`;
  if (subject.startsWith('pur_')) return html`<a class="id" href="${pageOf(subject)}">${subject}</a>`;
  return html`<span class="id">${subject}</span>`;
}

/** The members of a record in one line. */
function line(name: string, record: unknown): Html {
  const members = typeof record === 'object' && record !== null ? Object.entries(record) : [];
  const asset = members.find(([member]) => member === 'asset')?.[1] === 'unit' ? 'unit' : 'usd';
  const shown = members
    .filter(([member, value]) => value !== null && member !== 'asset')
    .map(([member, value]) => {
      if (member === 'amount' && typeof value === 'number') return amount(asset, value);
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${member.replaceAll('_', ' ')} ${text}`;
    });
  return shown.length === 0 ? html`` : html`<p><span class="soft">${name}:</span> ${shown.join(', ')}</p>`;
}
