import { html } from 'hono/html';
import type { Html } from '../frame.ts';

export type Column<Row> = {
  /** The heading; empty for a column of buttons. */
  head: string;
  cell: (row: Row) => Html | string;
  isNumber?: boolean;
  /** True for short values, such as dates, that stay on one line. */
  isShort?: boolean;
  /** On a phone: at the end of the first line, or below it without its heading. One such column makes the rows compact. */
  onPhone?: 'lead' | 'bare';
  /** The value with its unit or name, for a phone, where the heading is not shown; empty to hide the cell, null to show it with its heading. */
  phone?: (row: Row) => string | null;
};

/**
 * A table whose rows become cards on a phone, where each cell repeats its heading. The first column is the heading of the row.
 * @param below content below a row, over its whole width; null for none
 */
export function table<Row>(
  rows: readonly Row[],
  [first, ...columns]: readonly [Column<Row>, ...Column<Row>[]],
  below: (row: Row) => Html | null = () => null,
): Html {
  const kind = ({ isNumber = false, isShort = false }: Column<Row>) =>
    isNumber ? html` class="number"` : isShort ? html` class="short"` : '';
  const head = (column: Column<Row>) =>
    column.head === '' ? html`<td></td>` : html`<th scope="col"${kind(column)}>${column.head}</th>`;
  const more = (content: Html | null) =>
    content === null ? '' : html`<tr class="below"><td colspan="${columns.length + 1}">${content}</td></tr>`;
  const cell = (row: Row, column: Column<Row>) => {
    const { head, onPhone } = column;
    const phone = column.phone?.(row) ?? null;
    const content = column.cell(row);
    return html`<td${kind(column)}${head === '' ? '' : html` data-label="${head}"`}${onPhone === undefined ? '' : html` data-as="${onPhone}"`}${phone === null ? html`>${content}` : html` data-phone="${phone}"><span>${content}</span>`}</td>`;
  };
  const isCompact = columns.some(({ onPhone }) => onPhone !== undefined);
  return html`<table class="stack${isCompact ? html` ${'compact'}` : ''}"><thead><tr>${[first, ...columns].map(head)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${first.cell(row)}</th>${columns.map((column) => cell(row, column))}</tr>${more(below(row))}`)}</tbody></table>`;
}
