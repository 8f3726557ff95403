import { html, raw } from 'hono/html';
import { type AuditEntry, type AuditFilter, tokenName } from '../../../identity/audit.ts';
import type { Html } from '../../pages/frame.ts';
import { detailsOf } from './audit-details.ts';
import { nameOfAct, sentence } from './audit-sentence.ts';
import { field, filterForm, listTop, pages, queryOf, select } from './fields.ts';
import { moment, sign, table } from './figures.ts';
import { emailText, type PlanName, pageOf, shortId } from './orders.ts';

/** A filter as it was entered. */
export type TypedFilter = Omit<AuditFilter, 'accounts'> & { account?: string };

export type AuditFacts = {
  filter: TypedFilter;
  /** Why no account is meant by the filter; null if one is, or without this filter. */
  accountFault: string | null;
  /** The actions that the log contains. */
  acts: readonly string[];
  entries: readonly AuditEntry[];
  /** The last entry of this page when there are more. */
  next: number | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  canExport: boolean;
  planName: PlanName;
};

const path = '/admin/console/audit';

/** The lists of the log: its sign-ins have one of their own. */
const views: readonly { name: string; show?: string; signIns?: AuditFilter['signIns'] }[] = [
  { name: 'Actions', signIns: 'none' },
  { name: 'Sign-ins', show: 'sign-ins', signIns: 'only' },
  { name: 'All', show: 'all' },
];

/** Links to the lists, with the rest of the filter. */
function viewLinks({ act: _, ...others }: TypedFilter, shown: (typeof views)[number] | undefined): Html {
  const link = (view: (typeof views)[number]) => {
    const query = queryOf({ ...others, show: view.show });
    return html`<a href="${path}${query === '' ? '' : `?${query}`}"${view === shown ? raw(' aria-current="page"') : ''}>${view.name}</a>`;
  };
  return html`<nav class="views" aria-label="Lists">${views.map(link)}</nav>`;
}

/** The audit log, the newest entry first. */
export function audit(facts: AuditFacts): Html {
  const { filter, acts, entries, next, isFirst, canExport, planName } = facts;
  const fields = [
    field({
      ...{ name: 'account', label: 'Account', value: filter.account ?? '' },
      placeholder: 'Email address or id',
    }),
    field({
      ...{ name: 'text', label: 'Person', value: filter.text ?? '' },
      placeholder: 'Name or email address',
    }),
    select(
      'act',
      'Action',
      [['', 'All'], ...acts.map((act) => [act, nameOfAct(act)] as const)],
      filter.act ?? '',
    ),
    field({ name: 'from', label: 'From', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'To', type: 'date', value: filter.to ?? '' }),
  ];
  const { signIns, ...restriction } = filter;
  const shown = filter.act === undefined ? views.find((view) => view.signIns === signIns) : undefined;
  const query = queryOf({ ...restriction, show: shown?.show });
  const isEmpty = entries.length === 0 && isFirst;
  return html`${listTop('Audit log', canExport && !isEmpty ? `${path}.csv` : null, query)}
${viewLinks(restriction, shown)}
<section aria-labelledby="acts"><h2 id="acts" class="hidden">Actions</h2>
${filterForm(path, fields, queryOf(restriction), !!(filter.act || filter.from || filter.to), shown?.show)}
${entries.length === 0 ? (facts.accountFault === null ? empty(restriction, isFirst, shown) : html`<p class="soft" role="status">${facts.accountFault}</p>`) : log(entries, planName)}
${pages(path, query, isFirst, next === null ? null : `before=${next}`)}</section>`;
}

/** Why a list is empty. */
function empty(restriction: TypedFilter, isFirst: boolean, shown: (typeof views)[number] | undefined): Html {
  const text =
    !isFirst || queryOf(restriction) !== ''
      ? `No actions match.${restriction.text === undefined ? '' : ' A person who is no longer in the team is found by email address only.'}`
      : shown?.signIns === 'only'
        ? 'No sign-ins yet.'
        : 'No actions yet. Everything that people do in the console or by commands is listed here, such as refunds, grants and publications.';
  return html`<p class="soft">${text}</p>`;
}

/** A table of audit entries: what was done to whom, its details, who did it from which address, and when. */
export function log(entries: readonly AuditEntry[], planName: PlanName): Html {
  const row = (entry: AuditEntry) => {
    const { atMs, who, act, before, after } = entry;
    const { name, address } = actor(who);
    const { what, details } = detailsOf(act, before, after, planName);
    const done = sentence(act, subjectLink(entry), subjectMatter(act, what), isMade(act, after));
    return html`<tr><th scope="row" class="words">${done}</th><td>${details}${isUnknown(act, after) ? sign('outcome unknown', true) : ''}</td><td>${name.includes('@') ? emailText(name) : html`<span class="nowrap">${name}</span>`}${address === '' ? '' : html` <span class="soft small">${address}</span>`}</td><td>${moment(atMs)}</td></tr>`;
  };
  const columns = ['Action', { bare: 'Details' }, { bare: 'Person' }, { bare: 'When' }];
  return table('Actions', columns, entries.map(row), 'stack');
}

/** Actions whose outcome is recorded later than their start. */
const twoSteps = new Set([
  'refund',
  'plan_cancelled',
  'reload',
  'signing_key_rotated',
  'signing_key_dropped',
]);

/** Returns true for an action that was started and whose outcome is not recorded. */
export function isUnknown(act: string, after: unknown): boolean {
  return after === null && twoSteps.has(act);
}

/** Returns false for a refund or a cancellation that was not made, or perhaps not. */
function isMade(act: string, after: unknown): boolean {
  if (act === 'plan_cancelled') return after !== null && !('outcome' in Object(after));
  return act !== 'refund' || (Object(after) as { amount?: unknown; id?: unknown }).id !== undefined;
}

/** The actor, and the address of the browser. */
export function actor(who: string): { name: string; address: string } {
  const [, name = who, address = ''] = /^(.*) at (\S+)$/.exec(who) ?? [];
  return { name: name === 'admin' ? tokenName : name, address };
}

/** An id of programs; a code or a name is shown in full. */
const longId = /^[a-z]{2,6}_\w{16,}$/;

/** Returns the subject matter of an action, an event as a link to its page. */
function subjectMatter(act: string, what: string | null): Html | string | null {
  return act === 'event_hurried' && what !== null
    ? html`<a href="/admin/console/events/${what}"><span class="id">${shortId(what)}</span></a>`
    : what;
}

/** The subject of an action, as a link when it has a page: the buyer's address, the address of an endpoint, or the start of the id. */
function subjectLink({ subject, email, url }: AuditEntry): Html {
  const page = subject.startsWith('acc_')
    ? `/admin/console/accounts/${subject}`
    : subject.startsWith('pur_')
      ? pageOf(subject)
      : null;
  if (subject === 'console') return html``;
  if (url !== null) return html`${url}`;
  if (page === null)
    return subject.includes('@')
      ? emailText(subject)
      : html`<span class="id">${longId.test(subject) ? shortId(subject) : subject}</span>`;
  const link = html`<a href="${page}">${email === null ? html`<span class="id">${shortId(subject)}</span>` : emailText(email)}</a>`;
  return email === null && subject.startsWith('pur_') ? html`the buyer of ${link}` : link;
}
