import { html } from 'hono/html';
import type { AuditEntry, AuditFilter } from '../../../identity/audit.ts';
import type { Html } from '../../pages/frame.ts';
import { detailsOf } from './audit-details.ts';
import { field, filterForm, pages, queryOf, select } from './fields.ts';
import { moment, sign, table } from './figures.ts';
import { pageOf } from './orders.ts';

export type AuditFacts = {
  filter: AuditFilter;
  /** The actions that the log contains. */
  acts: readonly string[];
  entries: readonly AuditEntry[];
  /** The last entry of this page when there are more. */
  next: number | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  canExport: boolean;
};

const path = '/admin/console/audit';

/** The audit log, the newest entry first. */
export function audit({ filter, acts, entries, next, isFirst, canExport }: AuditFacts): Html {
  const fields = [
    field({ name: 'account', label: 'Account', value: filter.account ?? '' }),
    field({ name: 'text', label: 'Person', value: filter.text ?? '' }),
    select(
      'act',
      'Action',
      [['', 'all'], ...acts.map((act) => [act, wordsOf(act)] as const)],
      filter.act ?? '',
    ),
    field({ name: 'from', label: 'From', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'To', type: 'date', value: filter.to ?? '' }),
  ];
  const query = queryOf(filter);
  return html`<h1>Audit log</h1>
<section aria-label="Actions">
${filterForm(path, fields, query, canExport ? `${path}.csv` : null)}
${entries.length === 0 ? html`<p class="soft">No actions match.</p>` : log(entries)}
${pages(path, query, isFirst, next === null ? null : `before=${next}`)}</section>`;
}

/** A table of audit entries: when, who, what, on whom, and what changed. */
export function log(entries: readonly AuditEntry[]): Html {
  const row = ({ atMs, who, act, subject, before, after }: AuditEntry) =>
    html`<tr><th scope="row">${wordsOf(act)}</th><td>${moment(atMs)}</td><td>${actor(who)}</td><td>${subjectLink(subject)}</td>
<td>${detailsOf(act, before, after)}${after === null ? sign('outcome unknown', true) : ''}</td></tr>`;
  const columns = ['What', { bare: 'When' }, { bare: 'Who' }, { bare: 'On whom' }, { bare: 'Details' }];
  return table('Actions', columns, entries.map(row), 'stack');
}

/** The actor, with the address in small print. */
function actor(who: string): Html {
  const [, name, address] = /^(.*) at (\S+)$/.exec(who) ?? [];
  return name === undefined ? html`${who}` : html`${name}<br><span class="soft small">${address}</span>`;
}

/** The name of an action as words. */
export function wordsOf(act: string): string {
  const words = act.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The subject of an action, as a link when it has a page. */
function subjectLink(subject: string): Html {
  if (subject.startsWith('acc_'))
    return html`<a class="id short" href="/admin/console/accounts/${subject}">${subject}</a>`;
  if (subject.startsWith('pur_')) return html`<a class="id short" href="${pageOf(subject)}">${subject}</a>`;
  return html`<span class="id">${subject}</span>`;
}
