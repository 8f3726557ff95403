import type { Money } from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { FlaggedOrder } from '../../../payment/fraud-signal.ts';
import type { FoundOrder, OrderFilter } from '../../../payment/order-search.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type {
  OpenWebhookEvent,
  PastDue,
  ReturnedPayment,
  UnfinishedOrder,
} from '../../../payment/revenue-report.ts';
import type { Html } from '../../pages/frame.ts';
import { field, filterForm, pages, queryOf, select } from './fields.ts';
import { count, day, moment, sign, table, usd } from './figures.ts';
import { type ListedOrder, link, orders, pageOf, signalNames, statusOf } from './orders.ts';

/** Returns the URL of a payment at the processor, or null when it has no such page. */
export type ProcessorPage = (payment: string) => string | null;
export type PaymentListFacts = {
  /** Refund requests without an answer. */
  requests: readonly RefundRequest[];
  /** Open early fraud warnings and reviews. */
  flagged: readonly FlaggedOrder[];
  unfinished: readonly UnfinishedOrder[];
  returned: readonly ReturnedPayment[];
  webhookEvents: readonly OpenWebhookEvent[];
  pastDue: readonly PastDue[];
  declined: readonly ListedOrder[];
  all: readonly FoundOrder[];
  /** The last of these orders when there are more. */
  next: string | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  filter: OrderFilter;
  /** The ids of plans, to choose from. */
  plans: readonly string[];
  /** True for the first page without a filter, which starts with the open tasks. */
  hasTasks: boolean;
  canExport: boolean;
};

/** Payments: open tasks first, then refunds and disputes, declined payments, and all payments. */
export function payments(facts: PaymentListFacts, processorPage: ProcessorPage): Html {
  const parts: Part[] = [
    {
      ...{ id: 'requests', name: 'Refund requests', rows: facts.requests.map(request) },
      about: 'Open a purchase to answer its request. The buyer sees your answer.',
      columns: [
        'Purchase',
        { number: 'Requested, USD', onPhone: 'lead' },
        { number: 'Paid' },
        { number: 'Unspent' },
        { bare: 'Reason' },
        { bare: 'Requested at' },
        '',
      ],
    },
    {
      ...{ id: 'flagged', name: 'Fraud warnings and reviews', rows: facts.flagged.map(flagged) },
      about:
        'Payments that the card issuer or Radar considers suspicious. Refund the purchase, freeze its account, or approve the review at the processor.',
      columns: [
        'Order',
        { bare: 'Signal' },
        { bare: 'Reason' },
        { number: 'USD', onPhone: 'lead' },
        { bare: 'When' },
      ],
    },
    {
      ...{ id: 'unfinished', name: 'Unfinished charges', rows: facts.unfinished.map(unfinished) },
      about:
        'Orders whose charge has no outcome yet. Reconciliation checks them every 20 seconds. Review the orders that stay here.',
      columns: [
        'Order',
        { bare: 'Created' },
        { bare: 'Status' },
        { number: 'USD', onPhone: 'lead' },
        { bare: 'Reason' },
      ],
    },
    {
      ...{ id: 'webhook-events', name: 'Failed webhook events' },
      rows: facts.webhookEvents.map(webhookEvent),
      about:
        'Events of the processor that could not be processed. The processor sends them again; npm run reconcile also processes them.',
      columns: ['Event', { bare: 'Type' }, { bare: 'Received' }, { number: 'Attempts' }, { bare: 'Error' }],
    },
    {
      ...{ id: 'past-due', name: 'Unpaid renewals', rows: facts.pastDue.map(pastDue) },
      about:
        'The processor charges these again on its own schedule. Plan units stay available during the grace period.',
      columns: ['Subscription', { bare: 'Account' }, { bare: 'Plan' }, 'Period ended'],
    },
    {
      ...{ id: 'returned', name: 'Refunds and disputes' },
      rows: facts.returned.map((one) => returned(one, processorPage)),
      about:
        'A refund or dispute removes the credit that the payment bought. Credit is restored when the money returns.',
      columns: [
        'Kind',
        { number: 'USD', onPhone: 'lead' },
        { bare: 'At the processor' },
        { bare: 'In the ledger' },
        { bare: 'Order' },
        { bare: 'When' },
        '',
      ],
    },
  ];
  const open = parts.filter(({ rows }) => rows.length > 0);
  const empty = parts.filter(({ rows }) => rows.length === 0).map(({ name }) => name.toLowerCase());
  return html`<h1>Payments</h1>
${facts.hasTasks ? open.map(part) : ''}
${facts.hasTasks && facts.declined.length > 0 ? declinedOrders(facts.declined) : ''}
${allPayments(facts)}
${facts.hasTasks && empty.length > 0 ? html`<p class="soft">There are no ${empty.join(', no ')}.</p>` : ''}`;
}

/** The latest declined payments, and a link to all of them. */
function declinedOrders(all: readonly ListedOrder[]): Html {
  const rest =
    all.length > shownMax ? html`<p><a href="${path}?state=declined">All declined payments</a></p>` : '';
  return html`<section aria-labelledby="declined"><h2 id="declined">Declined in the last 30 days</h2>${orders('Declined payments', all.slice(0, shownMax), ({ failure }) => failure ?? '')}${rest}</section>`;
}

const path = '/admin/console/payments';
/** Rows of a task that are shown at first. */
const shownMax = 5;
const stateNames = [
  ['', 'all'],
  ['granted', 'paid'],
  ['refunded', 'refunded'],
  ['disputed', 'disputed'],
  ['declined', 'declined'],
  ['claimed', 'being charged'],
] as const;
const railOptions = [
  ['', 'all'],
  ['card', 'card page'],
  ['mpp', 'program (MPP)'],
  ['x402', 'stablecoin'],
  ['invoice', 'renewal'],
  ['top_up', 'auto top-up'],
] as const;

/** All payments that match the filter, with the filter's form. */
function allPayments({ all, next, isFirst, filter, plans, canExport }: PaymentListFacts): Html {
  const { text, ...others } = filter;
  const query = queryOf({ q: text, ...others });
  const fields = [
    field({
      name: 'q',
      label: 'Email address of the buyer, or an id',
      value: text ?? '',
      placeholder: 'ada@example.com, pur_, pi_, acc_',
    }),
    select('state', 'Status', stateNames, filter.state ?? ''),
    select('rail', 'Method', railOptions, filter.rail ?? ''),
    select('plan', 'Plan', [['', 'all'], ...plans.map((plan) => [plan, plan] as const)], filter.plan ?? ''),
    field({ name: 'from', label: 'From', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'To', type: 'date', value: filter.to ?? '' }),
  ];
  const listed = all.map(({ order, email, reversed }) => ({ order, buyer: email, reversed }));
  return html`<section aria-labelledby="all"><h2 id="all">All payments</h2>
${filterForm(path, fields, query, canExport ? `${path}.csv` : null)}
${all.length === 0 ? html`<p class="soft">${query === '' ? 'None.' : 'No payment matches.'}</p>` : orders('Orders', listed, ({ rail, failure }) => failure ?? rail.replace('_', ' '))}
${pages(path, query, isFirst, next === null ? null : `after=${encodeURIComponent(next)}`)}</section>`;
}

type Part = {
  id: string;
  name: string;
  about: string;
  rows: readonly Html[];
  columns: Parameters<typeof table>[1];
};

function part({ id, name, about, rows, columns }: Part): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><p class="soft">${about}</p>${table(name, columns, rows.slice(0, shownMax))}${more(name, columns, rows.slice(shownMax))}</section>`;
}

/** The rows of a task beyond the first ones, folded. */
function more(name: string, columns: Part['columns'], rows: readonly Html[]): Html {
  if (rows.length === 0) return html``;
  return html`<details><summary>Show ${count(rows.length)} more</summary>${table(name, columns, rows)}</details>`;
}

function request(one: RefundRequest): Html {
  return html`<tr><th scope="row">${link(one.purchase)}</th><td class="number">${withTax(one.amount, one.tax)}</td><td class="number">${withTax(one.paid, one.paidTax)}</td><td class="number">${usd(one.unspent)}</td><td class="words">${one.reason}</td><td>${moment(one.askedMs)}</td><td><a href="${pageOf(one.purchase)}">Review</a></td></tr>`;
}

/** Formats a net amount and the tax on top of it. */
function withTax(net: Money, tax: Money): string {
  return tax > 0 ? `${usd(net)} + ${usd(tax)} tax` : usd(net);
}

function flagged(one: FlaggedOrder): Html {
  return html`<tr><th scope="row">${link(one.order)}</th><td>${signalNames[one.kind]}</td><td>${one.reason.replaceAll('_', ' ')}</td><td class="number">${usd(one.amount)}</td><td>${moment(one.createdMs)}</td></tr>`;
}

function unfinished({ order, isAtWork, reason }: UnfinishedOrder): Html {
  const why = reason ?? (isAtWork ? 'a process is charging it' : 'waiting for reconciliation');
  return html`<tr><th scope="row">${link(order.id)}</th><td>${moment(order.createdMs)}</td><td>${statusOf(order)}</td><td class="number">${usd(order.amount)}</td><td>${why}</td></tr>`;
}

function returned(one: ReturnedPayment, processorPage: ProcessorPage): Html {
  const page = one.payment === null ? null : processorPage(one.payment);
  return html`<tr><th scope="row">${one.kind}</th><td class="number">${usd(one.amount)}</td>
<td>${sign(one.status.replaceAll('_', ' '), one.kind === 'dispute' && one.isEffective)} ${one.reason?.replaceAll('_', ' ') ?? ''}</td><td>${inLedger(one)}</td><td>${link(one.order)}</td><td>${moment(one.createdMs)}</td><td>${page === null ? '' : html`<a href="${page}">At the processor</a>`}</td></tr>`;
}

/** The effect on the ledger. */
function inLedger({ isEffective, loss }: Pick<ReturnedPayment, 'isEffective' | 'loss'>): string {
  if (!isEffective) return 'credit restored';
  return loss > 0 ? `credit removed; ${usd(loss)} USD had been spent` : 'credit removed';
}

function webhookEvent(one: OpenWebhookEvent): Html {
  return html`<tr><th scope="row" class="id">${one.id}</th><td>${one.type}</td><td>${moment(one.receivedMs)}</td><td class="number">${count(one.attempts)}</td><td>${one.failure ?? 'being processed'}</td></tr>`;
}

function pastDue(one: PastDue): Html {
  return html`<tr><th scope="row" class="id">${one.subscription}</th><td><a class="id" href="/admin/console/accounts/${one.account}">${one.account}</a></td><td>${one.plan}</td><td>${day(one.periodEndMs)}</td></tr>`;
}
