import { html } from 'hono/html';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type { OpenNotice, PastDue, Returned, Unfinished } from '../../../payment/takings.ts';
import type { Html } from '../frame.ts';
import { count, day, moment, sign, table, usd } from './figures.ts';
import { link, orders, type Shown, standing } from './orders.ts';

/** Where the seller sees a payment at the processor, where there is such a page. */
export type PageOf = (payment: string) => string | null;
export type Facts = {
  /** What buyers ask back, and nobody has answered. */
  requests: readonly RefundRequest[];
  unfinished: readonly Unfinished[];
  returned: readonly Returned[];
  notices: readonly OpenNotice[];
  pastDue: readonly PastDue[];
  declined: readonly Shown[];
  all: readonly Shown[];
  /** The last of these orders, where there are more. */
  next: string | null;
};

/** Payments: what is not at its end, what went back, what failed, and all of them. */
export function payments(facts: Facts, pageAt: PageOf): Html {
  const parts: Part[] = [
    {
      ...{ id: 'requests', name: 'Refunds that buyers ask for', rows: facts.requests.map(request) },
      about: 'To be answered on the page of the purchase: its buyer sees what you say.',
      columns: [
        'Purchase',
        'Asked',
        { number: 'Asks, USD' },
        { number: 'Paid' },
        { number: 'Unspent' },
        'Why',
      ],
    },
    {
      ...{ id: 'unfinished', name: 'Unfinished charges', rows: facts.unfinished.map(unfinished) },
      about:
        'Orders whose charge has no outcome yet. Reconciliation looks at them every 20 seconds; one that stays is for you to look at.',
      columns: ['Order', 'Made', 'Standing', { number: 'USD' }, 'What holds it up'],
    },
    {
      ...{ id: 'notices', name: 'Notices that failed', rows: facts.notices.map(notice) },
      about:
        'What the processor told and could not be worked off. It tells it again; so does npm run reconcile.',
      columns: ['Notice', 'What', 'Came', { number: 'Tries' }, 'Why it failed'],
    },
    {
      ...{ id: 'past-due', name: 'Renewals not paid', rows: facts.pastDue.map(pastDue) },
      about: 'The processor asks for the money again by its own plan; units live on for the days of grace.',
      columns: ['Subscription', 'Account', 'Plan', 'Period ended'],
    },
    {
      ...{ id: 'returned', name: 'Refunds and disputes' },
      rows: facts.returned.map((one) => returned(one, pageAt)),
      about:
        'Credit follows the money: what went back is gone from its very lot, what comes back is there again.',
      columns: ['What', { number: 'USD' }, 'At the processor', 'In the ledger', 'Order', 'When', ''],
    },
  ];
  const empty = parts.filter(({ rows }) => rows.length === 0).map(({ name }) => name.toLowerCase());
  return html`<h1>Payments</h1>
${parts.filter(({ rows }) => rows.length > 0).map(part)}
${facts.declined.length === 0 ? '' : html`<section aria-labelledby="declined"><h2 id="declined">Declined in 30 days</h2>${orders('Declined payments', facts.declined, ({ failure }) => failure ?? '')}</section>`}
<section aria-labelledby="all"><h2 id="all">All that somebody began to pay</h2>${facts.all.length === 0 ? html`<p class="soft">None.</p>` : orders('Orders', facts.all, ({ rail, failure }) => failure ?? rail.replace('_', ' '))}
${facts.next === null ? '' : html`<nav class="pages" aria-label="Pages"><a href="/admin/console/payments?after=${encodeURIComponent(facts.next)}#all">Older</a></nav>`}</section>
${empty.length === 0 ? '' : html`<p class="soft">There are no ${empty.join(', no ')}.</p>`}`;
}

type Part = {
  id: string;
  name: string;
  about: string;
  rows: readonly Html[];
  columns: Parameters<typeof table>[1];
};

function part({ id, name, about, rows, columns }: Part): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><p class="soft">${about}</p>${table(name, columns, rows)}</section>`;
}

function request(one: RefundRequest): Html {
  return html`<tr><th scope="row">${link(one.purchase)}</th><td class="number">${usd(one.amount)}</td><td class="number">${usd(one.paid)}</td><td class="number">${usd(one.unspent)}</td><td>${one.reason}</td><td>${moment(one.askedMs)}</td></tr>`;
}

function unfinished({ order, isAtWork, reason }: Unfinished): Html {
  const why = reason ?? (isAtWork ? 'a process is charging it' : 'nobody is at it; it is looked at again');
  return html`<tr><th scope="row">${link(order.id)}</th><td>${moment(order.createdMs)}</td><td>${standing(order)}</td><td class="number">${usd(order.amount)}</td><td>${why}</td></tr>`;
}

function returned(one: Returned, pageAt: PageOf): Html {
  const page = one.payment === null ? null : pageAt(one.payment);
  return html`<tr><th scope="row">${one.kind}</th><td class="number">${usd(one.amount)}</td>
<td>${sign(one.status.replaceAll('_', ' '), one.kind === 'dispute' && one.counts)} ${one.reason?.replaceAll('_', ' ') ?? ''}</td><td>${inLedger(one)}</td><td>${link(one.order)}</td><td>${moment(one.createdMs)}</td><td>${page === null ? '' : html`<a href="${page}">At the processor</a>`}</td></tr>`;
}

/** What the ledger did about it. */
function inLedger({ counts, loss }: Pick<Returned, 'counts' | 'loss'>): string {
  if (!counts) return 'credit is there again';
  return loss > 0 ? `credit taken back; ${usd(loss)} USD had been spent` : 'credit taken back';
}

function notice(one: OpenNotice): Html {
  return html`<tr><th scope="row" class="id">${one.id}</th><td>${one.type}</td><td>${moment(one.receivedMs)}</td><td class="number">${count(one.attempts)}</td><td>${one.failure ?? 'under work'}</td></tr>`;
}

function pastDue(one: PastDue): Html {
  return html`<tr><th scope="row" class="id">${one.subscription}</th><td><a class="id" href="/admin/console/accounts/${one.account}">${one.account}</a></td><td>${one.plan}</td><td>${day(one.periodEndMs)}</td></tr>`;
}
