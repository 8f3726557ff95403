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
  placeholder?: string;
  /** The fault of the value. */
  fault?: string | undefined;
  isRequired?: boolean;
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
    placeholder,
    fault,
    isRequired,
    rows,
  } = of;
  const common = html`id="${id}" name="${name}" autocomplete="off"${isRequired ? raw(' required') : ''}${fault === undefined ? '' : html` aria-invalid="true" aria-describedby="${id}-fault"`}`;
  const input =
    rows !== undefined
      ? html`<textarea ${common} rows="${rows}">${value}</textarea>`
      : html`<input ${common} type="${type}" value="${value}"${inputMode ? html` inputmode="${inputMode}"` : ''}${placeholder ? html` placeholder="${placeholder}"` : ''}>`;
  return html`<label for="${id}">${label}</label>${input}${fault === undefined ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}`;
}

/** A drop-down list; `options` are values with their names. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  selected: string,
): Html {
  return html`<label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(([value, text]) => html`<option value="${value}"${value === selected ? raw(' selected') : ''}>${text}</option>`)}</select>`;
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

/** The filter above a list, with a link that clears it, and one that exports what it matches; null without the right to export. */
export function filterForm(path: string, fields: readonly Html[], query: string, csv: string | null): Html {
  return html`<form class="row filter" method="get" action="${path}" role="search">${fields.map((one) => html`<div>${one}</div>`)}<button>Filter</button></form>
<p class="tools">${query === '' ? '' : html`<a href="${path}">Clear the filter</a>`}${csv === null ? '' : html`<a href="${csv}${query === '' ? '' : `?${query}`}">Export as CSV</a>`}</p>`;
}
