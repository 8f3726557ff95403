import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import * as Money from '../../kernel/money.ts';
import type { Daily, Sum } from '../../ledger/usage.ts';
import type { Html } from './frame.ts';

export type Used = {
  /** Every day of the span, the oldest first (`2030-01-31`). */
  days: readonly string[];
  daily: readonly Daily[];
  byService: readonly Sum[];
};

/** Services that have a colour of their own in the chart; the others share one. */
const colouredMax = 4;
const colours = ['--one', '--two', '--three', '--four', '--rest'];
const height = 40;

type Band = { name: string; colour: string; units: (day: string) => number };

/** What was used in the span: a bar for each day, in it a band for each service, and the sums. */
export function usage({ days, daily, byService }: Used, { services }: Catalog): Html {
  if (byService.length === 0)
    return html`<section><h2>Used in 30 days</h2><p class="soft">Nothing yet. <a href="/#try">Try an operation</a>.</p></section>`;
  const named = (slug: string | null) =>
    services.find((service) => service.slug === slug)?.name ?? slug ?? '';
  const bands = bandsOf(daily, byService, named);
  return html`<section aria-labelledby="used"><h2 id="used">Used in 30 days</h2>
${bands.length === 0 ? '' : chart(bands, days)}
<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Service</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Units</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${byService.map(({ name, calls, units, cost }) => html`<tr><th scope="row">${named(name)}</th><td class="number">${calls}</td><td class="number">${units}</td><td class="number">${Money.formatExact(cost)} USD</td></tr>`)}</tbody></table></div>
${daily.length === 0 ? '' : table(daily, named)}</section>`;
}

function chart(bands: readonly Band[], days: readonly string[]): Html {
  const most = Math.max(1, ...days.map((day) => bands.reduce((sum, { units }) => sum + units(day), 0)));
  return html`<svg viewBox="0 0 100 ${height}" preserveAspectRatio="none" style="display:block;width:100%;height:8rem" role="img" aria-label="Units by day and service, at most ${most} a day; a table below has them">${days.map((day, at) => bar(bands, day, at, days.length, most))}</svg>
<p class="soft" style="display:flex;justify-content:space-between;font-size:.875rem;margin:.25rem 0"><span>${days[0]}</span><span>at most ${most} a day</span><span>${days.at(-1)}</span></p>
<ul class="legend">${bands.map(({ name, colour }) => html`<li><span style="background:var(${colour})"></span>${name}</li>`)}</ul>`;
}

function table(daily: readonly Daily[], named: (slug: string) => string): Html {
  const row = ({ day, service, units }: Daily) =>
    html`<tr><th scope="row">${day}</th><td>${named(service)}</td><td class="number">${units}</td></tr>`;
  return html`<details><summary>By day and service</summary><div class="wide" tabindex="0"><table><thead><tr><th scope="col">Day</th><th scope="col">Service</th><th scope="col" class="number">Units</th></tr></thead><tbody>${daily.toReversed().map(row)}</tbody></table></div></details>`;
}

/** The services that were used most, the most used at the bottom of a bar, and the rest together. */
function bandsOf(
  daily: readonly Daily[],
  byService: readonly Sum[],
  named: (slug: string | null) => string,
): Band[] {
  const units = new Map(daily.map((one) => [`${one.day} ${one.service}`, one.units]));
  const slugs = byService
    .filter((sum) => sum.units > 0)
    .toSorted((a, b) => b.units - a.units)
    .map(({ name }) => name ?? '');
  const isAll = slugs.length <= colouredMax + 1;
  const groups = slugs.slice(0, isAll ? slugs.length : colouredMax).map((slug) => [slug]);
  if (!isAll) groups.push(slugs.slice(colouredMax));
  return groups.map((group, at) => ({
    name: group.length === 1 ? named(group[0] ?? '') : `${group.length} more`,
    colour: colours[at] ?? '--rest',
    units: (day) => group.reduce((sum, slug) => sum + (units.get(`${day} ${slug}`) ?? 0), 0),
  }));
}

function bar(bands: readonly Band[], day: string, at: number, count: number, most: number): Html {
  const width = 100 / count;
  let top = height;
  const parts = bands.map(({ name, colour, units }) => {
    const tall = (units(day) / most) * (height - 2);
    top -= tall;
    return tall === 0
      ? ''
      : html`<rect x="${at * width + width * 0.1}" y="${top}" width="${width * 0.8}" height="${tall}" style="fill:var(${colour})"><title>${day}, ${name}: ${units(day)} units</title></rect>`;
  });
  return html`${parts}`;
}
