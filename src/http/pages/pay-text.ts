import * as Money from '@sluice/kernel/money';
import type { Unpaid } from '../../journeys/billing-portal.ts';
import type { Texts } from '../../text/texts.ts';

/** The text of the link that pays an unpaid renewal: with its amount, where it is known. */
export function payText(texts: Texts, unpaid: Unpaid | null): string {
  if (unpaid === null) return texts.text('account.pay_invoice');
  return texts.text('account.pay_amount', { amount: texts.usd(Money.format(unpaid.amount)) });
}

/** Says when the card is charged again for an unpaid renewal. */
export function nextAttemptText(texts: Texts, unpaid: Unpaid | null): string {
  if (unpaid === null) return texts.text('account.charged_again');
  const { nextAttemptMs } = unpaid;
  return nextAttemptMs === null
    ? texts.text('account.not_charged_again')
    : texts.text('account.charged_again_on', { day: texts.day(nextAttemptMs) });
}
