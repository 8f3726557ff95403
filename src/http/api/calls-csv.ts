import * as Money from '@sluice/kernel/money';
import type { IdentityContext } from '../../identity/identity-context.ts';
import * as Usage from '../../journeys/usage.ts';
import type { LedgerContext } from '../../ledger/ledger-context.ts';
import type { RecordedCall } from '../../ledger/usage.ts';

/** Responds with the calls of an account in the last `spanMs` milliseconds as a CSV file (RFC 4180), newest first. */
export async function respondWithCalls(
  shop: Pick<IdentityContext, 'clock'> & Pick<LedgerContext, 'usage'>,
  account: string,
  spanMs: number,
): Promise<Response> {
  const toMs = shop.clock() + 1;
  const calls = await Usage.recentCalls(shop, account, { fromMs: toMs - spanMs, toMs });
  const lines = [
    'call,at,service,operation,status,units,included_units,cost_usd,key,given_back',
    ...calls.map(line),
  ];
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="calls.csv"',
    'cache-control': 'no-store',
  };
  return new Response(`${lines.join('\r\n')}\r\n`, { headers });
}

function line({
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
}: RecordedCall): string {
  const at = new Date(atMs).toISOString();
  const cells = [
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
  return cells
    .map((cell) => (/[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell))
    .join(',');
}
