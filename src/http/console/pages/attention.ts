import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Task } from '../../../journeys/attention.ts';
import { problemsMax } from '../../../payment/attention.ts';
import type { Html } from '../../pages/frame.ts';
import { between, count, table, usd } from './figures.ts';

const payments = '/admin/console/payments';
const health = '/admin/console/health';
const events = '/admin/console/events';

type Wording = { what: (task: Task) => string; where: string };

const wordings: Readonly<Record<Task['kind'], Wording>> = {
  refund_requests: { what: () => 'Refund requests', where: `${payments}#requests` },
  disputes: {
    what: ({ figure = 0 }) => `Open disputes: ${usd(Money.ofMicro(figure))} USD`,
    where: `${payments}#returned`,
  },
  in_doubt: { what: () => 'Charges with an unknown outcome', where: `${payments}#unfinished` },
  unreconciled: {
    what: () => 'Orders that reconciliation could not resolve',
    where: `${payments}#unfinished`,
  },
  flagged: { what: () => 'Payments with a fraud warning or an open review', where: `${payments}#flagged` },
  slowed: {
    what: () => 'Cards, accounts or addresses with too many declined payments',
    where: `${payments}#declined`,
  },
  webhook_events: { what: () => 'Failed webhook events', where: `${payments}#webhook-events` },
  past_due: { what: () => 'Unpaid renewals', where: `${payments}#past-due` },
  declined: { what: () => 'Declined payments', where: `${payments}#declined` },
  upstream_errors: {
    what: ({ figure = 0 }) => `Upstream errors: ${figure}% of the calls of a day`,
    where: `${health}#upstream`,
  },
  uncountable: { what: () => 'Responses that could not be counted', where: `${health}#uncountable` },
  above_hold: { what: () => 'Calls that used more than was held', where: `${health}#uncountable` },
  low_margins: { what: () => 'Services or models with a low margin', where: '#services' },
  mail_failed: { what: () => 'Mails that could not be delivered', where: `${health}#mail` },
  mail_waiting: { what: () => 'Mails that fail and are tried again', where: `${health}#mail` },
  events_failed: { what: () => 'Events that could not be delivered', where: `${events}?state=failed` },
  events_waiting: { what: () => 'Endpoints of events that fail', where: `${events}#endpoints` },
  endpoints_disabled: { what: () => 'Endpoints of events that were disabled', where: `${events}#endpoints` },
  silent: { what: () => 'Processes without a heartbeat', where: `${health}#writers` },
  holds_credit: { what: () => 'Ended processes that still hold credit', where: `${health}#writers` },
  low_disk: {
    what: ({ figure = 0 }) => `Low disk: ${count(Math.floor(figure / 1_048_576))} MB are free`,
    where: `${health}#checks`,
  },
  hidden_addresses: {
    what: () =>
      'Missing setting CLIENT_ADDRESS_HEADER: requests come through a local proxy, so all callers share the limits of one address',
    where: health,
  },
};

/** The tasks of the front page, each with its number, its first and last time, and a link to its list. */
export function attention(tasks: readonly Task[]): Html {
  const many = (value: number) => (value >= problemsMax ? `${count(problemsMax)}+` : count(value));
  const row = (task: Task) => {
    const { what, where } = wordings[task.kind];
    return html`<tr><th scope="row"><a href="${where}">${what(task)}</a></th><td class="number"><b>${many(task.count)}</b></td><td class="soft">${between(task.firstMs, task.lastMs)}</td></tr>`;
  };
  return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
${tasks.length === 0 ? html`<p class="soft">All clear.</p>` : table('Needs attention', ['Task', { number: 'Number', onPhone: 'lead' }, { bare: 'Since' }], tasks.map(row), 'stack')}</section>`;
}
