import { Writable } from 'node:stream';
import type { Operation } from '../catalog/operation.ts';
import * as Money from '../kernel/money.ts';
import type { Cost } from '../ledger/hold.ts';
import type { Streamed, Whole } from '../relay/answer.ts';
import * as Receipts from './receipts.ts';
import type { Shop } from './shop.ts';

/** An answer of the upstream that somebody pays for. */
export type PaidAnswer = {
  callId: string;
  account: string;
  operation: Operation;
  answer: Whole | Streamed;
  units: number;
  cost: Cost;
  /** Whether the caller wants a signed receipt (`Storefront-Receipt: jws`). */
  wantsReceipt: boolean;
};

/** Its headers, a flat list: the upstream's, and what it cost. At once, unless a receipt has to be signed. */
export function headers(shop: Shop, paid: PaidAnswer): string[] | Promise<string[]> {
  const { answer, callId, operation, units, cost } = paid;
  const list = [
    ...answer.headers,
    // Paid for by one caller: no shared cache may hand it to another.
    'cache-control',
    'private',
    'storefront-call',
    `call_${callId}`,
    'storefront-service',
    operation.service.slug,
    'storefront-units',
    String(units),
    'storefront-cost-usd',
    Money.formatExact(cost.cost),
    'storefront-balance-usd',
    Money.formatExact(cost.balance),
    'storefront-included-remaining',
    String(cost.includedRemaining),
    'storefront-origin',
    'upstream',
  ];
  const plans = plansOf(cost);
  if (plans !== '') list.push('storefront-plan', plans);
  return paid.wantsReceipt ? withReceipt(shop, paid, list) : list;
}

/** The plans that bore it, each once. */
function plansOf({ charges }: Cost): string {
  const [first] = charges;
  return first !== undefined && charges.length === 1
    ? first.lot.plan
    : [...new Set(charges.map(({ lot }) => lot.plan))].join(', ');
}

async function withReceipt(shop: Shop, paid: PaidAnswer, list: string[]): Promise<string[]> {
  list.push('storefront-receipt', await Receipts.ofCall(shop, paid, paid));
  return list;
}

/** The body of an answer as a whole; null where it is longer than `bytesMax`, or breaks off. */
export async function whole(
  { answer }: Pick<PaidAnswer, 'answer'>,
  bytesMax: number,
): Promise<Buffer | null> {
  if (answer.kind === 'answer') return answer.body.length <= bytesMax ? answer.body : null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.length;
      // The bytes are lent.
      chunks.push(Buffer.from(chunk));
      if (bytes > bytesMax) this.destroy();
      done();
    },
  });
  return (await answer.pipeTo(sink)) === 'ended' && bytes <= bytesMax ? Buffer.concat(chunks) : null;
}
