import * as Money from '@sluice/kernel/money';
import { cardName } from '../text/card-name.ts';
import type { Texts } from '../text/texts.ts';
import type { Payer } from './processor.ts';

/** A renewal that was not paid. `amount` has its tax; null where the processor did not respond. `card`: the one that was declined. */
export type FailedPayment = {
  amount: Money.Money | null;
  card: Pick<NonNullable<Payer['card']>, 'brand' | 'last4'> | null;
  nextAttemptMs: number | null;
};

/** The subject of a mail about a failed payment. */
export function failedSubject(
  texts: Texts,
  { shop, plan, total }: { shop: string; plan: string; total: string | null },
): string {
  return total === null
    ? texts.text('mail.past_due.subject', { shop, plan })
    : texts.text('mail.past_due.subject_amount', { shop, plan, amount: total });
}

/** The parts of a mail about a failed payment: its facts, line by line, and what happens next. */
export function failedFacts(texts: Texts, { amount, card, nextAttemptMs }: FailedPayment) {
  const total = amount === null ? null : texts.usd(Money.format(amount));
  const day = nextAttemptMs === null ? null : texts.day(nextAttemptMs);
  const rows = [
    ...(total === null ? [] : [texts.text('mail.failed.amount', { amount: total })]),
    ...(card === null ? [] : [texts.text('mail.failed.card', { card: cardName(texts, card) })]),
    ...(day === null ? [] : [texts.text('mail.failed.next', { day })]),
  ];
  return {
    total,
    rows: rows.length === 0 ? '' : `${rows.join('')}\n`,
    next: day === null ? texts.text('mail.failed.then') : texts.text('mail.failed.then_on', { day }),
  };
}
