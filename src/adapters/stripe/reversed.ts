import type Stripe from 'stripe';
import * as Money from '../../kernel/money.ts';
import type { Reversal } from '../../payment/reversal.ts';

/** Where the processor keeps the seller's key of a refund. */
export const keyField = 'seller_key';

export function ofRefund({ id, amount, status, reason, metadata }: Stripe.Refund): Reversal {
  const counts = status !== 'failed' && status !== 'canceled';
  const key = metadata?.[keyField] ?? null;
  return {
    id,
    kind: 'refund',
    amount: Money.ofCents(amount),
    status: status ?? 'succeeded',
    counts,
    reason,
    key,
  };
}

/** An inquiry (`warning_...`) takes no money; a dispute does from its first day, and gives it back when it is won. */
export function ofDispute({ id, amount, status, reason }: Stripe.Dispute): Reversal {
  const counts = status === 'needs_response' || status === 'under_review' || status === 'lost';
  return { id, kind: 'dispute', amount: Money.ofCents(amount), status, counts, reason, key: null };
}
