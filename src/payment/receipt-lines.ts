import { type Money, ofMicro } from '@sluice/kernel/money';
import type { Order } from './order.ts';

/** One line of a receipt. */
export type ReceiptLine =
  /** The plan or credit. `amount` null: the parts of the total are unknown. */
  | { kind: 'bought'; amount: Money | null }
  /** The rest of the period of a cheaper plan that was deducted; `order` paid that period. */
  | { kind: 'unused'; order: string; amount: Money }
  | { kind: 'other'; text: string; amount: Money }
  /** Discounts, and money that the processor had kept for the buyer. */
  | { kind: 'adjustment'; amount: Money };

/**
 * Returns the lines of an order, without tax: their sum is its amount. The lines of a period come from its invoice. Without stored lines,
 * they follow from the terms only if these add up to the amount; otherwise the parts are unknown.
 */
export function linesOf({ amount, period }: Pick<Order, 'amount' | 'period'>): ReceiptLine[] {
  if (period === null) return [{ kind: 'bought', amount }];
  const { lines = null, price, replaces } = period.terms;
  const credit = replaces?.credit ?? 0;
  const unused = (of: number): ReceiptLine[] =>
    replaces === undefined || of === 0
      ? []
      : [{ kind: 'unused', order: replaces.order, amount: ofMicro(of) }];
  if (lines === null)
    return amount === price - credit
      ? [{ kind: 'bought', amount: price }, ...unused(-credit)]
      : [{ kind: 'bought', amount: null }];
  const rest = amount - lines.reduce((sum, line) => sum + line.amount, 0);
  return [
    ...lines
      .filter(({ text }) => text === null)
      .map((line) => ({ kind: 'bought' as const, amount: line.amount })),
    ...lines.flatMap(({ text, amount: of }): ReceiptLine[] => {
      if (text === null) return [];
      return replaces !== undefined && of === -credit ? unused(of) : [{ kind: 'other', text, amount: of }];
    }),
    ...(rest === 0 ? [] : [{ kind: 'adjustment' as const, amount: ofMicro(rest) }]),
  ];
}
