import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import {
  conditionOf,
  type LedgerWriterCondition,
  type LedgerWriterState,
  type ModelUsage,
  type OutstandingBalance,
  type ServiceUsage,
} from '../../../ledger/usage-report.ts';
import {
  type DailyRevenue,
  type PaymentProblems,
  type RailRevenue,
  totals,
  troubleCountMax,
} from '../../../payment/revenue-report.ts';
import type { Html } from '../../pages/frame.ts';
import { type Column, count, fact, margin, measured, table, usd } from './figures.ts';

/** The figures of the overview. A figure is null when its query took too long. */
export type OverviewFacts = {
  days: readonly DailyRevenue[];
  rails: readonly RailRevenue[];
  trouble: PaymentProblems;
  /** Number of refund requests without an answer. */
  requests: number;
  /** Payments with an open early fraud warning or review. */
  flagged: number;
  /** Cards, accounts and addresses that are slowed down or stopped after declines. */
  slowed: number;
  /** True when requests come through a proxy that hides the callers' addresses. */
  hidesAddresses: boolean;
  writers: readonly LedgerWriterState[];
  callers: number | null;
  made: number;
  services: readonly (ServiceUsage & { name: string })[] | null;
  models: readonly (ModelUsage & { name: string })[] | null;
  unspent: OutstandingBalance | null;
};

const modelsShownMax = 50;

const tooLong = html`<p class="soft">This query took too long. Reload the page to try again.</p>`;

/** The front page: tasks that need attention, revenue, accounts, outstanding balances and usage. */
export function overview(facts: OverviewFacts): Html {
  return html`<h1>The last ${facts.days.length} days</h1>
${attention(facts)}
${revenue(facts)}
<div class="columns">${rails(facts.rails)}${accounts(facts)}</div>
${services(facts)}`;
}

function attention({ trouble, requests, flagged, slowed, hidesAddresses, writers }: OverviewFacts): Html {
  const inState = (state: LedgerWriterCondition) =>
    writers.filter((one) => conditionOf(one) === state).length;
  const dead = inState('silent');
  const holding = inState('holds_credit');
  const many = (value: number) => (value >= troubleCountMax ? `${count(troubleCountMax)}+` : count(value));
  const found: [number, string, string][] = [
    [requests, 'Refund requests', '/admin/console/payments#requests'],
    [trouble.inDoubt, 'Charges with an unknown outcome', '/admin/console/payments#unfinished'],
    [
      trouble.unreconciled,
      'Orders that reconciliation could not resolve',
      '/admin/console/payments#unfinished',
    ],
    [
      trouble.disputes,
      `Open disputes, over ${usd(trouble.disputed)} USD`,
      '/admin/console/payments#returned',
    ],
    [flagged, 'Payments with a fraud warning or an open review', '/admin/console/payments#flagged'],
    [
      slowed,
      'Cards, accounts or addresses with too many declined payments',
      '/admin/console/payments#declined',
    ],
    [trouble.webhookEvents, 'Failed webhook events', '/admin/console/payments#webhook-events'],
    [trouble.pastDue, 'Unpaid renewals', '/admin/console/payments#past-due'],
    [trouble.declined, 'Declined payments', '/admin/console/payments#declined'],
    [dead, 'Processes without a heartbeat', '/admin/console/health#writers'],
    [holding, 'Ended processes that still hold credit', '/admin/console/health#writers'],
    [
      hidesAddresses ? 1 : 0,
      'Missing setting CLIENT_ADDRESS_HEADER: requests come through a local proxy, so all callers share the limits of one address',
      '/admin/console/health',
    ],
  ];
  const tasks = found.filter(([value]) => value > 0);
  return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
${
  tasks.length === 0
    ? html`<p class="soft">All clear.</p>`
    : html`<ul class="heed">${tasks.map(([value, what, where]) => html`<li><b>${many(value)}</b> <a href="${where}">${what}</a></li>`)}</ul>`
}</section>`;
}

function revenue({ days, trouble }: OverviewFacts): Html {
  const { gross, refunded, lost, net, tax, taxReturned, netTax } = totals(days);
  const isTaxed = tax > 0 || taxReturned > 0;
  const taxCells = (it: DailyRevenue) =>
    isTaxed ? html`<td class="number">${usd(it.tax)}</td><td class="number">${usd(it.taxReturned)}</td>` : '';
  const row = (it: DailyRevenue) =>
    html`<tr><th scope="row">${it.day}</th><td class="number">${usd(it.gross)}</td><td class="number">${usd(it.refunded)}</td><td class="number">${usd(it.lost)}</td>${taxCells(it)}</tr>`;
  return html`<section aria-labelledby="revenue"><h2 id="revenue">Revenue</h2>
${isTaxed ? html`<p class="soft">Net, gross, refunds and disputes are without tax.</p>` : ''}<dl class="facts" id="sums">${[
    fact('Net', usd(net)),
    fact('Gross', usd(gross)),
    fact('Refunds', usd(refunded)),
    fact('Disputes lost', usd(lost)),
    ...(isTaxed ? [fact('Tax', usd(netTax)), fact('Tax refunded', usd(taxReturned))] : []),
    trouble.disputed > 0 ? fact('In open disputes', usd(trouble.disputed)) : html``,
  ]}</dl>
${chart(days)}
<details><summary>Figures for each day</summary>${table('Revenue of each day', ['Day', { number: 'Gross' }, { number: 'Refunds' }, { number: 'Disputes lost' }, ...(isTaxed ? [{ number: 'Tax' }, { number: 'Tax refunded' }] : [])], [...days].reverse().map(row))}</details></section>`;
}

/** A bar chart with gross revenue above the line and reversed payments below it. */
function chart(days: readonly DailyRevenue[]): Html {
  const back = ({ refunded, lost }: DailyRevenue) => refunded + lost;
  const up = Math.max(...days.map(({ gross }) => gross), 1);
  const down = Math.max(...days.map(back));
  const line = (100 * up) / (up + down);
  const width = 300 / days.length;
  const bar = (at: number, y: number, height: number, kind: string, title: string) =>
    height === 0
      ? html``
      : html`<rect class="${kind}" x="${at * width + width * 0.12}" y="${y}" width="${width * 0.76}" height="${height}"><title>${title}</title></rect>`;
  const bars = days.map((day, at) => {
    const height = (day.gross / up) * line;
    const returned = Money.ofMicro(back(day));
    return [
      bar(at, line - height, height, 'gross', `${day.day}: ${usd(day.gross)} USD`),
      bar(at, line, (returned / (up + down)) * 100, 'back', `${day.day}: ${usd(returned)} USD reversed`),
    ];
  });
  const best = days.reduce((most, day) => (day.gross > most.gross ? day : most), days[0] as DailyRevenue);
  return html`<svg class="chart" viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label="Gross revenue of each day as bars above a line, reversed payments below it. The best day is ${best.day} with ${usd(best.gross)} USD.">${bars}<line x1="0" x2="300" y1="${line}" y2="${line}"/></svg>
<div class="axis" aria-hidden="true"><span>${days[0]?.day}</span><span>best: ${usd(best.gross)}</span><span>${days.at(-1)?.day}</span></div>`;
}

const railNames: Record<RailRevenue['rail'], string> = {
  card: 'Card, on the hosted page',
  mpp: 'Card, from a program (MPP)',
  invoice: 'Renewals',
  top_up: 'Auto top-ups',
  x402: 'Stablecoin (x402)',
};

function rails(all: readonly RailRevenue[]): Html {
  const of = (rail: RailRevenue['rail']) => all.find((one) => one.rail === rail);
  // The three ways to buy are always listed, the others only when they were used.
  const shown = (Object.keys(railNames) as RailRevenue['rail'][]).filter(
    (rail) => of(rail) || ['card', 'mpp', 'x402'].includes(rail),
  );
  const row = (rail: RailRevenue['rail']) =>
    html`<tr><th scope="row">${railNames[rail]}</th><td class="number">${count(of(rail)?.orders ?? 0)}</td><td class="number">${usd(of(rail)?.gross ?? Money.zero)}</td></tr>`;
  return html`<section aria-labelledby="rails"><h2 id="rails">Payment methods</h2>${table('Gross revenue by rail', ['Method', { number: 'Orders' }, { number: 'Gross' }], shown.map(row), true)}</section>`;
}

function accounts({ callers, made, unspent }: OverviewFacts): Html {
  const row = (name: string, { usd: money, units }: OutstandingBalance['paid']) =>
    html`<tr><th scope="row">${name}</th><td class="number">${usd(money)}</td><td class="number">${count(units)}</td></tr>`;
  return html`<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
<dl class="facts">${[fact('Active', callers === null ? 'unknown' : count(callers)), fact('New', count(made))]}</dl>
<h3>Outstanding balance</h3>
${unspent === null ? tooLong : table('Outstanding balance', ['Source', { number: 'USD' }, { number: 'Units' }], [row('Paid for', unspent.paid), row('Trials and grants', unspent.given)], true)}</section>`;
}

function services({ services: all, models }: OverviewFacts): Html {
  return html`<section aria-labelledby="services"><h2 id="services">Usage by service</h2>
${all === null || models === null ? tooLong : all.length === 0 ? html`<p class="soft">No calls yet.</p>` : html`${usageTable('Usage by service', 'Service', all)}${byModel(models)}`}</section>`;
}

function byModel(models: readonly (ModelUsage & { name: string })[]): Html {
  const named = models
    .filter(({ model }) => model !== null)
    .map(({ model, ...usage }) => ({ ...usage, name: `${usage.name}: ${model}` }));
  if (named.length === 0) return html``;
  const rest = named.length - modelsShownMax;
  return html`<h3>By model</h3>${usageTable('Usage by model', 'Service and model', named.slice(0, modelsShownMax))}
${rest > 0 ? html`<p class="soft">${count(rest)} more: <code>sluice report</code> lists all of them.</p>` : ''}`;
}

/** Columns about margins are left out if the upstream cost of no call is known. */
function usageTable(
  label: string,
  of: string,
  all: readonly (Omit<ServiceUsage, 'service'> & { name: string })[],
): Html {
  const isCosted = all.some((it) => it.margin.calls > 0);
  const costed = (it: Pick<ServiceUsage, 'margin'>) =>
    html`<td class="number">${it.margin.calls === 0 ? 'unknown' : usd(it.margin.revenue)}</td><td class="number">${it.margin.calls === 0 ? 'unknown' : usd(it.margin.upstreamCost)}</td><td class="number">${margin(it.margin)}</td>`;
  const row = (it: Omit<ServiceUsage, 'service'> & { name: string }) =>
    html`<tr><th scope="row">${it.name}</th><td class="number">${count(it.calls)}</td><td class="number">${measured(it)}</td><td class="number">${count(it.included)}</td><td class="number">${usd(it.charged)}</td>${isCosted ? costed(it) : ''}</tr>`;
  const isMetered = all.some((it) => Object.keys(it.quantities).length > 0);
  const columns: Column[] = [
    of,
    { number: 'Calls' },
    { number: isMetered ? 'Quantity' : 'Units' },
    { number: 'Included' },
    { number: 'Charged' },
    ...(isCosted ? [{ number: 'Revenue' }, { number: 'Upstream cost' }, { number: 'Margin' }] : []),
  ];
  const about = isCosted
    ? html`<p class="soft">Revenue, upstream cost and margin are of calls whose upstream cost is known and that were not paid with what a subscription includes. Granted credit is no revenue.</p>`
    : '';
  return html`${table(label, columns, all.map(row), !isCosted)}${about}`;
}
