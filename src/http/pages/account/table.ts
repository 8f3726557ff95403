import { html } from 'hono/html';
import type { Html } from '../frame.ts';

export type Column<Row> = {
  /** The heading; empty for a column of buttons. */
  head: string;
  cell: (row: Row) => Html | string;
  isNumber?: boolean;
  /** On a phone: at the end of the first line, or below it without its heading. One such column makes the rows compact. */
  onPhone?: 'lead' | 'bare';
};

/** A table whose rows become cards on a phone, where each cell repeats its heading. The first column is the heading of the row. */
export function table<Row>(
  rows: readonly Row[],
  [first, ...columns]: readonly [Column<Row>, ...Column<Row>[]],
): Html {
  const kind = (isNumber = false) => (isNumber ? html` class="number"` : '');
  const head = ({ head, isNumber }: Column<Row>) =>
    head === '' ? html`<td></td>` : html`<th scope="col"${kind(isNumber)}>${head}</th>`;
  const cell = (row: Row, { head, cell, isNumber, onPhone }: Column<Row>) =>
    html`<td${kind(isNumber)}${head === '' ? '' : html` data-label="${head}"`}${onPhone === undefined ? '' : html` data-as="${onPhone}"`}>${cell(row)}</td>`;
  const isCompact = columns.some(({ onPhone }) => onPhone !== undefined);
  return html`<table class="stack${isCompact ? html` ${'compact'}` : ''}"><thead><tr>${[first, ...columns].map(head)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${first.cell(row)}</th>${columns.map((column) => cell(row, column))}</tr>`)}</tbody></table>`;
}
