import * as Money from '@sluice/kernel/money';
import type { Audit, AuditEntry } from '../identity/audit.ts';
import type { Order } from '../payment/order.ts';
import type { PaymentContext } from '../payment/payment-context.ts';
import type { RefundInstruction, Reversal } from '../payment/reversal.ts';
import { syncReversals } from './sync-reversals.ts';

/** A refund that was sent to the processor, whose outcome is not known: it may have been made. */
export type UnconfirmedRefund = {
  entry: number;
  amount: Money.Money;
  /** The amount that could be refunded before it. */
  left: Money.Money;
  key: string | null;
  subscription: RefundInstruction['subscription'];
  atMs: number;
  /** The time from which the processor's list is final: a refund that it does not have by then was not made. */
  untilMs: number;
  /** True when no outcome at all was recorded: it is being made, or its process has ended. */
  isRunning: boolean;
};

/** A request to the processor has ended after this time: it was carried out, or never will be. */
const openMsMax = 600_000;

/** Returns true for an entry of the audit log about a refund that may have been made, although the processor has not confirmed it. */
function isOpen({ act, after, atMs }: Pick<AuditEntry, 'act' | 'after' | 'atMs'>, nowMs: number): boolean {
  const outcome = Object(after) as { kind?: unknown };
  return act === 'refund' && nowMs - atMs < openMsMax && (after === null || outcome.kind === 'unknown');
}

/** Lists the refunds of an order whose outcome is not known, the latest first. `listed`: what the processor lists for its payment. */
export async function list(
  { audit }: { readonly audit: Audit },
  order: string,
  listed: readonly Pick<Reversal, 'key'>[],
): Promise<UnconfirmedRefund[]> {
  const open = await audit.withoutOutcome('refund', order, openMsMax);
  return open
    .map(({ id, atMs, before, isRunning }): UnconfirmedRefund => {
      const { amount_usd, left_usd, key, subscription } = before as Readonly<Record<string, unknown>>;
      return {
        ...{ entry: id, isRunning, atMs, untilMs: atMs + openMsMax },
        amount: Money.parse(String(amount_usd)) ?? Money.zero,
        left: Money.parse(String(left_usd)) ?? Money.zero,
        key: typeof key === 'string' ? key : null,
        subscription: subscription === 'keep' ? 'keep' : 'end',
      };
    })
    .filter(({ key }) => key === null || !listed.some((one) => one.key === key));
}

/** Returns the latest refund of an order whose outcome is not known, once the processor was asked; null without one. */
export async function latest(
  shop: Pick<PaymentContext, 'orders' | 'processor' | 'writer'> & { readonly audit: Audit },
  { id, payment }: Order,
): Promise<UnconfirmedRefund | null> {
  if (payment === null || (await list(shop, id, [])).length === 0) return null;
  // While the processor is unavailable, nothing is known.
  const listed = await shop.processor.reversalsOf(payment).catch(() => []);
  const [found = null] = await list(shop, id, listed);
  if (found === null) await syncReversals(shop, payment);
  return found;
}

/** Returns the refunds among entries of the audit log whose outcome is not known, once the processor was asked, each with its order. */
export async function among(
  shop: Parameters<typeof latest>[0],
  entries: readonly AuditEntry[],
  nowMs: number,
): Promise<{ order: string; amount: Money.Money }[]> {
  const orders = new Set(entries.filter((entry) => isOpen(entry, nowMs)).map(({ subject }) => subject));
  const found = [...orders].map(async (id) => {
    const order = await shop.orders.find(id);
    const refund = order === null ? null : await latest(shop, order);
    return refund === null ? [] : [{ order: id, amount: refund.amount }];
  });
  return (await Promise.all(found)).flat();
}
