import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import { sharedUnit } from '../../../catalog/plan-unit.ts';
import type { RecordedCall } from '../../../ledger/usage.ts';
import type { Texts } from '../../../text/texts.ts';
import type { Html } from '../frame.ts';
import * as Quantities from '../quantities.ts';
import { type Column, table } from './table.ts';

/** A table of calls. `today`: the day (`2030-01-31`), whose year phones leave out. `keyName` names the key of a call; without it keys are not shown. */
export function calls(
  texts: Texts,
  all: readonly RecordedCall[],
  catalog: Catalog,
  { today, keyName }: { today: string; keyName?: (id: string) => string },
): Html {
  const unit = sharedUnit(catalog.services);
  const isThisYear = (ms: number) => today.startsWith(String(new Date(ms).getUTCFullYear()));
  const isMetered = all.some(({ quantities }) => quantities);
  const key: Column<RecordedCall>[] =
    keyName === undefined || all.every((one) => one.key === null)
      ? []
      : [
          {
            head: texts.text('usage.key'),
            cell: (one) => (one.key === null ? '' : keyName(one.key)),
            onPhone: 'bare',
          },
        ];
  return table(all, [
    {
      head: texts.text('calls.operation'),
      cell: ({ operation, model }) => html`<code>${operation}</code>${model ? ` ${model}` : ''}`,
    },
    {
      head: texts.text('calls.when'),
      cell: ({ atMs }) => texts.minute(atMs),
      onPhone: 'bare',
      phone: ({ atMs }) => (isThisYear(atMs) ? texts.shortMinute(atMs) : null),
    },
    ...key,
    {
      head: texts.text('calls.status'),
      cell: ({ status }) => String(status),
      isNumber: true,
      onPhone: 'bare',
      // A success goes without saying, so that the line has room for the key.
      phone: ({ status }) => (status < 300 ? '' : null),
    },
    {
      head: isMetered ? texts.text('usage.quantity') : texts.unitHeading(unit),
      cell: (call) =>
        call.quantities ? Quantities.quantities(texts, call.quantities) : texts.number(call.units),
      isNumber: true,
      onPhone: 'bare',
      phone: ({ quantities, units }) => (quantities ? null : texts.quantity(units, unit)),
    },
    {
      head: texts.text('calls.cost'),
      cell: (call) => costOf(texts, call, catalog),
      isNumber: true,
      onPhone: 'lead',
    },
  ]);
}

/** The cost of a call; the plan that included it when it cost no credit. */
function costOf(texts: Texts, { isReturned, cost, included, plans }: RecordedCall, catalog: Catalog): string {
  if (isReturned) return texts.text('calls.refunded');
  const [plan] = plans.filter((id) => catalog.plans.some((one) => one.id === id));
  if (cost === Money.zero && included > 0 && plan !== undefined)
    return texts.text('calls.included', { plan: nameOf(catalog, plan) });
  return texts.usd(Money.format(cost));
}
