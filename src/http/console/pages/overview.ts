import * as Money from '@sluice/kernel/money';
import { html, raw } from 'hono/html';
import type { Task } from '../../../journeys/attention.ts';
import type { ModelUsage, OutstandingBalance, ServiceUsage } from '../../../ledger/usage-report.ts';
import { type DailyRevenue, type RailRevenue, totals } from '../../../payment/revenue-report.ts';
import type { Html } from '../../pages/frame.ts';
import { attention } from './attention.ts';
import {
  type Column,
  count,
  day,
  fact,
  margin,
  measured,
  money,
  sign,
  table,
  wholeCents,
} from './figures.ts';
import { front } from './frame.ts';
import { railNames } from './orders.ts';

/** The periods to choose from, in days. */
export const periods = [7, 30, 90] as const;
export const usualPeriod = 30;

type Step = 'plans' | 'brand' | 'invited' | 'works' | 'tried';

/** The figures of the overview. A figure is null when its query took too long. */
export type OverviewFacts = {
  days: readonly DailyRevenue[];
  rails: readonly RailRevenue[];
  /** The days before, as many. */
  before: readonly DailyRevenue[];
  /** The sum in open disputes. */
  disputed: Money.Money;
  tasks: readonly Task[];
  callers: number | null;
  made: number;
  /** New accounts of the days before. */
  madeBefore: number;
  services: readonly (ServiceUsage & { name: string })[] | null;
  models: readonly (ModelUsage & { name: string })[] | null;
  /** Services and models (`slug` or `slug/model`) whose margin is below the limit. */
  low: ReadonlySet<string>;
  unspent: OutstandingBalance | null;
  /** True until the first sale. */
  isNew: boolean;
  /** False for a person who reads only: the first steps are those of owners. */
  canSetUp: boolean;
  /** First steps that are known to be done. */
  done: { readonly [step in Step]?: boolean };
};

const modelsShownMax = 50;

const tooLong = html`<p class="soft">This query took too long. Reload the page to try again.</p>`;

/** The front page: tasks that need attention, revenue, accounts, outstanding balances and usage. A shop without sales gets its first steps instead of empty figures. */
export function overview(facts: OverviewFacts): Html {
  const { isNew, canSetUp } = facts;
  const lead = canSetUp
    ? 'No sales yet. These steps lead to the first.'
    : 'No sales yet. Owners set up plans, prices and the branding.';
  return html`<div class="top"><h1>Overview</h1>${isNew ? '' : periodLinks(facts.days.length)}</div>${isNew ? html`<p class="lead">${lead}</p>` : ''}
${facts.tasks.length === 0 && isNew ? '' : attention(facts.tasks, canSetUp)}
${isNew ? (canSetUp ? firstSteps(facts.done) : whatIsOpen()) : revenue(facts)}
${isNew && facts.made === 0 && !facts.callers ? '' : html`<div class="columns">${isNew ? '' : rails(facts.rails)}${accounts(facts)}</div>`}
${isNew && facts.services?.length === 0 ? '' : services(facts)}`;
}

/** Links to the periods. */
function periodLinks(shown: number): Html {
  const link = (days: number) =>
    html`<a href="${front}${days === usualPeriod ? '' : `?days=${days}`}"${days === shown ? raw(' aria-current="page"') : ''}>${days} days</a>`;
  return html`<nav class="views" aria-label="Period">${periods.map(link)}</nav>`;
}

/** The pages of a new shop that a person who reads only can use. */
function whatIsOpen(): Html {
  return html`<section><p>The figures of the shop appear here after its first sale.</p><div class="actions"><a class="button plain" href="/admin/console/health">Health of the shop</a><a class="button plain" href="/">Open the shop</a></div></section>`;
}

function firstSteps(done: OverviewFacts['done']): Html {
  const steps: readonly (readonly [Step, to: string, name: string, about: string])[] = [
    [
      'plans',
      '/admin/console/catalogue',
      'Set your plans and prices',
      'Buyers see them on the front page of the shop.',
    ],
    [
      'brand',
      '/admin/console/catalogue/brand',
      'Make it yours',
      'Counts as done when you have changed the name, description, colour or logo.',
    ],
    ['invited', '/admin/console/team', 'Invite yourself', 'A passkey replaces the admin token.'],
    [
      'works',
      '/admin/console/health',
      'Check that everything works',
      'Your API, the database, card payments and mail.',
    ],
    ['tried', '/', 'Try your shop as a buyer', 'Then share its address. The first sale appears here.'],
  ];
  const row = ([step, to, name, about]: (typeof steps)[number]) =>
    html`<li><a href="${to}">${step === 'invited' && done.invited ? 'Invite your team' : name}</a>${done[step] ? html` ${sign('✓ done')}` : ''}<br><span class="soft">${about}</span></li>`;
  const made = steps.filter(([step]) => done[step]).length;
  return html`<section aria-labelledby="steps"><h2 id="steps">First steps</h2><p class="soft">${count(made)} of ${count(steps.length)} done</p><ol class="steps">${steps.map(row)}</ol></section>`;
}

function revenue({ days, before, disputed }: OverviewFacts): Html {
  const earlier = totals(before);
  const { gross, refunded, lost, net, tax, taxReturned, netTax } = totals(days);
  const isTaxed = tax > 0 || taxReturned > 0;
  const taxCells = (it: DailyRevenue) =>
    isTaxed
      ? html`<td class="number">${money(it.tax)}</td><td class="number">${money(it.taxReturned)}</td>`
      : '';
  const row = (it: DailyRevenue) =>
    html`<tr><th scope="row">${dayOf(it.day)}</th><td class="number">${money(it.gross)}</td><td class="number">${money(it.refunded)}</td><td class="number">${money(it.lost)}</td>${taxCells(it)}</tr>`;
  return html`<section aria-labelledby="revenue"><h2 id="revenue">Revenue</h2>
${isTaxed ? html`<p class="soft">All amounts but the tax are without tax.</p>` : ''}<dl class="facts" id="sums">${[
    fact('Gross', money(gross), change(gross, earlier.gross)),
    fact('Refunds', money(refunded), change(refunded, earlier.refunded)),
    fact('Disputes lost', money(lost)),
    // Without refunds and disputes it would repeat the gross revenue.
    ...(net === gross ? [] : [fact('Net', money(net), change(net, earlier.net))]),
    ...(isTaxed ? [fact('Tax', money(netTax)), fact('Tax refunded', money(taxReturned))] : []),
    disputed > 0 ? fact('In open disputes', money(disputed)) : html``,
  ]}</dl>
${gross + refunded + lost === 0 ? html`<p>No sales in the last ${days.length} days.</p>` : chart(days)}
<details><summary>Figures for each day</summary>${table('Revenue of each day', ['Day', { number: 'Gross' }, { number: 'Refunds' }, { number: 'Disputes lost' }, ...(isTaxed ? [{ number: 'Tax' }, { number: 'Tax refunded' }] : [])], [...days].reverse().map(row), 'stack')}</details></section>`;
}

/** The difference to the days before, in percent. */
function change(now: number, before: number): Html | undefined {
  if (before === 0) return undefined;
  const percent = Math.round((100 * (now - before)) / Math.abs(before));
  const sum = money(Money.ofMicro(before));
  return html`<small class="soft">${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)}% from ${sum} before</small>`;
}

/** A chart of at most so many days names each of them. */
const ticksMax = 7;
const usualTicks = 5;

/** A bar chart with gross revenue above the line and reversed payments below it. */
function chart(days: readonly DailyRevenue[]): Html {
  const back = ({ refunded, lost }: DailyRevenue) => refunded + lost;
  const up = niceTop(Math.max(...days.map(({ gross }) => gross)));
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
      bar(at, line - height, height, 'gross', `${dayOf(day.day)}: ${money(day.gross)}`),
      bar(at, line, (returned / (up + down)) * 100, 'back', `${dayOf(day.day)}: ${money(returned)} returned`),
    ];
  });
  const last = (days.length <= ticksMax ? days.length : usualTicks) - 1;
  // Each label has the place of its bar or line, in percent of the chart.
  const ticks = Array.from({ length: last + 1 }, (_, nth) =>
    Math.round((nth * (days.length - 1)) / last),
  ).map((at) => ({
    left: (100 * (at + 0.5)) / days.length,
    name: dayOf(days[at]?.day ?? '', true),
  }));
  const scale = [
    { top: 0, name: `${dollars(up)} USD` },
    { top: line / 2, name: dollars(up / 2) },
    { top: line, name: '0' },
  ];
  const best = days.reduce((most, day) => (day.gross > most.gross ? day : most), days[0] as DailyRevenue);
  return html`<div class="plot"><div class="scale" aria-hidden="true"><span class="widest">${dollars(up)} USD</span>${scale.map(({ top, name }) => html`<span style="top:${top.toFixed(2)}%">${name}</span>`)}</div><svg class="chart" viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label="Gross revenue of each day as bars above a line, reversed payments below it. The best day is ${dayOf(best.day)} with ${money(best.gross)}.">${[0, line / 2].map((y) => html`<line class="grid" x1="0" x2="300" y1="${y}" y2="${y}"/>`)}${bars}<line x1="0" x2="300" y1="${line}" y2="${line}"/></svg><div class="axis" aria-hidden="true">${ticks.map(({ left, name }) => html`<span style="left:${left.toFixed(2)}%">${name}</span>`)}</div></div>
<p class="soft">${down > 0 ? html`<span class="key gross">Sales</span> <span class="key back">Refunds and lost disputes</span> ` : ''}Best day: ${dayOf(best.day)}, ${money(best.gross)}.</p>`;
}

/** A day of the report: `26 Nov 2026`, or `26 Nov`. */
function dayOf(text: string, isShort = false): string {
  const shown = day(Date.parse(text));
  return isShort ? shown.replace(/ \d+$/, '') : shown;
}

/** The next round number, at least ten dollars, whose half is round too. */
function niceTop(micro: number): number {
  const least = Math.max(micro, 10_000_000);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= least) ?? 10);
}

function dollars(micro: number): string {
  return (micro / 1_000_000).toLocaleString('en', { maximumFractionDigits: 2 });
}

function rails(all: readonly RailRevenue[]): Html {
  const of = (rail: RailRevenue['rail']) => all.find((one) => one.rail === rail);
  // The three ways to buy are always listed, the others only when they were used.
  const shown = (Object.keys(railNames) as RailRevenue['rail'][]).filter(
    (rail) => of(rail) || ['card', 'mpp', 'x402'].includes(rail),
  );
  const row = (rail: RailRevenue['rail']) =>
    html`<tr><th scope="row">${railNames[rail]}</th><td class="number">${count(of(rail)?.orders ?? 0)}</td><td class="number">${money(of(rail)?.gross ?? Money.zero)}</td></tr>`;
  return html`<section aria-labelledby="rails"><h2 id="rails">Payment methods</h2>${table('Gross revenue by method', ['Method', { number: 'Orders' }, { number: 'Gross' }], shown.map(row), 'slim')}</section>`;
}

function accounts({ days, callers, made, madeBefore, unspent }: OverviewFacts): Html {
  const row = (name: string, { usd: dollarsLeft, units }: OutstandingBalance['paid']) =>
    html`<tr><th scope="row">${name}</th><td class="number">${wholeCents(dollarsLeft)}</td><td class="number">${count(units)}</td></tr>`;
  return html`<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
<dl class="facts">${[fact('Active', callers === null ? 'unknown' : count(callers)), fact('New', count(made), madeBefore === 0 ? undefined : html`<small class="soft">${count(madeBefore)} in the ${days.length} days before</small>`)]}</dl>
<h3>What buyers can still use</h3>
${unspent === null ? tooLong : table('Outstanding balance', ['Source', { number: 'Credit' }, { number: 'Results' }], [row('Paid for', unspent.paid), row('Given: trials, grants, codes', unspent.given)], 'slim')}</section>`;
}

function services({ services: all, models, low }: OverviewFacts): Html {
  return html`<section aria-labelledby="services"><h2 id="services">Usage by service</h2>
${
  all === null || models === null
    ? tooLong
    : all.length === 0
      ? html`<p class="soft">No calls yet.</p>`
      : html`${usageTable(
          'Usage by service',
          'Service',
          all.map((one) => ({ ...one, isLow: low.has(one.service) })),
        )}${byModel(models, low)}`
}</section>`;
}

function byModel(models: readonly (ModelUsage & { name: string })[], low: ReadonlySet<string>): Html {
  const named = models
    .filter(({ model }) => model !== null)
    .map(({ model, ...usage }) => ({
      ...usage,
      name: `${usage.name}: ${model}`,
      isLow: low.has(`${usage.service}/${model}`),
    }));
  if (named.length === 0) return html``;
  const rest = named.length - modelsShownMax;
  return html`<h3>By model</h3>${usageTable('Usage by model', 'Service and model', named.slice(0, modelsShownMax))}
${rest > 0 ? html`<p class="soft">${count(rest)} more: <code>sluice report</code> lists all of them.</p>` : ''}`;
}

type UsageRow = Omit<ServiceUsage, 'service'> & { name: string; isLow: boolean };

/** Columns about margins are left out if the upstream cost of no call is known. */
function usageTable(label: string, of: string, all: readonly UsageRow[]): Html {
  const isCosted = all.some((it) => it.margin.calls > 0);
  const costed = (it: UsageRow) =>
    html`<td class="number">${it.margin.calls === 0 ? 'unknown' : wholeCents(it.margin.revenue)}</td><td class="number">${it.margin.calls === 0 ? 'unknown' : wholeCents(it.margin.upstreamCost)}</td><td class="number">${it.isLow ? html`${sign('low', true)} ` : ''}${margin(it.margin)}</td>`;
  const row = (it: UsageRow) =>
    html`<tr><th scope="row">${it.name}</th><td class="number">${count(it.calls)}</td><td class="number">${measured(it)}</td><td class="number">${count(it.included)}</td><td class="number">${wholeCents(it.charged)}</td>${isCosted ? costed(it) : ''}</tr>`;
  const isMetered = all.some((it) => Object.keys(it.quantities).length > 0);
  const columns: Column[] = [
    of,
    { number: 'Calls' },
    { number: isMetered ? 'Quantity' : 'Results' },
    { number: 'Plan or trial' },
    { number: 'Charged' },
    ...(isCosted ? [{ number: 'Revenue' }, { number: 'Upstream cost' }, { number: 'Margin' }] : []),
  ];
  const about = isCosted
    ? html`<p class="soft">Revenue, upstream cost and margin are of calls whose upstream cost is known and that were not paid with what a subscription includes. Granted credit is no revenue.</p>`
    : '';
  return html`${table(label, columns, all.map(row), isCosted ? '' : 'slim')}${about}`;
}
