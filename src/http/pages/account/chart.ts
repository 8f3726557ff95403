import { axisEnd } from '@sluice/kernel/chart-axis';
import { html } from 'hono/html';
import type { DailyUsage } from '../../../ledger/usage.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';

/** Number of bands with a colour of their own; further names share one more. */
const colouredMax = 4;
const height = 40;

export type ChartFacts = {
  /** Every day of the span, the oldest first (`2030-01-31`). */
  days: readonly string[];
  daily: readonly DailyUsage[];
  value: (one: DailyUsage) => number;
  /** The name of a band. */
  named: (name: string) => string;
  /** A value with its unit; on the axis without one, where that is clear. */
  shown: (value: number) => string;
  tick: (value: number) => string;
  label: string;
  isSmall?: boolean;
};

type Band = { name: string; of: (day: string) => number };

/** A bar for each day, divided into bands, with a scale and dates. The page shows the same figures in a table. */
export function chart(texts: Texts, facts: ChartFacts): Html {
  const { days, tick, label, isSmall = false } = facts;
  const bands = bandsOf(texts, facts);
  const peak = Math.max(0, ...days.map((day) => bands.reduce((sum, { of }) => sum + of(day), 0)));
  const top = axisEnd(peak);
  const middle = Math.floor(days.length / 2);
  const shown = days.filter(
    (_, at) => at === 0 || at === days.length - 1 || (at === middle && days.length > 2),
  );
  return html`<div class="chart${isSmall ? ' small' : ''}"><div class="y" aria-hidden="true"><span>${tick(top)}</span>${top > 1 ? html`<span>${tick(top / 2)}</span>` : ''}<span>${tick(0)}</span></div>
<svg viewBox="0 0 100 ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${(top > 1 ? [0, height / 2, height] : [0, height]).map((y) => html`<line x1="0" x2="100" y1="${y}" y2="${y}"/>`)}${days.map((day, at) => bar(texts, facts, { bands, day, top, at }))}</svg>
<div class="x" aria-hidden="true">${shown.map((day) => html`<span>${texts.shortDayOf(day)}</span>`)}</div></div>
${bands.length < 2 ? '' : html`<ul class="legend">${bands.map(({ name }, at) => html`<li><span class="band-${at}"></span>${name}</li>`)}</ul>`}`;
}

/** The largest names, the largest at the bottom of a bar; all further ones form one band. */
function bandsOf(texts: Texts, { daily, value, named }: ChartFacts): Band[] {
  const values = new Map(daily.map((one) => [`${one.day} ${one.name}`, value(one)]));
  const totals = new Map<string, number>();
  for (const one of daily) totals.set(one.name, (totals.get(one.name) ?? 0) + value(one));
  const names = [...totals]
    .filter(([, total]) => total > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const isAll = names.length <= colouredMax + 1;
  const groups = names.slice(0, isAll ? names.length : colouredMax).map((name) => [name]);
  if (!isAll) groups.push(names.slice(colouredMax));
  return groups.map((group) => ({
    name: group.length === 1 ? named(group[0] ?? '') : texts.text('usage.more', { count: group.length }),
    of: (day) => group.reduce((sum, name) => sum + (values.get(`${day} ${name}`) ?? 0), 0),
  }));
}

type Bar = { bands: readonly Band[]; day: string; top: number; at: number };

function bar(texts: Texts, { days, shown }: ChartFacts, { bands, day, top, at }: Bar): Html {
  const width = 100 / days.length;
  let y = height;
  const parts = bands.map(({ name, of }, band) => {
    const tall = (of(day) / top) * height;
    y -= tall;
    return tall === 0
      ? ''
      : html`<rect class="band-${band}" x="${at * width + width * 0.1}" y="${y}" width="${width * 0.8}" height="${tall}"><title>${say(texts, 'usage.bar', { day: texts.dayOf(day), name, value: shown(of(day)) })}</title></rect>`;
  });
  return html`${parts}`;
}
