import { Writable } from 'node:stream';
import * as Money from '@sluice/kernel/money';
import type { Operation } from '../catalog/operation.ts';
import type { IdentityContext } from '../identity/identity-context.ts';
import type { Cost, Measured } from '../ledger/hold.ts';
import type { StreamedResponse, WholeResponse } from '../proxy/upstream-response.ts';
import * as Receipts from './receipts.ts';

/** A response of the upstream that is paid for. */
export type PaidResponse = {
  callId: string;
  account: string;
  operation: Operation;
  response: WholeResponse | StreamedResponse;
  units: number;
  /** The measurements of a metered call. */
  measured?: Measured | undefined;
  cost: Cost;
  /** True when the caller wants a signed receipt (`Storefront-Receipt: jws`). */
  wantsReceipt: boolean;
};

/** Returns the units of a call; undefined for a metered call, whose units are micro-dollars. */
export function unitsOf({
  operation,
  units,
  measured,
}: Pick<PaidResponse, 'operation' | 'units' | 'measured'>): number | undefined {
  return operation.units.kind === 'meters' || measured?.quantities !== undefined ? undefined : units;
}

/** Returns its header fields as a flat list: the upstream's and the cost. Synchronous, unless a receipt has to be signed. */
export function headers(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'>,
  paid: PaidResponse,
): string[] | Promise<string[]> {
  const { response, callId, operation, measured, cost } = paid;
  const list = [
    ...response.headers,
    // One caller paid for it, so a shared cache must not deliver it to others.
    'cache-control',
    'private',
    'storefront-call',
    `call_${callId}`,
    'storefront-service',
    operation.service.slug,
    'storefront-cost-usd',
    Money.formatExact(cost.cost),
    'storefront-balance-usd',
    Money.formatExact(cost.balance),
    'storefront-included-remaining',
    String(cost.includedRemaining),
    'storefront-origin',
    'upstream',
  ];
  const units = unitsOf(paid);
  if (units !== undefined) list.push('storefront-units', String(units));
  else if (measured?.quantities !== undefined) list.push('storefront-usage', usageOf(measured.quantities));
  if (cost.includedUsd !== null) list.push('storefront-included-usd', Money.formatExact(cost.includedUsd));
  const plans = plansOf(cost);
  if (plans !== '') list.push('storefront-plan', plans);
  return paid.wantsReceipt ? withReceipt(shop, paid, list) : list;
}

/** Returns the quantity of each meter as a dictionary (RFC 9651), such as `input=1200, output=34`. */
export function usageOf(quantities: NonNullable<Measured['quantities']>): string {
  const members = Object.entries(quantities).map(([meter, quantity]) => `${meter}=${quantity}`);
  return members.join(', ');
}

/** Returns the plans that were charged, each once. */
function plansOf({ charges }: Cost): string {
  const [first] = charges;
  return first !== undefined && charges.length === 1
    ? first.lot.plan
    : [...new Set(charges.map(({ lot }) => lot.plan))].join(', ');
}

async function withReceipt(
  shop: Pick<IdentityContext, 'clock' | 'tokenVerifier'>,
  paid: PaidResponse,
  list: string[],
): Promise<string[]> {
  list.push('storefront-receipt', await Receipts.ofCall(shop, paid, paid));
  return list;
}

/** Returns the whole body of a response; null when it is longer than `bytesMax`, or incomplete. */
export async function whole(
  { response }: Pick<PaidResponse, 'response'>,
  bytesMax: number,
): Promise<Buffer | null> {
  if (response.kind === 'whole') return response.body.length <= bytesMax ? response.body : null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.length;
      // The buffer is reused by its owner, so copy it.
      chunks.push(Buffer.from(chunk));
      if (bytes > bytesMax) this.destroy();
      done();
    },
  });
  return (await response.pipeTo(sink)) === 'ended' && bytes <= bytesMax ? Buffer.concat(chunks) : null;
}
