import { html } from 'hono/html';
import type { Task } from '../../../journeys/attention.ts';
import { problemsMax } from '../../../payment/attention.ts';
import type { Html } from '../../pages/frame.ts';
import { between, count, day, money } from './figures.ts';

const payments = '/admin/console/payments';
const health = '/admin/console/health';
const events = '/admin/console/events';

/** `whereToEdit`: the form for persons who may publish. */
type Wording = { what: (task: Task) => string; where: string; whereToEdit?: string };

const wordings: Readonly<Record<Task['kind'], Wording>> = {
  refund_requests: { what: () => 'Refund requests', where: `${payments}?view=requests` },
  disputes: {
    what: ({ dueMs }) => (dueMs === undefined ? 'Open disputes' : 'Open disputes: respond to them'),
    where: `${payments}?view=returned`,
  },
  inquiries: {
    what: ({ dueMs }) =>
      dueMs === undefined ? 'Open inquiries of banks' : 'Open inquiries of banks: respond or refund',
    where: `${payments}?view=returned`,
  },
  in_doubt: { what: () => 'Unfinished charges', where: `${payments}?view=unfinished` },
  unreconciled: {
    what: () => 'Purchases that differ from the records of the card processor',
    where: `${payments}?view=unfinished`,
  },
  flagged: {
    what: () => 'Payments with a fraud warning or an open review',
    where: `${payments}?view=flagged`,
  },
  slowed: {
    what: () => 'Cards, accounts or addresses with too many declined payments',
    where: `${payments}?state=declined`,
  },
  webhook_events: {
    what: () => 'Messages of the card processor that were not handled',
    where: `${payments}?view=webhook-events`,
  },
  past_due: { what: () => 'Unpaid renewals', where: `${payments}?view=past-due` },
  declined: { what: () => 'Declined payments', where: `${payments}?state=declined` },
  upstream_errors: {
    what: ({ figure = 0 }) => `Your API fails: ${figure}% of the calls of a day`,
    where: `${health}#upstream`,
  },
  uncountable: {
    what: () => 'Responses whose results could not be counted, so they were not charged as usual',
    where: `${health}#uncountable`,
  },
  above_hold: {
    what: () => 'Calls that cost more than was set aside for them',
    where: `${health}#uncountable`,
  },
  low_margins: {
    what: () => 'Services or models with a low margin',
    where: '#services',
    whereToEdit: '/admin/console/catalogue/prices',
  },
  mail_failed: { what: () => 'Mail that could not be delivered', where: `${health}#mail` },
  mail_waiting: { what: () => 'Mail that failed and is tried again', where: `${health}#mail` },
  events_failed: { what: () => 'Events whose delivery was given up', where: `${events}?state=failed` },
  events_waiting: { what: () => 'Failing webhook endpoints', where: `${events}#endpoints` },
  endpoints_disabled: { what: () => 'Disabled webhook endpoints', where: `${events}#endpoints` },
  books: {
    what: () => 'Differences in the books',
    where: `${health}#verify`,
  },
  silent: { what: () => 'Server processes that do not answer', where: `${health}#writers` },
  holds_credit: { what: () => 'Ended processes that still hold credit', where: `${health}#writers` },
  low_disk: {
    what: ({ figure = 0 }) => `Low disk: ${count(Math.floor(figure / 1_048_576))} MB are free`,
    where: `${health}#checks`,
  },
  hidden_addresses: {
    what: () =>
      'Missing setting CLIENT_ADDRESS_HEADER: requests come through a local proxy, so all callers share the limits of one address',
    where: `${health}#addresses`,
  },
};

/** Tasks that cost money or buyers while they wait, in the order of the page. */
const urgent: ReadonlySet<Task['kind']> = new Set([
  ...(['disputes', 'inquiries', 'refund_requests', 'flagged', 'in_doubt', 'unreconciled'] as const),
  ...(['past_due', 'books', 'upstream_errors', 'holds_credit', 'silent', 'low_disk'] as const),
]);

/** The tasks of the front page, each with its number, its sum, its first and last time, and a link to its list. */
export function attention(tasks: readonly Task[], canPublish: boolean): Html {
  const sorted = [...urgent, ...Object.keys(wordings)] as Task['kind'][];
  const ordered = tasks.toSorted((one, other) => sorted.indexOf(one.kind) - sorted.indexOf(other.kind));
  const many = (value: number) => (value >= problemsMax ? `${count(problemsMax)}+` : count(value));
  const row = (task: Task) => {
    const { what, where, whereToEdit = where } = wordings[task.kind];
    const kind = urgent.has(task.kind) ? 'count' : 'count mild';
    const sum = task.amount === undefined ? '' : money(task.amount);
    return html`<li><b class="${kind}">${many(task.count)}</b> <a href="${canPublish ? whereToEdit : where}">${what(task)}</a> <span class="sum">${sum}</span> <span class="soft">${task.dueMs === undefined ? between(task.firstMs, task.lastMs) : `Due ${day(task.dueMs)}`}</span></li>`;
  };
  return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
${tasks.length === 0 ? html`<p>Nothing needs your attention.</p>` : html`<ul class="tasks">${ordered.map(row)}</ul>`}</section>`;
}
