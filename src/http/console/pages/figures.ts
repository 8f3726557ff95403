import * as Money from '@sluice/kernel/money';
import { html, raw } from 'hono/html';
import type { Quantities } from '../../../ledger/metered.ts';
import * as UsageReport from '../../../ledger/usage-report.ts';
import type { Html } from '../../pages/frame.ts';

/** US dollars such as `1,234.50`, with fractions of a cent only when there are any. */
export function usd(money: Money.Money): string {
  const [whole = '', parts] = Money.format(money).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${parts}`;
}

/** US dollars with their currency: `1,234.50 USD`. */
export function money(value: Money.Money): string {
  return `${usd(value)} USD`;
}

/** A number of micro-dollars without rounding: `4.948 USD`. */
export function exact(micro: number): string {
  return money(Money.ofMicro(micro));
}

const microPerCent = 10_000;

/** A balance or a sum of calls in whole cents, rounded towards zero, so that all amounts of a page have the same form: `4.94 USD`. */
export function wholeCents(value: number): string {
  const cents = Math.trunc(value / microPerCent);
  if (cents === 0 && value > 0) return 'under 0.01 USD';
  return money(Money.ofMicro(cents * microPerCent));
}

/** The price of one unit. Below a cent it is that of a thousand: `1.00 USD per 1,000 results`. */
export function unitPrice(price: Money.Money, unit: string): string {
  if (price === 0) return 'free';
  return price < microPerCent
    ? `${money(Money.times(price, 1_000))} per 1,000 ${unit}s`
    : `${money(price)} per ${unit}`;
}

/** A number of results: `1 result`, `500 results`. */
export function results(value: number): string {
  return `${count(value)} ${value === 1 ? 'result' : 'results'}`;
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A number of things: `1 violation`, `2 violations`. */
export function many(number: number, one: string, several = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** The units of calls, and the quantity of each meter of metered calls. */
export function measured({ units, quantities }: { units: number; quantities: Quantities | null }): string {
  const meters = Object.entries(quantities ?? {}).map(([meter, quantity]) => `${meter} ${count(quantity)}`);
  return units === 0 && meters.length > 0 ? meters.join(', ') : [count(units), ...meters].join(', ');
}

/** Revenue less upstream cost, with the share of the calls that it is known of. */
export function margin(known: UsageReport.Margin): string {
  const value = UsageReport.marginOf(known);
  if (value === null) return 'unknown';
  const percent = UsageReport.marginPercent(known);
  const share = known.unknownCalls === 0 ? '' : `, unknown for ${count(known.unknownCalls)} calls`;
  return `${wholeCents(value)}${percent === null ? '' : ` (${percent}%)`}${share}`;
}

/** An amount of credit in dollars or results. */
export function amount(asset: 'usd' | 'unit', value: number): string {
  return asset === 'usd' ? money(Money.ofMicro(value)) : results(value);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A day in UTC: `26 Nov 2026`. */
export function day(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** A time in UTC, to the minute: `26 Nov 2026, 23:53`. */
export function momentText(ms: number): string {
  return `${day(ms)}, ${timeOf(ms)}`;
}

/** A time of a day in UTC: `23:53`. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

/** A time in UTC, to the minute. */
export function moment(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${momentText(ms)}</time>`;
}

/** The times of the first and the last of several events. */
export function between(firstMs: number | null, lastMs: number | null): Html {
  if (firstMs === null || lastMs === null) return html``;
  if (lastMs - firstMs < 60_000) return moment(lastMs);
  if (day(firstMs) !== day(lastMs)) return html`${moment(firstMs)} to ${moment(lastMs)}`;
  return html`${day(lastMs)}, ${timeOf(firstMs)}–${timeOf(lastMs)}`;
}

/** A duration in its largest unit. */
export function span(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** An id with a button that copies it, on pages with the script. */
export function copied(id: string): Html {
  return html`<span class="id copies">${id}</span>`;
}

/** The colours of labels: good, worth a look, at fault, and neutral or over. */
export type Mood = 'good' | 'warn' | 'bad' | 'past';

/** A status as a small label; true is `bad`, and false `good`. */
export function sign(word: string, mood: boolean | Mood = 'good'): Html {
  const kind = typeof mood === 'string' ? mood : mood ? 'bad' : 'good';
  return html`<span class="sign ${kind}">${word}</span>`;
}

/** The words of a name of programs: `needs_response` as `needs response`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/**
 * The heading of a column; `{ number }` aligns it to the right, and `''` has no heading. On a phone the cells of `lead` are at the end of the first line
 * of their row, those of `bare` below it without their heading, and those of `wide` only elsewhere.
 */
export type Column =
  | string
  | { number: string; onPhone?: 'lead' | 'bare' }
  | { bare: string }
  | { lead: string }
  | { wide: string };

/** Tables with more columns show their cells one below the other on a phone. */
const columnsOnPhone = 4;

/** A part of a page that is folded: its heading, and in a few words what is in it. */
export function folded(id: string, heading: string, about: string, content: Html, isOpen = false): Html {
  return html`<section class="fold" aria-labelledby="${id}"><details ${isOpen ? 'open' : ''}><summary><h2 id="${id}">${heading}</h2> <span class="soft">${about}</span></summary>${content}</details></section>`;
}

/** A table that scrolls sideways on a narrow screen; there, a `slim` one wraps its text instead, and a `stack` one puts its cells below each other. `more`: another class. */
export function table(
  label: string,
  columns: readonly Column[],
  rows: readonly Html[],
  form: '' | 'slim' | 'stack' = columns.length > columnsOnPhone ? 'stack' : '',
  more = '',
): Html {
  const head = (column: Column) => {
    const name = nameOf(column);
    if (name === '') return html`<td></td>`;
    return typeof column === 'object' && 'number' in column
      ? html`<th scope="col" class="number">${name}</th>`
      : html`<th scope="col">${name}</th>`;
  };
  const isCompact = form === 'stack' && columns.some((column) => placeOf(column) !== undefined);
  const kind = [isCompact ? 'stack compact' : form, more].filter(Boolean).join(' ');
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}"><table${kind === '' ? '' : raw(` class="${kind}"`)}><thead><tr>${columns.map(head)}</tr></thead><tbody>${form === 'stack' ? rows.map((row) => labelled(row, columns)) : rows}</tbody></table></div>`;
}

function nameOf(column: Column): string {
  if (typeof column === 'string') return column;
  return Object.entries(column).find(([key]) => key !== 'onPhone')?.[1] ?? '';
}

function placeOf(column: Column): 'lead' | 'bare' | 'wide' | undefined {
  if (typeof column === 'string') return undefined;
  if ('number' in column) return column.onPhone;
  return 'lead' in column ? 'lead' : 'wide' in column ? 'wide' : 'bare';
}

/** A row whose cells carry their headings: a phone shows them one below the other. Rows contain no tables. */
function labelled(row: Html, columns: readonly Column[]): Html {
  let at = -1;
  const cells = String(row).replace(/<(td|th)(?=[\s>])/g, (start) => {
    at += 1;
    const column = columns[at] ?? '';
    const label = nameOf(column);
    const place = placeOf(column);
    if (label === '' || at === 0) return start;
    return `${start} data-label="${label}"${place === undefined ? '' : ` data-as="${place}"`}`;
  });
  return html`${raw(cells)}`;
}

/** A figure with its name; `note` is small print below it. */
export function fact(name: string, value: string | Html, note?: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd>${note === undefined ? '' : html`<dd class="small">${note}</dd>`}</div>`;
}

/** Names with their values, one below the other. */
export function pairs(all: readonly (readonly [name: string, value: string | Html])[]): Html {
  return html`<dl class="pairs">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
