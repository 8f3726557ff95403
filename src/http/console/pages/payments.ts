import type { Money } from '@sluice/kernel/money';
import { html, raw } from 'hono/html';
import type { FlaggedOrder } from '../../../payment/fraud-signal.ts';
import type { FoundOrder, OrderFilter } from '../../../payment/order-search.ts';
import type { ListedRefundRequest } from '../../../payment/refund-request.ts';
import type { OpenWebhookEvent, ReturnedPayment, UnfinishedOrder } from '../../../payment/revenue-report.ts';
import { isByHand, isInquiry } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { kindOf, needsResponse } from './dispute.ts';
import { field, filterForm, listTop, pages, queryOf, select } from './fields.ts';
import { copied, count, day, exact, moment, money, sign, table, usd, words } from './figures.ts';
import {
  buyerLink,
  orderLink,
  orders,
  type PlanName,
  pageOf,
  railNames,
  signalNames,
  signalReason,
} from './orders.ts';
import { state } from './states.ts';
import * as Unfinished from './unfinished.ts';
import * as Renewals from './unpaid-renewals.ts';

/** Returns the URL of a payment at the processor, or null when it has no such page. */
export type ProcessorPage = (payment: string) => string | null;
export type PaymentListFacts = {
  /** The list that is shown; null for that of all payments. */
  view: string | null;
  /** Refund requests without an answer. */
  requests: readonly ListedRefundRequest[];
  /** Open early fraud warnings and reviews. */
  flagged: readonly FlaggedOrder[];
  unfinished: readonly UnfinishedOrder[];
  returned: readonly ReturnedPayment[];
  webhookEvents: readonly OpenWebhookEvent[];
  pastDue: readonly Renewals.UnpaidRenewal[];
  nowMs: number;
  /** Payments that were declined in the last 30 days. */
  declined: number;
  all: readonly FoundOrder[];
  /** The last of these orders when there are more. */
  next: string | null;
  /** False for a page after the newest one. */
  isFirst: boolean;
  filter: OrderFilter;
  /** The plans to choose from. */
  plans: readonly { id: string; name: string }[];
  planName: PlanName;
  canExport: boolean;
};

/** Payments: all of them with a filter, and a list of each kind that waits for the seller. */
export function payments(facts: PaymentListFacts, processorPage: ProcessorPage): Html {
  const parts = partsOf(facts, processorPage);
  const shown = parts.find(({ id }) => id === facts.view);
  const csv = shown === undefined && facts.canExport && facts.all.length > 0 ? `${path}.csv` : null;
  return html`${listTop('Payments', csv, queryOfFilter(facts.filter))}
${tabs(facts, parts)}
${shown === undefined ? allPayments(facts) : part(shown)}`;
}

function partsOf(facts: PaymentListFacts, processorPage: ProcessorPage): Part[] {
  return [
    {
      ...{ id: 'requests', name: 'Refund requests', rows: facts.requests.map(request) },
      about: 'Open a purchase to answer its request. The buyer sees your answer.',
      empty: 'No buyer waits for an answer. Buyers ask for a refund on their account page.',
      isUsual: true,
      columns: [
        'Amount asked',
        { bare: 'Buyer' },
        { number: 'Paid' },
        { number: 'Unspent' },
        { bare: 'Reason' },
        { bare: 'Date' },
      ],
    },
    {
      ...{ id: 'returned', name: 'Refunds and disputes' },
      rows: facts.returned.map((one) => returned(one, processorPage)),
      open: facts.returned.filter(needsResponse).length,
      about:
        'A refund or dispute removes the credit that the payment bought. If the money returns, the credit is restored. An inquiry of the bank takes no money.',
      empty: 'No payment was refunded or disputed yet. To refund one, open it in the list of all payments.',
      isUsual: true,
      columns: [
        'Amount',
        { bare: 'Buyer' },
        { bare: 'Kind' },
        { lead: 'Status' },
        { bare: 'Reason' },
        { bare: 'Credit' },
        { bare: 'Date' },
        { bare: 'Next step' },
      ],
    },
    {
      ...{ id: 'flagged', name: 'Fraud warnings and reviews', rows: facts.flagged.map(flagged) },
      about:
        'Payments that the card issuer or the processor considers suspicious. Refund the purchase, freeze its account, or approve the review at the processor.',
      empty: 'No payment has a fraud warning or an open review.',
      columns: ['Amount', { lead: 'Signal' }, { bare: 'Buyer' }, { bare: 'Reason' }, { bare: 'When' }],
    },
    {
      ...{ id: 'unfinished', name: 'Unfinished charges', rows: facts.unfinished.map(Unfinished.row) },
      about: Unfinished.about,
      empty: 'Every charge has an outcome.',
      columns: Unfinished.columns,
    },
    {
      ...{
        id: 'past-due',
        name: 'Unpaid renewals',
        rows: facts.pastDue.map((one) => Renewals.row(one, facts.planName, facts.nowMs)),
      },
      about: Renewals.about,
      empty: 'No renewal is unpaid.',
      columns: Renewals.columns,
    },
    {
      ...{ id: 'webhook-events', name: 'Messages not handled' },
      rows: facts.webhookEvents.map(webhookEvent),
      about:
        'Messages of the card processor (webhook events) that the shop could not handle, such as that of a payment or a dispute. The processor sends them again by itself. Until then, the lists may lack what they report.',
      empty: 'All messages were handled.',
      columns: ['Type', { bare: 'Received' }, { number: 'Attempts' }, { bare: 'Error' }, 'Event'],
    },
  ];
}

/** Links to the lists, with the number of entries that wait for the seller. Lists of rare problems only while there are any. */
function tabs({ view, filter, declined }: PaymentListFacts, parts: readonly Part[]): Html {
  const isDeclined = filter.state === 'declined' && Object.keys(filter).length === 1;
  const tab = (query: string, name: string, waiting: number, isShown: boolean, isMild = false) =>
    html`<a href="${path}${query}"${isShown ? raw(' aria-current="page"') : ''}>${name}${waiting === 0 ? '' : html` <span class="count${isMild ? ' mild' : ''}">${count(waiting)}</span>`}</a>`;
  const ofPart = ({ id, name, rows, open = rows.length }: Part) =>
    tab(`?view=${id}`, name, open, view === id, id === 'webhook-events');
  const isAll = !isDeclined && !parts.some(({ id }) => id === view);
  const listed = parts.filter(({ isUsual, rows, id }) => isUsual || rows.length > 0 || id === view);
  const [usual, rare] = [listed.filter(({ isUsual }) => isUsual), listed.filter(({ isUsual }) => !isUsual)];
  return html`<nav class="views" aria-label="Lists">${tab('', 'All', 0, isAll)}${usual.map(ofPart)}${tab('?state=declined', 'Declined', declined, isDeclined, true)}${rare.map(ofPart)}</nav>`;
}

const path = '/admin/console/payments';
/** Rows of a list that are shown at first. */
const shownMax = 25;
const stateNames = [
  ['', 'All'],
  ['granted', 'Paid'],
  ['refunded', 'Refunded'],
  ['disputed', 'Disputed'],
  ['inquiry', 'Inquiry'],
  ['declined', 'Declined'],
  ['claimed', 'Being charged'],
] as const;
const railOptions = [['', 'All'], ...Object.entries(railNames)] as [string, string][];

function queryOfFilter({ text, ...others }: OrderFilter): string {
  return queryOf({ q: text, ...others });
}

/** Why a search or a filter has no result. */
function nothingFound({ filter: { text, state: wanted, from, to, ...others } }: PaymentListFacts): string {
  if (text !== undefined)
    return 'No payment matches. The search finds the start of an email address, the whole address of the payer of a plan, the start of the id of a purchase or account, and the whole id of a payment, charge, refund, dispute, customer, subscription or transaction.';
  if (from && to && from > to) return 'No payment matches: the first day is after the last one.';
  const isAlone = !from && !to && Object.keys(others).length === 0;
  return wanted === 'declined' && isAlone ? 'No payment was declined.' : 'No payment matches these filters.';
}

/** All payments that match the filter, with the filter's form. */
function allPayments(facts: PaymentListFacts): Html {
  const { all, next, isFirst, filter, plans, planName } = facts;
  const { text } = filter;
  const isMore = !!(filter.rail || filter.plan || filter.from || filter.to);
  const query = queryOfFilter(filter);
  const fields = [
    field({
      name: 'q',
      label: 'Search',
      value: text ?? '',
      placeholder: 'Start of email, or id',
    }),
    select('state', 'Status', stateNames, filter.state ?? ''),
    select('rail', 'Method', railOptions, filter.rail ?? ''),
    select(
      'plan',
      'Plan',
      [['', 'All'], ...plans.map(({ id, name }) => [id, name] as const)],
      filter.plan ?? '',
    ),
    field({ name: 'from', label: 'From', type: 'date', value: filter.from ?? '' }),
    field({ name: 'to', label: 'To', type: 'date', value: filter.to ?? '' }),
  ];
  const listed = all.map(({ email, ...one }) => ({ ...one, buyer: email }));
  const isEmpty = all.length === 0 && query === '';
  if (isEmpty)
    return html`<section aria-labelledby="all"><h2 id="all">All payments</h2><p>No payments yet. The first sale appears here. Buy something yourself to see how it looks for a buyer, then share the address of your shop.</p><a class="button" href="/">Try your shop as a buyer</a></section>`;
  return html`<section aria-labelledby="all"><h2 id="all" class="hidden">All payments</h2>
${filterForm(path, fields, query, isMore)}
${all.length === 0 ? html`<p>${nothingFound(facts)}</p>` : orders('Orders', listed, planName)}
${pages(path, query, isFirst, next === null ? null : `after=${encodeURIComponent(next)}`)}</section>`;
}

type Part = {
  id: string;
  name: string;
  about: string;
  rows: readonly Html[];
  /** The entries that wait for the seller; all by default. */
  open?: number;
  /** The text in place of an empty list. */
  empty: string;
  /** Its link is shown also while the list is empty. */
  isUsual?: true;
  columns: Parameters<typeof table>[1];
};

function part({ id, name, about, rows, columns, empty }: Part): Html {
  const list =
    rows.length === 0
      ? html`<p>${empty}</p>`
      : html`${table(name, columns, rows.slice(0, shownMax), 'stack')}${more(name, columns, rows.slice(shownMax))}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><p class="soft">${about}</p>${list}</section>`;
}

/** The rows of a list beyond the first ones, folded. */
function more(name: string, columns: Part['columns'], rows: readonly Html[]): Html {
  if (rows.length === 0) return html``;
  return html`<details><summary>Show ${count(rows.length)} more</summary>${table(name, columns, rows, 'stack')}</details>`;
}

function request(one: ListedRefundRequest): Html {
  return html`<tr><th scope="row" class="nowrap"><a href="${pageOf(one.purchase)}">${withTax(one.amount, one.tax)}</a></th><td class="nowrap-wide">${buyerLink(one.account, one.email)}</td><td class="number">${withTax(one.paid, one.paidTax)}</td><td class="number">${exact(one.unspent)}</td><td class="words">${one.reason}</td><td>${moment(one.askedMs)}</td></tr>`;
}

/** Formats a net amount and the tax on top of it. */
function withTax(net: Money, tax: Money): string {
  return tax > 0 ? `${money(net)} + ${usd(tax)} tax` : money(net);
}

function flagged(one: FlaggedOrder): Html {
  return html`<tr><th scope="row">${orderLink(one.order, one.amount)}</th><td>${sign(signalNames[one.kind], true)}</td><td>${buyerLink(one.account, one.email)}</td><td>${signalReason(one.reason)}</td><td>${moment(one.createdMs)}</td></tr>`;
}

function returned(one: ReturnedPayment, processorPage: ProcessorPage): Html {
  const page = one.payment === null ? null : processorPage(one.payment);
  return html`<tr><th scope="row" class="nowrap">${orderLink(one.order, one.amount)}</th><td class="nowrap-wide">${buyerLink(one.account, one.email)}</td><td>${kindOf(one)}</td>
<td>${state(one.status)}</td><td>${one.reason === null || isByHand(one) ? '' : words(one.reason)}</td><td>${effectOf(one)}</td><td>${moment(one.createdMs)}</td><td>${nextStep(one, page)}</td></tr>`;
}

/** The seller's next step for a refund or dispute, with a link to the page of the processor. */
export function nextStep(one: Pick<ReturnedPayment, 'kind' | 'status' | 'dueMs'>, page: string | null): Html {
  const mustRespond = needsResponse(one);
  const due = mustRespond && one.dueMs != null ? html` <span class="nowrap">by ${day(one.dueMs)}</span>` : '';
  if (page === null) return mustRespond ? html`Respond at the card processor${due}` : html``;
  return html`<a href="${page}">${mustRespond ? html`Respond at the card processor` : 'View at the card processor'}</a>${due}`;
}

/** The effect of a refund or dispute on the buyer's balance. */
function effectOf(one: ReturnedPayment): string {
  const { isEffective, loss } = one;
  if (!isEffective) return isInquiry(one) ? 'no credit removed' : 'restored';
  return loss > 0 ? `removed, ${exact(loss)} was spent` : 'removed';
}

function webhookEvent(one: OpenWebhookEvent): Html {
  return html`<tr><th scope="row">${one.type}</th><td>${moment(one.receivedMs)}</td><td class="number">${count(one.attempts)}</td><td class="words">${one.failure === null ? 'Being processed' : Unfinished.faultInWords(one.failure)}</td><td>${copied(one.id)}</td></tr>`;
}
