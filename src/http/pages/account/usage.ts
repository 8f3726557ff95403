import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import { sharedUnit } from '../../../catalog/plan-unit.ts';
import { noneValue } from '../../../journeys/usage.ts';
import type { DailyGroup, DailyUsage, RecordedCall, UsageSum } from '../../../ledger/usage.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import * as Quantities from '../quantities.ts';
import { say } from '../say.ts';
import { calls } from './calls.ts';
import { chart } from './chart.ts';
import { sections } from './frame.ts';
import { type Column, table } from './table.ts';

/** The figure that the chart shows. */
export const measures = ['units', 'cost', 'calls'] as const;
export type Measure = (typeof measures)[number];

/** The selection as it was typed: days (`2030-01-31`), and the service, key and model; empty for all. */
export type Filters = Record<'from' | 'to' | 'service' | 'key' | 'model', string>;

export type UsageFacts = {
  filters: Filters;
  by: DailyGroup;
  measure: Measure;
  /** The measure that is shown when none is chosen. */
  usualMeasure: Measure;
  /** A fault of `from` or `to`; the page then shows no figures. */
  faults: readonly { field: string; message: string }[];
  /** Lengths of the ranges that end today, each with its first and last day. */
  ranges: readonly { days: number; from: string; to: string }[];
  /** The values that can be selected: those that occur in the range. */
  options: Record<DailyGroup, readonly { value: string; name: string }[]>;
  days: readonly string[];
  daily: readonly DailyUsage[];
  sums: readonly UsageSum[];
  calls: readonly RecordedCall[];
  /** The last call of the page of calls, when there are more. */
  older: string | null;
  /** False for a page of calls after the newest one. */
  isFirst: boolean;
};

/** The usage of an account in a range of days, by service, model or key: filters, a chart, its figures as tables, and the calls. */
export function usage(texts: Texts, facts: UsageFacts, catalog: Catalog): Html {
  const { by, older } = facts;
  const { services } = catalog;
  const unit = sharedUnit(services);
  const countsUnits = isCounting(services);
  const form = filterForm(texts, facts, countsUnits, unit);
  // Figures of another range than the typed one would be read as those of the typed one.
  if (facts.faults.length > 0) return form;
  const own = [form, facts.sums.length === 0 ? none(texts, facts) : figures(texts, facts, unit)];
  if (facts.calls.length === 0) return html`${own}`;
  const keyName = (id: string) => facts.options.key.find(({ value }) => value === id)?.name ?? id;
  const newest = facts.isFirst
    ? ''
    : html`<a href="${sections.usage}?${query(facts, { by })}#calls">${say(texts, 'calls.newest')}</a> `;
  return html`${own}
<section aria-labelledby="calls"><div class="head"><h2 id="calls">${say(texts, 'calls.title')}</h2><a href="/shop/account/calls.csv?${query(facts, {})}">${say(texts, 'calls.csv')}</a></div>
${calls(texts, facts.calls, catalog, { today: facts.ranges[0]?.to ?? '', keyName })}<p class="range">${newest}${older === null ? '' : html`<a href="${sections.usage}?${query(facts, { by, before: older })}#calls">${say(texts, 'calls.older')}</a>`}</p></section>`;
}

/** Returns true for a shop that sells any service by units. */
export function isCounting(services: Catalog['services']): boolean {
  return services.some(({ metering, price }) => metering === undefined && price > 0);
}

function none(texts: Texts, { filters }: UsageFacts): Html {
  const key = isFiltered(filters) ? 'usage.none_filtered' : 'usage.none';
  return html`<section><p class="soft">${say(texts, key, { link: html`<a href="/#try">${say(texts, 'usage.none_link')}</a>` })}</p></section>`;
}

function isFiltered({ service, key, model }: Filters): boolean {
  return service + key + model !== '';
}

/** The address of the selection, with other members. */
function query({ filters, measure }: UsageFacts, more: Readonly<Record<string, string>>): string {
  const members = { ...filters, show: measure, ...more };
  return String(new URLSearchParams(Object.entries(members).filter(([, value]) => value !== '')));
}

function filterForm(texts: Texts, facts: UsageFacts, countsUnits: boolean, unit: string): Html {
  const { filters, options, by, measure, usualMeasure, faults, ranges } = facts;
  const day = (name: 'from' | 'to') => {
    const fault = faults.find(({ field }) => field === name);
    return html`<div><label for="${name}">${say(texts, `usage.${name}`)}</label><input id="${name}" name="${name}" type="date" value="${filters[name]}"${fault === undefined ? '' : html` aria-invalid="true" aria-describedby="${name}-fault" autofocus=""`}>${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault.message}</p>`}</div>`;
  };
  const choice = (
    name: string,
    label: string,
    chosen: string,
    all: readonly { value: string; name: string }[],
  ) =>
    html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${all.map(({ value, name }) => html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${name}</option>`)}</select></div>`;
  const isKnown = (name: DailyGroup) =>
    filters[name] === '' || options[name].some(({ value }) => value === filters[name]);
  const filter = (name: DailyGroup) =>
    options[name].length === 0 && filters[name] === ''
      ? ''
      : choice(name, texts.text(`usage.${name}`), filters[name], [
          { value: '', name: texts.text('usage.all') },
          ...options[name],
          ...(isKnown(name) ? [] : [{ value: filters[name], name: filters[name] }]),
        ]);
  const names = {
    units: texts.unitHeading(unit),
    cost: texts.text('usage.cost'),
    calls: texts.text('usage.calls'),
  };
  const shown = measures.filter((one) => one !== 'units' || countsUnits);
  const isUsual =
    ranges.some(({ from, to }) => from === filters.from && to === filters.to) &&
    by === 'service' &&
    measure === usualMeasure;
  const isFolded = isUsual && !isFiltered(filters) && faults.length === 0;
  return html`<section aria-label="${texts.text('usage.filters')}">
<p class="range">${ranges.map(({ days, from, to }) => html`<a href="${sections.usage}?${query(facts, { by, from, to })}" ${from === filters.from && to === filters.to ? html`aria-current="true"` : ''}>${say(texts, 'usage.last_days', { count: days })}</a> `)}</p>
<details${isFolded ? '' : html` open=""`}><summary>${say(texts, 'usage.more_filters')}</summary><form method="get" action="${sections.usage}" class="row filter">${day('from')}${day('to')}${filter('service')}${filter('key')}${filter('model')}
${choice(
  'by',
  texts.text('usage.by'),
  by,
  groupsOf(options).map((value) => ({ value, name: texts.text(`usage.${value}`) })),
)}
${choice(
  'show',
  texts.text('usage.show'),
  measure,
  shown.map((value) => ({ value, name: names[value] })),
)}
<div class="fit"><button>${say(texts, 'usage.apply')}</button></div></form></details></section>`;
}

/** The groups that divide anything. */
function groupsOf(options: UsageFacts['options']): DailyGroup[] {
  return (['service', 'key', 'model'] as const).filter((one) => one === 'service' || options[one].length > 0);
}

function figures(texts: Texts, facts: UsageFacts, unit: string): Html {
  const { by, measure, days, daily, sums, options } = facts;
  const isMetered = sums.some(({ quantities }) => quantities);
  const named = (name: string | null) =>
    options[by].find(({ value }) => value === (name || noneValue))?.name ?? (name || unnamed(texts, by));
  const shown = (value: number) => figureOf(texts, measure, value, unit);
  const heading = measure === 'units' ? texts.unitHeading(unit) : texts.text(`usage.${measure}`);
  const total = sums.reduce((sum, one) => sum + Number(one[measure]), 0);
  return html`<section aria-labelledby="used"><h2 id="used">${say(texts, 'usage.total', { total: shown(total) })}</h2>
${total === 0 ? uncharged(texts, facts, unit) : chart(texts, { days, daily, named, shown, value: (one) => Number(one[measure]), tick: (value) => tickOf(texts, measure, value), label: texts.text('usage.chart', { figure: heading, group: texts.text(`usage.${by}`) }) })}
${table(sums, [
  { head: texts.text(`usage.${by}`), cell: ({ name }) => named(name) },
  { head: texts.text('usage.calls'), cell: (one) => texts.number(one.calls), isNumber: true },
  {
    head: isMetered ? texts.text('usage.quantity') : texts.unitHeading(unit),
    cell: ({ quantities, units }) =>
      quantities ? Quantities.quantities(texts, quantities) : texts.number(units),
    isNumber: true,
  },
  { head: texts.text('usage.cost'), cell: (sum) => chargedOf(texts, sum), isNumber: true },
])}
<details><summary>${say(texts, 'usage.by_day')}</summary><div class="scroll" tabindex="0" role="region" aria-label="${texts.text('usage.by_day')}">${byDay(texts, { daily, by, named, unit, isMetered })}</div></details></section>`;
}

type ByDay = {
  daily: readonly DailyUsage[];
  by: DailyGroup;
  named: (name: string | null) => string;
  unit: string;
  isMetered: boolean;
};

/** The figures of the chart as a table, the newest day first. */
function byDay(texts: Texts, { daily, by, named, unit, isMetered }: ByDay): Html {
  const units: Column<DailyUsage> = {
    head: texts.unitHeading(unit),
    cell: (one) => texts.number(one.units),
    isNumber: true,
    onPhone: 'bare',
    phone: (one) => texts.quantity(one.units, unit),
  };
  return table(daily.toReversed(), [
    { head: texts.text('usage.day'), cell: ({ day }) => texts.dayOf(day) },
    { head: texts.text(`usage.${by}`), cell: ({ name }) => named(name), onPhone: 'bare' },
    {
      head: texts.text('usage.calls'),
      cell: (one) => texts.number(one.calls),
      isNumber: true,
      onPhone: 'bare',
      phone: (one) => texts.text('usage.calls_of', { count: one.calls }),
    },
    ...(isMetered ? [] : [units]),
    {
      head: texts.text('usage.cost'),
      cell: (one) => chargedOf(texts, one),
      isNumber: true,
      onPhone: 'lead',
    },
  ]);
}

/** The calls without a key or a model, where no others are. */
function unnamed(texts: Texts, by: DailyGroup): string {
  return by === 'service' ? '' : texts.text(by === 'key' ? 'usage.no_key' : 'usage.no_model');
}

/** In place of a chart without a bar: that plans included what was used, if they did. */
function uncharged(texts: Texts, { measure, sums }: UsageFacts, unit: string): Html | '' {
  const included = sums.filter((one) => one.included > 0);
  if (measure !== 'cost' || included.length === 0) return '';
  const units = included.reduce((sum, one) => sum + one.units, 0);
  const calls = included.reduce((sum, one) => sum + one.calls, 0);
  const quantity = figureOf(texts, units > 0 ? 'units' : 'calls', units || calls, unit);
  return html`<p>${say(texts, 'usage.all_included', { quantity })}</p>`;
}

/** The amount that calls were charged; that plans included them when they cost no credit. */
function chargedOf(texts: Texts, { cost, included }: Pick<UsageSum, 'cost' | 'included'>): string {
  return cost === Money.zero && included > 0 ? texts.text('usage.included') : texts.usd(Money.format(cost));
}

/** A figure with its unit. Costs are in micro-dollars. */
export function figureOf(texts: Texts, measure: Measure, value: number, unit: string): string {
  switch (measure) {
    case 'cost':
      return texts.usd(Money.format(Money.ofMicro(value)));
    case 'units':
      return texts.quantity(value, unit);
    case 'calls':
      return texts.text('usage.calls_of', { count: value });
  }
}

export function tickOf(texts: Texts, measure: Measure, value: number): string {
  return measure === 'cost' ? texts.usd(Money.format(Money.ofMicro(value))) : texts.number(value);
}
