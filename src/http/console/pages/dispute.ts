import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Fee } from '../../../payment/fee.ts';
import { isInquiry, type Reversal } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { day, fact, moment, money, usd, words } from './figures.ts';

export type DisputeFacts = {
  dispute: Reversal;
  /** All fees of the payment, as far as they are recorded. */
  fees: readonly Fee[];
  /** The account of the buyer; null while it is unknown. */
  account: string | null;
  /** URL of the payment at the processor; null when it has no such page. */
  page: string | null;
  /** The link to a refund of all that remains paid; null when nothing can be refunded. */
  refund: Html | null;
  nowMs: number;
};

const dayMs = 86_400_000;

/** Returns true while the seller can respond to a dispute, or to an inquiry before one. */
export function needsResponse({ kind, status }: Pick<Reversal, 'kind' | 'status'>): boolean {
  return kind === 'dispute' && status.endsWith('needs_response');
}

/** The name of what has returned money, or may do so. */
export function kindOf(one: Pick<Reversal, 'kind' | 'status'>): string {
  if (isInquiry(one)) return 'Inquiry';
  return one.kind === 'dispute' ? 'Dispute' : 'Refund';
}

/** The time that is left until the due date of a response: `9 days left`. */
function timeLeft(dueMs: number, nowMs: number): string {
  const left = dueMs - nowMs;
  if (left <= 0) return 'overdue';
  if (left < dayMs) return 'less than a day left';
  const days = Math.floor(left / dayMs);
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}

/** The banner of a payment with an open dispute: the due date, what is at stake, and where to respond. */
export function disputeBanner({ dispute, fees, account, page, refund, nowMs }: DisputeFacts): Html {
  const { amount, tax = Money.zero, reason, isEffective, dueMs = null } = dispute;
  const inquiry = isInquiry(dispute);
  const due = dueMs === null ? '' : html` by ${day(dueMs)}`;
  const why = reason === null ? '' : ` as ${words(reason)}`;
  const total = Money.ofMicro(amount + tax);
  return html`<section class="banner" aria-labelledby="respond"><h2 id="respond">Respond to the ${inquiry ? 'inquiry' : 'dispute'}${due}</h2>
<p>${inquiry ? `The buyer’s bank asks about this payment${reason === null ? '' : `: ${words(reason)}`}. It has taken no money yet. Respond, or refund it in full: that closes the inquiry. Otherwise a dispute can follow.` : `The buyer’s bank disputes this payment${why}. ${isEffective ? 'It has taken the money back.' : ''} Without a response, you lose it.`}</p>
<dl class="facts">${[
    ...(dueMs === null ? [] : [fact('Due', html`${moment(dueMs)}`, html`${timeLeft(dueMs, nowMs)}`)]),
    fact('At stake', money(total), inquiry ? html`not taken yet` : html`returns if you win`),
    ...feeFacts(fees, total, inquiry),
  ]}</dl>
<div class="actions">${page === null ? '' : html`<a class="button" href="${page}">Respond at the card processor</a>`}${inquiry && refund !== null ? refund : ''}${account === null ? '' : html`<a class="button plain" href="/admin/console/accounts/${account}#calls">See what the buyer used</a>`}</div>
<p class="soft">${page === null ? 'The card sandbox has no dashboard. With real payments, a button here opens the payment there, where you respond. ' : ''}Good evidence: the calls of the buyer, the receipt, and your terms of service.</p></section>`;
}

/** The fees that stay with the processor, and the total loss without a win. Fees may be in another currency than the payment. */
function feeFacts(fees: readonly Fee[], disputed: Money.Money, inquiry: boolean): Html[] {
  const currency = fees[0]?.currency.toUpperCase();
  if (currency === undefined) return [];
  const sum = (some: readonly Fee[]) => Money.ofMicro(some.reduce((total, { fee }) => total + fee, 0));
  const ofDispute = sum(fees.filter(({ kind }) => kind === 'dispute'));
  const all = fact(
    'Fees so far',
    `${usd(sum(fees))} ${currency}`,
    ofDispute > 0
      ? html`${usd(ofDispute)} for the dispute, kept by the processor`
      : html`kept by the processor`,
  );
  const lost = Money.ofMicro(disputed + sum(fees));
  const what = inquiry ? html`plus the fee of the dispute` : html`payment and fees`;
  const when = inquiry ? 'If you lose a dispute' : 'If you lose';
  return currency === 'USD' ? [all, fact(when, money(lost), what)] : [all];
}
