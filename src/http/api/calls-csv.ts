import * as Money from '@sluice/kernel/money';
import * as Usage from '../../journeys/usage.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import type { ClosedUsage, RecordedCall, UsageSelection } from '../../ledger/usage.ts';

const columns = [
  'call',
  'at',
  'service',
  'operation',
  'status',
  'units',
  'included_units',
  'cost_usd',
  'key',
  'given_back',
];

type Cell = string | number | boolean;

/**
 * Responds with the selected calls of an account in a period as a CSV file (RFC 4180), newest first. If there are metered calls,
 * the file ends with a column for the model and one for each meter. Closed days follow as sums: without an id, with the day instead of the time, and with
 * the number of calls in the column of the status.
 */
export async function respondWithCalls(
  shop: Pick<LedgerContext, 'usage'>,
  account: string,
  period: Usage.UsagePeriod,
  selection: UsageSelection,
): Promise<Response> {
  const calls = await Usage.recentCalls(shop, account, period, selection);
  const closed = await shop.usage.closed(account, period.fromMs, period.toMs, selection);
  const all = [...calls, ...closed];
  const isMetered = all.some(({ model, quantities }) => model !== null || quantities !== null);
  const meters = [...new Set(all.flatMap((call) => Object.keys(call.quantities ?? {})))].sort();
  const lines = [
    [...columns, ...(isMetered ? ['model', ...meters.map((meter) => `quantity:${meter}`)] : [])],
    ...calls.map((call) => [...cells(call), ...(isMetered ? metered(call, meters) : [])]),
    ...closed.map((sum) => [...closedCells(sum), ...(isMetered ? metered(sum, meters) : [])]),
  ].map((line) => line.map(quoted).join(','));
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="calls.csv"',
    'cache-control': 'no-store',
  };
  return new Response(`${lines.join('\r\n')}\r\n`, { headers });
}

/** The last columns of a file with metered calls: the model, and one for each meter. */
function metered(
  { model, quantities }: Pick<RecordedCall, 'model' | 'quantities'>,
  meters: readonly string[],
): Cell[] {
  return [inert(model ?? ''), ...meters.map((meter) => quantities?.[meter] ?? '')];
}

/** The model may be text of a caller. A spreadsheet must not run it as a formula. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(cell: Cell): Cell {
  return /[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell;
}

/** A sum has the number of its calls in the column of the status. */
function closedCells({ day, service, operation, calls, units, included, cost, key }: ClosedUsage): Cell[] {
  return [
    '',
    day,
    service,
    operation,
    `${calls} calls`,
    units,
    included,
    Money.formatExact(cost),
    key ?? '',
    false,
  ];
}

function cells({
  callId,
  atMs,
  service,
  operation,
  status,
  units,
  included,
  cost,
  key,
  isReturned,
}: RecordedCall): Cell[] {
  const at = new Date(atMs).toISOString();
  return [
    `call_${callId}`,
    at,
    service,
    operation,
    status,
    units,
    included,
    Money.formatExact(cost),
    key ?? '',
    isReturned,
  ];
}
