import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { RecordedCall } from '../../../ledger/usage.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import * as Quantities from '../quantities.ts';
import { table } from './table.ts';

/** A table of calls. `unit`: what calls without meters are counted in. */
export function calls(texts: Texts, all: readonly RecordedCall[], unit: string): Html {
  const isMetered = all.some(({ quantities }) => quantities);
  return table(all, [
    { head: texts.text('calls.when'), cell: ({ atMs }) => texts.minute(atMs) },
    {
      head: texts.text('calls.operation'),
      cell: ({ operation, model }) => html`<code>${operation}</code>${model ? ` ${model}` : ''}`,
      onPhone: 'bare',
    },
    { head: texts.text('calls.status'), cell: ({ status }) => String(status), isNumber: true, onPhone: 'bare' },
    {
      head: isMetered ? texts.text('usage.quantity') : texts.unitHeading(unit),
      cell: (call) =>
        call.quantities ? Quantities.quantities(texts, call.quantities) : texts.number(call.units),
      isNumber: true,
    },
    {
      head: texts.text('calls.cost'),
      cell: ({ isReturned, cost }) =>
        isReturned ? texts.text('calls.refunded') : texts.usd(Money.format(cost)),
      isNumber: true,
      onPhone: 'lead',
    },
  ]);
}
