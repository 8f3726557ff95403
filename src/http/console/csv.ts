import { html } from 'hono/html';
import type { ConsoleResponse } from './response.ts';

/** An export has at most this many rows; a larger one is refused rather than cut off. */
const rowsMax = 20_000;
const pageRows = 1_000;

export type Cell = string | number | null;

/** Writes one row by RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe in front. */
function line(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A time in UTC that spreadsheets read. */
export function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
}

/**
 * Exports all items of a list, page by page. `next` returns at most `max` items that follow `after`; `row` writes one.
 * Responds with a page when there are more than `rowsMax`.
 */
export async function download<Item>(
  name: string,
  head: readonly string[],
  next: (after: Item | null, max: number) => Promise<readonly Item[]>,
  row: (item: Item) => readonly Cell[],
): Promise<ConsoleResponse> {
  const parts = [line(head)];
  let after: Item | null = null;
  for (;;) {
    const items = await next(after, pageRows);
    for (const item of items) parts.push(line(row(item)));
    after = items.at(-1) ?? null;
    if (after === null || items.length < pageRows) break;
    if (parts.length > rowsMax) return tooMany();
  }
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(parts.join(''), { headers });
}

function tooMany(): ConsoleResponse {
  const main = html`<section><h1>Too many rows</h1><p class="note" role="alert">More than ${rowsMax.toLocaleString('en')} rows match, and an export is never cut off. Choose a shorter time, and export part by part.</p></section>`;
  return { status: 422, title: 'Too many rows', main };
}
