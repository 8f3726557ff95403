import { html, raw } from 'hono/html';
import type { Html } from '../../pages/frame.ts';

type Field = {
  name: string;
  label: string | Html;
  value: string;
  /** The id of the input; by default its name. */
  id?: string;
  type?: string;
  inputMode?: 'decimal' | 'numeric';
  /** A unit that is shown after the input, such as `USD`. */
  unit?: string;
  placeholder?: string;
  /** The fault of the value. */
  fault?: string | undefined;
  /** A sentence below the input. */
  hint?: string;
  isRequired?: boolean;
  charsMax?: number;
  /** The browser may fill the input in again on Back, and suggest former texts. */
  isKept?: boolean;
  /** Shows several lines. */
  rows?: number;
};

/** A labelled input, with what is wrong with its value beside it. */
export function field(of: Field): Html {
  const {
    name,
    label,
    value,
    id = name,
    type = 'text',
    inputMode,
    unit,
    placeholder,
    fault,
    hint,
    isRequired,
    charsMax,
    isKept,
    rows,
  } = of;
  const notes = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  const common = html`id="${id}" name="${name}"${isKept ? '' : raw(' autocomplete="off"')}${isRequired ? raw(' required') : ''}${charsMax === undefined ? '' : html` maxlength="${charsMax}"`}${fault === undefined ? '' : raw(' aria-invalid="true"')}${notes.length === 0 ? '' : html` aria-describedby="${notes.join(' ')}"`}`;
  const placeholderOf = placeholder ? html` placeholder="${placeholder}"` : '';
  const control =
    rows !== undefined
      ? html`<textarea ${common} rows="${rows}"${placeholderOf}>${value}</textarea>`
      : html`<input ${common} type="${type}" value="${value}"${inputMode ? html` inputmode="${inputMode}"` : ''}${placeholderOf}>`;
  const input =
    unit === undefined
      ? control
      : html`<span class="with-unit">${control}<span aria-hidden="true">${unit}</span></span>`;
  return html`<label for="${id}">${label}</label>${input}${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}${fault === undefined ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}`;
}

/** A drop-down list; `options` are values with their names, `hint` a sentence below it. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  selected: string,
  hint?: string,
): Html {
  const note = hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`;
  return html`<label for="${name}">${label}</label><select id="${name}" name="${name}"${hint === undefined ? '' : html` aria-describedby="${name}-hint"`}>${options.map(([value, text]) => html`<option value="${value}"${value === selected ? raw(' selected') : ''}>${text}</option>`)}</select>${note}`;
}

/** The query string of a filter; empty when it restricts nothing. */
export function queryOf(filter: Readonly<Record<string, string | undefined>>): string {
  const members = Object.entries(filter).filter((one): one is [string, string] => !!one[1]);
  return new URLSearchParams(members).toString();
}

/** The links between the pages of a list: back to the newest entries, and on to the older ones. `next`: the member of the query that selects them. */
export function pages(path: string, query: string, isFirst: boolean, next: string | null): Html {
  if (isFirst && next === null) return html``;
  const newest = html`<a href="${path}${query === '' ? '' : `?${query}`}">Newest</a>`;
  const older = html`<a href="${path}?${query === '' ? '' : `${query}&`}${next ?? ''}">Older</a>`;
  return html`<nav class="pages" aria-label="Pages">${isFirst ? '' : newest}${next === null ? '' : older}</nav>`;
}

/** Fields of a filter that are shown at once; the others are folded while none of them restricts the list. */
const filtersShown = 2;

/** The heading of a list, with the link that exports what its filter matches; null without the right to export, or without anything to export. */
export function listTop(name: string, csv: string | null, query: string): Html {
  const link = html`<a class="button plain small" href="${csv}${query === '' ? '' : `?${query}`}">Export as CSV</a>`;
  return html`<div class="top"><h1>${name}</h1>${csv === null ? '' : link}</div>`;
}

/** The filter above a list, with a link that clears it. `isMore`: a folded field restricts the list. `show`: the list that the filter stays in. */
export function filterForm(
  path: string,
  fields: readonly Html[],
  query: string,
  isMore = false,
  show?: string,
): Html {
  const cells = (some: readonly Html[]) => some.map((one) => html`<div>${one}</div>`);
  const rest = fields.slice(filtersShown);
  const more = html`<details ${isMore ? 'open' : ''}><summary>More filters</summary><div class="more">${cells(rest)}</div></details>`;
  return html`<form class="filter" method="get" action="${path}" role="search">${show === undefined ? '' : html`<input type="hidden" name="show" value="${show}">`}${cells(fields.slice(0, filtersShown))}${rest.length === 0 ? '' : more}<div class="tools"><button class="plain">Filter</button>${query === '' ? '' : html`<a href="${path}">Clear the filter</a>`}</div></form>`;
}
