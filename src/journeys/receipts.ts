import type { Operation } from '../catalog/operation.ts';
import * as SignedReceipt from '../identity/signed-receipt.ts';
import * as Money from '../kernel/money.ts';
import type { Order } from '../payment/order.ts';
import * as Reversal from '../payment/reversal.ts';
import type { Shop } from './shop.ts';

const pageMax = 50;

export type PurchaseEntry = SignedReceipt.PurchaseReceipt & {
  /** The receipt as a compact JWS, and a page that shows it to whoever has the address. */
  receipt: string;
  url: string;
};

/** The purchases of an account, the newest first, each with its signed receipt; `cursor` continues after a page. */
export async function list(
  shop: Shop,
  account: string,
  cursor: string | null,
): Promise<{ receipts: PurchaseEntry[]; cursor: string | null }> {
  const orders = await shop.orders.paidFor(account, cursor, pageMax + 1);
  const receipts = await Promise.all(orders.slice(0, pageMax).map((order) => entry(shop, order)));
  return { receipts, cursor: orders.length > pageMax ? (receipts.at(-1)?.purchase ?? null) : null };
}

/** What a granted order's receipt says, signed now. */
async function entry(shop: Shop, order: Order): Promise<PurchaseEntry> {
  const { id, account, payment, grantedMs } = order;
  if (account === null || payment === null || grantedMs === null)
    throw new Error(`order ${id} has not been paid`);
  const reversed = Reversal.total(await shop.orders.reversalsOf(id), order.amount);
  const facts: SignedReceipt.PurchaseReceipt = {
    kind: 'purchase',
    purchase: id,
    plan: order.plan,
    amount_usd: Money.format(order.amount),
    reversed_usd: Money.format(reversed),
    rail: order.rail,
    payment,
    paid_at: new Date(grantedMs).toISOString(),
  };
  const receipt = await SignedReceipt.sign(shop.desk.ring, { ...facts, account }, shop.clock());
  return { ...facts, receipt, url: `${shop.publicUrl}/receipts/${receipt}` };
}

/** The receipt of one call, for who asked for it (`Storefront-Receipt: jws`). */
export function ofCall(
  shop: Shop,
  { account, operation }: { account: string; operation: Operation },
  {
    callId,
    units,
    cost,
  }: { callId: string; units: number; cost: { cost: Money.Money; balance: Money.Money } },
): Promise<string> {
  const receipt = {
    kind: 'call' as const,
    account,
    call: `call_${callId}`,
    operation: operation.id,
    service: operation.service.slug,
    units,
    cost_usd: Money.formatExact(cost.cost),
    balance_usd: Money.formatExact(cost.balance),
  };
  return SignedReceipt.sign(shop.desk.ring, receipt, shop.clock());
}
