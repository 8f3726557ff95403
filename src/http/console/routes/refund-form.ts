import * as Money from '@sluice/kernel/money';
import * as Refund from '../../../journeys/refund.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { SubscriptionEnd } from '../../../journeys/refunded-subscription.ts';
import type { FieldFault } from '../../../payment/purchase-input.ts';
import * as RefundRequest from '../../../payment/refund-request.ts';
import * as Gone from '../../../payment/reversal.ts';
import { english } from '../../../text/texts.ts';
import type { FormResult } from '../pages/account.ts';
import { day, money } from '../pages/figures.ts';
import type { PlanName } from '../pages/orders.ts';
import type { PaymentFacts } from '../pages/payment.ts';
import * as RefundPage from '../pages/refund.ts';

export const nothingRefunded: FormResult = {
  text: 'Nothing was refunded.',
  fix: { id: 'amount', name: 'Correct the amount' },
  isBad: true,
};
const byHandOnly: NonNullable<FormResult> = {
  text: 'This purchase was paid in a stablecoin. Send the money from your wallet, then record it below.',
  isBad: true,
};
/** It is not known whether the refund was made: the page of the purchase asks the processor. */
export const unanswered: NonNullable<FormResult> = {
  text: 'It is not known whether the refund was made.',
  isBad: true,
};
export const noTransaction = 'Enter the transaction as 0x and 64 digits (0-9, a-f), or leave it empty.';
export const badTransaction: FormResult = {
  text: 'Nothing was recorded.',
  fix: { id: 'reference', name: 'Correct the transaction' },
  isBad: true,
};
export const nothingDeclined: FormResult = {
  text: 'Nothing was declined.',
  fix: { id: 'reason', name: 'Correct the reason' },
  isBad: true,
};

/** The hash of a transaction; it may be left out. */
export function isTransaction(reference: string): boolean {
  return reference === '' || /^0x[0-9a-fA-F]{64}$/.test(reference);
}

/** The fault of the reason for declining a request; null when it has none. */
export function declineFault(form: URLSearchParams): PaymentFacts['declining'] {
  const faults: FieldFault[] = [];
  RefundRequest.readText(english, Object.fromEntries(form), 'reason', faults);
  const fault = 'Enter a reason of at most 1,000 characters. The buyer sees it.';
  return faults.length === 0 ? null : { reason: form.get('reason') ?? '', fault };
}

/** Performs the action of a form: declines or grants the buyer's request, refunds, or records a refund that was sent by hand. */
export async function answerOrRefund(
  shop: RefundRequests.RefundAnswerContext,
  purchase: string,
  form: URLSearchParams,
  who: string,
  planName: PlanName,
): Promise<NonNullable<FormResult>> {
  const act = form.get('act');
  if (act === 'decline') {
    const reason = RefundRequest.readText(english, Object.fromEntries(form), 'reason', []);
    return resultOf(await RefundRequests.answer(shop, purchase, { kind: 'decline', reason }, who), planName);
  }
  const key = act === 'answer' ? null : (form.get('key') ?? '');
  const reference = form.get('reference')?.trim() ?? '';
  if (!isTransaction(reference)) return bad(`Nothing was recorded. ${noTransaction}`);
  const read = Gone.parse({
    purchase,
    amount_usd: form.get('amount_usd')?.trim() ?? '',
    ...(key !== null && { key }),
    ...(form.getAll('subscription').at(-1) === 'keep' && { subscription: 'keep' }),
    ...(act === 'by_hand' && { sent_by_hand: true, ...(reference !== '' && { reference }) }),
  });
  if (read.kind === 'fault') return bad('This form is incomplete. Fill it in again.');
  const returnedBefore = Money.parse(form.get('returned_usd') ?? '');
  if (returnedBefore === null) return bad('This form is incomplete. Fill it in again.');
  const instruction = { ...read.instruction, returnedBefore };
  if (act !== 'answer') return resultOf(await Refund.refund(shop, instruction, who), planName);
  const { amount, subscription } = instruction;
  const given = { kind: 'refund', amount, subscription, returnedBefore } as const;
  return resultOf(await RefundRequests.answer(shop, purchase, given, who), planName);
}

/** The outcome of an answer or a refund in words. */
export function resultOf(outcome: RefundRequests.AnswerResult, planName: PlanName): NonNullable<FormResult> {
  switch (outcome.kind) {
    case 'declined':
      return { text: 'The request is declined. The buyer sees your reason.', isBad: false };
    case 'answered':
      return bad(`This request was already answered: it is ${outcome.request.state}.`);
    case 'unknown_request':
      return bad('The buyer has not asked for a refund of this purchase.');
    case 'by_hand':
      return byHandOnly;
    case 'changed':
      return bad(
        `Nothing was refunded now: ${RefundPage.returnedText(outcome.returned, outcome.isPending)}. To refund more of it, start again below.`,
      );
    case 'pending':
      return unanswered;
    case 'busy':
      return bad(
        'Nothing was refunded: another refund of this purchase is being made, or its outcome is not known yet.',
      );
    case 'refunded':
      return { text: refundedText(outcome, planName), isBad: false };
    default:
      return bad(Refund.describeRefund(outcome));
  }
}

/** Reports the sum of a refund, its cost, and the end of the plan. */
function refundedText(
  { reversal, left, loss, ended, isRepeated }: Extract<Refund.RefundResult, { kind: 'refunded' }>,
  planName: PlanName,
): string {
  const tax = reversal.tax ? ` and ${money(reversal.tax)} of tax` : '';
  const sum = `${money(reversal.amount)}${tax}`;
  const began = isRepeated ? 'was started already' : 'has started';
  const sentences = [
    Gone.isPending(reversal)
      ? `The refund of ${sum} ${began} and is pending at the processor.`
      : `${sum} was ${isRepeated ? 'already refunded' : 'refunded'}.`,
    ...(isRepeated ? ['Nothing more was refunded now.'] : []),
    left > 0 ? `${money(left)} of this payment remains.` : 'Nothing of this payment remains.',
    ...(loss.certain > 0 ? [`${money(loss.certain)} of it had been spent: that part is your loss.`] : []),
    ...(loss.pending > 0
      ? [`Calls in progress hold ${money(loss.pending)} of it. The part that they use is your loss.`]
      : []),
    ...(ended === null ? [] : [endText(ended, planName(ended.plan))]),
  ];
  return sentences.join(' ');
}

function endText(
  { isDone, when, endMs, subscription }: SubscriptionEnd & { isDone: boolean },
  plan: string,
): string {
  if (!isDone)
    return `The ${plan} plan could not be ended and still renews. End ${subscription} at the card processor.`;
  return `The ${plan} plan ${when === 'now' ? 'has ended' : `ends on ${day(endMs)}`}. It is not charged again.`;
}

function bad(text: string): NonNullable<FormResult> {
  return { text, isBad: true };
}
