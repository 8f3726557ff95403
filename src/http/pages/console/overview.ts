import { html } from 'hono/html';
import * as Money from '../../../kernel/money.ts';
import type { LaneState, ServiceUse, Unspent } from '../../../ledger/turnover.ts';
import { type ByRail, type Day, type Trouble, troubleCountMax } from '../../../payment/takings.ts';
import type { Html } from '../frame.ts';
import { count, fact, table, usd } from './figures.ts';
import { silenceMsMax } from './health.ts';

/** Null: its sum took too long just now. */
export type Facts = {
  days: readonly Day[];
  rails: readonly ByRail[];
  trouble: Trouble;
  /** Refunds that buyers ask for and nobody has answered. */
  requests: number;
  lanes: readonly LaneState[];
  callers: number | null;
  made: number;
  services: readonly (ServiceUse & { name: string })[] | null;
  unspent: Unspent | null;
};

const tooLong = html`<p class="soft">This sum took too long just now; the rest of the page is here.</p>`;

/** The front page: what came in, who uses it, what is owed in results, and what wants attention. */
export function overview(facts: Facts): Html {
  return html`<h1>The last ${facts.days.length} days</h1>
${attention(facts)}
${revenue(facts)}
<div class="columns">${rails(facts.rails)}${accounts(facts)}</div>
${services(facts.services)}`;
}

function attention({ trouble, requests, lanes }: Facts): Html {
  const dead = lanes.filter(({ isOpen, silentMs }) => isOpen && silentMs > silenceMsMax).length;
  const holding = lanes.filter(({ isOpen, leases }) => !isOpen && leases > 0).length;
  const many = (value: number) => (value >= troubleCountMax ? `${count(troubleCountMax)}+` : count(value));
  const found: [number, string, string][] = [
    [requests, 'Refunds that buyers ask for', '/admin/console/payments#requests'],
    [trouble.inDoubt, 'Charges that nobody knows the end of', '/admin/console/payments#unfinished'],
    [trouble.unreconciled, 'Orders that reconciliation could not end', '/admin/console/payments#unfinished'],
    [
      trouble.disputes,
      `Open disputes, over ${usd(trouble.disputed)} USD`,
      '/admin/console/payments#returned',
    ],
    [trouble.notices, 'Notices of the processor that failed', '/admin/console/payments#notices'],
    [trouble.pastDue, 'Plans whose renewal was not paid', '/admin/console/payments#past-due'],
    [trouble.declined, 'Payments that were declined', '/admin/console/payments#declined'],
    [dead, 'Processes that are silent', '/admin/console/health#lanes'],
    [holding, 'Ended processes that still hold credit', '/admin/console/health#lanes'],
  ];
  const wanting = found.filter(([value]) => value > 0);
  return html`<section aria-labelledby="heed"><h2 id="heed">What wants your attention</h2>
${
  wanting.length === 0
    ? html`<p class="soft">Nothing: every order is at its end, every notice is worked off, every process lives.</p>`
    : html`<ul class="heed">${wanting.map(([value, what, where]) => html`<li><b>${many(value)}</b> <a href="${where}">${what}</a></li>`)}</ul>`
}</section>`;
}

function revenue({ days, trouble }: Facts): Html {
  const sum = (of: (day: Day) => number) => Money.ofMicro(days.reduce((total, day) => total + of(day), 0));
  const [gross, refunded, lost] = [sum((it) => it.gross), sum((it) => it.refunded), sum((it) => it.lost)];
  const net = Money.ofMicro(gross - refunded - lost);
  const row = (it: Day) =>
    html`<tr><th scope="row">${it.day}</th><td class="number">${usd(it.gross)}</td><td class="number">${usd(it.refunded)}</td><td class="number">${usd(it.lost)}</td></tr>`;
  return html`<section aria-labelledby="revenue"><h2 id="revenue">Revenue</h2>
<dl class="facts" id="sums">${[
    fact('Net', usd(net)),
    fact('Gross', usd(gross)),
    fact('Refunds', usd(refunded)),
    fact('Disputes lost', usd(lost)),
    trouble.disputed > 0 ? fact('In open disputes', usd(trouble.disputed)) : html``,
  ]}</dl>
${chart(days)}
<details><summary>The days in figures</summary>${table('Revenue of each day', ['Day', { number: 'Gross' }, { number: 'Refunds' }, { number: 'Disputes lost' }], [...days].reverse().map(row))}</details></section>`;
}

/** What came in above the line, what went back below it. */
function chart(days: readonly Day[]): Html {
  const back = ({ refunded, lost }: Day) => refunded + lost;
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
      bar(at, line, (returned / (up + down)) * 100, 'back', `${day.day}: ${usd(returned)} USD went back`),
    ];
  });
  const best = days.reduce((most, day) => (day.gross > most.gross ? day : most), days[0] as Day);
  return html`<svg class="chart" viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label="Gross revenue of each day as bars above a line, what went back below it. The best day is ${best.day} with ${usd(best.gross)} USD.">${bars}<line x1="0" x2="300" y1="${line}" y2="${line}"/></svg>
<div class="axis" aria-hidden="true"><span>${days[0]?.day}</span><span>best: ${usd(best.gross)}</span><span>${days.at(-1)?.day}</span></div>`;
}

const railNames: Record<ByRail['rail'], string> = {
  card: 'Card, on the hosted page',
  mpp: 'Card, by a program (MPP)',
  invoice: 'Renewals',
  top_up: 'Automatic top-ups',
  x402: 'Dollar coin (x402)',
};

function rails(all: readonly ByRail[]): Html {
  const of = (rail: ByRail['rail']) => all.find((one) => one.rail === rail);
  // The three ways to buy are always there, the others where there are any.
  const shown = (Object.keys(railNames) as ByRail['rail'][]).filter(
    (rail) => of(rail) || ['card', 'mpp', 'x402'].includes(rail),
  );
  const row = (rail: ByRail['rail']) =>
    html`<tr><th scope="row">${railNames[rail]}</th><td class="number">${count(of(rail)?.orders ?? 0)}</td><td class="number">${usd(of(rail)?.gross ?? Money.zero)}</td></tr>`;
  return html`<section aria-labelledby="rails"><h2 id="rails">How it was paid</h2>${table('Gross revenue by rail', ['Rail', { number: 'Orders' }, { number: 'Gross' }], shown.map(row), true)}</section>`;
}

function accounts({ callers, made, unspent }: Facts): Html {
  const given = (name: string, { usd: money, units }: Unspent['paid']) =>
    html`<tr><th scope="row">${name}</th><td class="number">${usd(money)}</td><td class="number">${count(units)}</td></tr>`;
  return html`<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
<dl class="facts">${[fact('Active', callers === null ? 'not known' : count(callers)), fact('New', count(made))]}</dl>
<h3>Unspent: what you owe in results</h3>
${unspent === null ? tooLong : table('What buyers hold unspent', ['Of what was', { number: 'USD' }, { number: 'Units' }], [given('paid for', unspent.paid), given('given: trials, gifts', unspent.given)], true)}</section>`;
}

function services(all: Facts['services']): Html {
  const row = (it: ServiceUse & { name: string }) =>
    html`<tr><th scope="row">${it.name}</th><td class="number">${count(it.calls)}</td><td class="number">${count(it.units)}</td><td class="number">${count(it.included)}</td><td class="number">${usd(it.charged)}</td></tr>`;
  return html`<section aria-labelledby="services"><h2 id="services">Usage by service</h2>
${
  all === null
    ? tooLong
    : all.length === 0
      ? html`<p class="soft">Nobody has called yet.</p>`
      : table(
          'Usage by service',
          [
            'Service',
            { number: 'Calls' },
            { number: 'Units' },
            { number: 'Included' },
            { number: 'Charged' },
          ],
          all.map(row),
          true,
        )
}</section>`;
}
