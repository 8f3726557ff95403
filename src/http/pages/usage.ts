import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { sharedUnit } from '../../catalog/plan-unit.ts';
import type { DailyUsage, UsageSum } from '../../ledger/usage.ts';
import type { Texts } from '../../text/texts.ts';
import type { Html } from './frame.ts';
import * as Quantities from './quantities.ts';
import { say } from './say.ts';

export type AccountUsage = {
  /** Every day of the span, the oldest first (`2030-01-31`). */
  days: readonly string[];
  daily: readonly DailyUsage[];
  byService: readonly UsageSum[];
  /** Empty if no call was metered. */
  byModel: readonly UsageSum[];
};

/** Number of services with a colour of their own in the chart; the others share one. */
const colouredMax = 4;
const colours = ['--one', '--two', '--three', '--four', '--rest'];
const height = 40;

type Band = { name: string; colour: string; units: (day: string) => number };

/** The usage of the span: a bar for each day, divided into a band for each service, and the totals. */
export function usage(
  texts: Texts,
  { days, daily, byService, byModel }: AccountUsage,
  { services }: Catalog,
): Html {
  if (byService.length === 0)
    return html`<section><h2>${say(texts, 'usage.title')}</h2><p class="soft">${say(texts, 'usage.none', { link: html`<a href="/#try">${say(texts, 'usage.none_link')}</a>` })}</p></section>`;
  const unit = sharedUnit(services);
  const named = (slug: string | null) =>
    services.find((service) => service.slug === slug)?.name ?? slug ?? '';
  const bands = bandsOf(texts, { daily, byService }, named);
  return html`<section aria-labelledby="used"><h2 id="used">${say(texts, 'usage.title')}</h2>
${bands.length === 0 ? '' : chart(texts, bands, days, unit)}
<div class="wide" tabindex="0"><table><thead><tr><th scope="col">${say(texts, 'usage.service')}</th><th scope="col" class="number">${say(texts, 'usage.calls')}</th><th scope="col" class="number">${byModel.length > 0 ? say(texts, 'usage.quantity') : texts.unitHeading(unit)}</th><th scope="col" class="number">${say(texts, 'usage.cost')}</th></tr></thead>
<tbody>${byService.map(({ name, calls, units, cost, quantities }) => html`<tr><th scope="row">${named(name)}</th><td class="number">${texts.digits(calls)}</td><td class="number">${quantities ? Quantities.quantities(texts, quantities) : texts.digits(units)}</td><td class="number">${texts.usd(Money.formatExact(cost))}</td></tr>`)}</tbody></table></div>
${byModel.length === 0 ? '' : models(texts, byModel)}${daily.length === 0 ? '' : table(texts, daily, named, unit)}</section>`;
}

function models(texts: Texts, byModel: readonly UsageSum[]): Html {
  const row = ({ name, calls, cost, quantities }: UsageSum) =>
    html`<tr><th scope="row">${name ?? say(texts, 'usage.no_model')}</th><td class="number">${texts.digits(calls)}</td><td class="number">${Quantities.quantities(texts, quantities ?? {})}</td><td class="number">${texts.usd(Money.formatExact(cost))}</td></tr>`;
  return html`<h3>${say(texts, 'usage.by_model')}</h3><div class="wide" tabindex="0"><table><thead><tr><th scope="col">${say(texts, 'usage.model')}</th><th scope="col" class="number">${say(texts, 'usage.calls')}</th><th scope="col" class="number">${say(texts, 'usage.quantity')}</th><th scope="col" class="number">${say(texts, 'usage.cost')}</th></tr></thead><tbody>${byModel.map(row)}</tbody></table></div>`;
}

function chart(texts: Texts, bands: readonly Band[], days: readonly string[], unit: string): Html {
  const most = Math.max(1, ...days.map((day) => bands.reduce((sum, { units }) => sum + units(day), 0)));
  return html`<svg viewBox="0 0 100 ${height}" preserveAspectRatio="none" style="display:block;width:100%;height:8rem" role="img" aria-label="${texts.text('usage.chart', { units: texts.unitHeading(unit), peak: texts.digits(most) })}">${days.map((day, at) => bar(texts, { bands, day, most, unit }, at, days.length))}</svg>
<p class="soft" style="display:flex;justify-content:space-between;font-size:.875rem;margin:.25rem 0"><span>${dayOf(texts, days[0])}</span><span>${say(texts, 'usage.peak', { peak: texts.digits(most) })}</span><span>${dayOf(texts, days.at(-1))}</span></p>
<ul class="legend">${bands.map(({ name, colour }) => html`<li><span style="background:var(${colour})"></span>${name}</li>`)}</ul>`;
}

function dayOf(texts: Texts, day: string | undefined): string {
  return day === undefined ? '' : texts.dayOf(day);
}

function table(
  texts: Texts,
  daily: readonly DailyUsage[],
  named: (slug: string) => string,
  unit: string,
): Html {
  const row = ({ day, service, units }: DailyUsage) =>
    html`<tr><th scope="row">${texts.dayOf(day)}</th><td>${named(service)}</td><td class="number">${texts.digits(units)}</td></tr>`;
  return html`<details><summary>${say(texts, 'usage.by_day')}</summary><div class="wide" tabindex="0"><table><thead><tr><th scope="col">${say(texts, 'usage.day')}</th><th scope="col">${say(texts, 'usage.service')}</th><th scope="col" class="number">${texts.unitHeading(unit)}</th></tr></thead><tbody>${daily.toReversed().map(row)}</tbody></table></div></details>`;
}

/** The most used services, the most used at the bottom of a bar; all further services form one band. */
function bandsOf(
  texts: Texts,
  { daily, byService }: Pick<AccountUsage, 'daily' | 'byService'>,
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
    name:
      group.length === 1
        ? named(group[0] ?? '')
        : texts.text('usage.more_services', { services: group.length }),
    colour: colours[at] ?? '--rest',
    units: (day) => group.reduce((sum, slug) => sum + (units.get(`${day} ${slug}`) ?? 0), 0),
  }));
}

type Bar = { bands: readonly Band[]; day: string; most: number; unit: string };

function bar(texts: Texts, { bands, day, most, unit }: Bar, at: number, count: number): Html {
  const width = 100 / count;
  let top = height;
  const parts = bands.map(({ name, colour, units }) => {
    const tall = (units(day) / most) * (height - 2);
    top -= tall;
    return tall === 0
      ? ''
      : html`<rect x="${at * width + width * 0.1}" y="${top}" width="${width * 0.8}" height="${tall}" style="fill:var(${colour})"><title>${say(texts, 'usage.bar', { day: texts.dayOf(day), service: name, quantity: texts.digits(units(day)), units: texts.units(unit) })}</title></rect>`;
  });
  return html`${parts}`;
}
