import * as Money from '@sluice/kernel/money';
import type Stripe from 'stripe';
import type { Reversal } from '../../payment/reversal.ts';

/** The metadata field for the seller's key of a refund. */
export const keyField = 'seller_key';

/** The metadata field for the tax part, in cents, of a refund that was requested here. */
export const taxField = 'tax';

export function ofRefund({ id, amount, status, reason, metadata }: Stripe.Refund): Reversal {
  const isEffective = status !== 'failed' && status !== 'canceled';
  const key = metadata?.[keyField] ?? null;
  return {
    id,
    kind: 'refund',
    amount: Money.ofCents(amount),
    status: status ?? 'succeeded',
    isEffective,
    reason,
    key,
    ...(metadata?.[taxField] && { tax: Money.ofCents(Number(metadata[taxField])) }),
  };
}

/** Statuses of disputes that have taken no money. Any status not listed here counts as money taken. */
const harmless: readonly string[] = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'prevented',
  'won',
];

/**
 * A dispute counts while its money is withdrawn according to its balance transactions: each reinstatement undoes one withdrawal. They are
 * counted rather than added up, because a currency may be converted at two rates. Without transactions the status decides.
 */
export function ofDispute({
  id,
  amount,
  status,
  reason,
  evidence_details: evidence,
  balance_transactions: moves,
}: Stripe.Dispute): Reversal {
  const taken = moves.filter((move) => move.amount < 0).length;
  const reinstated = moves.filter((move) => move.amount > 0).length;
  const isEffective = moves.length > 0 ? taken > reinstated : !harmless.includes(status);
  const dueMs = evidence.due_by === null ? null : evidence.due_by * 1_000;
  return {
    id,
    kind: 'dispute',
    amount: Money.ofCents(amount),
    status,
    isEffective,
    reason,
    dueMs,
    key: null,
  };
}
