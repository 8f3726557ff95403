import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { PossibleRefund } from '../../../journeys/refund-preview.ts';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { Fee } from '../../../payment/fee.ts';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import { isSlow, type Order, reference } from '../../../payment/order.ts';
import type { Replacement } from '../../../payment/replacement.ts';
import {
  isByHand,
  isInquiry,
  type Reversal,
  type StoredReversal,
  standingOf,
  suggestedRefund,
} from '../../../payment/reversal.ts';
import type { PaidCard } from '../../../payment/saved-card.ts';
import { cardName } from '../../../text/card-name.ts';
import { english } from '../../../text/texts.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { disputeBanner, kindOf, needsResponse } from './dispute.ts';
import { copied, exact, moment, money, pairs, sign, table, usd, words } from './figures.ts';
import * as Fraud from './fraud.ts';
import { buyerLink, failureText, isPlanChange, methodOf, type PlanName, pageOf, statusOf } from './orders.ts';
import { nextStep } from './payments.ts';
import {
  byHandForm,
  type RefundDraft,
  refundAll,
  reviewForm,
  suggestion,
  unconfirmedRefund,
} from './refund.ts';
import { refundRequest } from './refund-request.ts';
import { state as stateLabel } from './states.ts';
import { type TimelineFacts, timeline } from './timeline.ts';
import * as Unfinished from './unfinished.ts';

export type PaymentFacts = TimelineFacts & {
  planName: PlanName;
  /** The buyer's email address. */
  email: string | null;
  /** Fees that the processor kept, as far as they are recorded. */
  fees: readonly Fee[];
  /** Early fraud warnings and reviews of the payment. */
  signals: readonly FraudSignal[];
  /** Amount that can still be refunded. */
  left: Money.Money;
  /** The card that paid; null for another method, and while the processor does not report it. */
  card: PaidCard | null;
  /** URL of the payment at the processor; null when it has no such page. */
  page: string | null;
  /** The effects of the refund that is suggested; null when nothing can be refunded. */
  preview: PossibleRefund | null;
  /** The cause why a charge has no outcome; null for any other purchase. */
  holdup: Unfinished.Holdup | null;
  canRefund: boolean;
  canDecline: boolean;
  nowMs: number;
  result: FormResult;
  /** A refused amount or transaction of a refund. */
  draft: RefundDraft | null;
  /** A refused reason for declining a request. */
  declining: { reason: string; fault: string } | null;
};

/** One purchase: its status and buyer, what happened to its money and its credit, the form for a refund, and the processor's details. */
export function payment(given: PaymentFacts): Html {
  // Nothing more is refunded or declined before the outcome of a refund is known.
  const facts = given.unconfirmed === null ? given : { ...given, canRefund: false, canDecline: false };
  const { order, reversals, left, request, result, page } = facts;
  const isRefundable = facts.canRefund && order.state === 'granted' && left > 0 && request?.state !== 'open';
  const lost = reversals.find(({ kind, status }) => kind === 'dispute' && status === 'lost');
  const status = { order, reversed: Money.ofMicro(order.amount - left), ...standingOf(reversals) };
  const refund = isRefundable && order.rail !== 'x402' ? refundAll(order, left) : null;
  const disputes = reversals.filter(needsResponse);
  // The banner of a signal or an inquiry has the link to a refund.
  const isWarned = facts.signals.some(({ isOpen }) => isOpen) || disputes.some(isInquiry);
  return html`<div class="top"><h1>${money(order.amount)} for ${facts.planName(order.plan)} ${statusOf(status)}${Fraud.signs(facts.signals)}${request?.state === 'open' ? html` ${sign('refund requested', 'warn')}` : ''}${facts.unconfirmed === null ? '' : html` ${sign('refund not confirmed', true)}`}</h1>${isRefundable && !isWarned ? html`<a class="button plain small" href="#refund">Refund</a>` : ''}</div>
${resultLine(result)}${facts.unconfirmed === null ? '' : unconfirmedRefund(order, facts.unconfirmed, given.canRefund)}${order.state === 'claimed' || facts.holdup !== null ? Unfinished.note(order, facts.holdup) : ''}
${order.state === 'offered' ? unpaid(order, facts.nowMs) : ''}${lost === undefined ? '' : lostDispute(lost, facts.fees)}${Fraud.banners(facts, refund)}
${disputes.map((dispute) => disputeBanner({ dispute, refund, fees: facts.fees, account: order.account, page, nowMs: facts.nowMs }))}
${request === null ? '' : refundRequest({ ...facts, request, isUnconfirmed: facts.unconfirmed !== null, form: facts.canRefund ? refundForm(facts) : null })}
<div class="columns">${summary(facts)}${timeline(facts)}</div>
${Fraud.list(facts.signals)}
${reversalTable(facts)}
${isRefundable ? refundSection(facts) : ''}
${order.rail === 'x402' ? '' : assessment(facts.charges)}
${feeTable(facts.fees)}`;
}

function summary({ order, planName, email, left, page, fees, card, replacement }: PaymentFacts): Html {
  const paid = reference(order);
  const charged = fees.filter(({ kind }) => kind === 'charge');
  const fee = Money.ofMicro(charged.reduce((sum, one) => sum + one.fee, 0));
  const currency = charged[0]?.currency.toUpperCase() ?? '';
  const isCard = order.rail !== 'x402';
  const rows: (readonly [string, string | Html] | null)[] = [
    ['Buyer', order.account === null ? 'not known yet' : buyerLink(order.account, email)],
    ['Plan', planLine(order.plan, planName)],
    ['Method', isSlow(order) ? 'Bank payment' : `${methodOf(order)}${cardText(card)}`],
    order.grantedMs === null ? ['Created', moment(order.createdMs)] : ['Paid', moment(order.grantedMs)],
    isPlanChange(order) && order.period !== null
      ? [
          'Price',
          `${money(order.period.terms.price)}, less ${exact(order.period.terms.price - order.amount)} for the unused part of the plan before`,
        ]
      : null,
    replacement === null ? null : ['Replaced by', replacedLine(replacement, planName)],
    order.failure === null ? null : ['Declined', failureText(order.failure)],
    order.state === 'granted' && left < order.amount ? ['Remains paid', money(left)] : null,
    order.state === 'granted' && (isCard || charged.length > 0)
      ? ['Fee of the charge', charged.length === 0 ? 'not reported yet' : `${usd(fee)} ${currency}`]
      : null,
    page === null ? null : ['At the processor', html`<a href="${page}">View the payment</a>`],
    ['Purchase', copied(order.id)],
    paid === null ? null : ['Payment', copied(paid)],
    paid !== null || order.checkoutSession === null ? null : ['Payment page', copied(order.checkoutSession)],
  ];
  return html`<section aria-labelledby="payment"><h2 id="payment">Payment</h2>${pairs(rows.filter((row) => row !== null))}</section>`;
}

/** The card that paid, as its holder and their bank name it. */
function cardText(card: PaymentFacts['card']): string {
  if (card === null) return '';
  return `, ${cardName(english, card)}${card.country == null ? '' : `, ${card.country}`}`;
}

/** The dearer plan that took over the unused part of a period. */
function replacedLine({ order, plan, credit, atMs }: Replacement, planName: PlanName): Html {
  const part = credit > 0 ? `. ${money(credit)} of this payment was deducted from its price` : '';
  return html`<a href="${pageOf(order)}">${planName(plan)}</a>, ${moment(atMs)}${part}`;
}

/** A plan by its name, with its id of programs. */
function planLine(plan: string, planName: PlanName): Html {
  const name = planName(plan);
  return html`${name}${name === plan ? '' : html` <span class="id soft">${plan}</span>`}`;
}

/** A purchase that was not paid yet: how long its payment page is open. */
function unpaid({ expiresMs }: Order, nowMs: number): Html {
  return html`<p class="note">The buyer has not paid. The payment page ${expiresMs > nowMs ? html`is open until ${moment(expiresMs)}` : html`closed on ${moment(expiresMs)}`}.</p>`;
}

/** A dispute that has ended with the loss of the payment, and what it cost. */
function lostDispute({ amount, tax = Money.zero }: Reversal, fees: readonly Fee[]): Html {
  const ofDispute = fees.filter(({ kind }) => kind === 'dispute');
  const fee = Money.ofMicro(ofDispute.reduce((sum, one) => sum + one.fee, 0));
  const kept = fee > 0 ? ` and the fee of ${usd(fee)} ${ofDispute[0]?.currency.toUpperCase()}` : '';
  return html`<p class="note">You lost this dispute: ${money(Money.ofMicro(amount + tax))}${kept}. Nothing more to do.</p>`;
}

function assessment(charges: readonly ChargeOutcome[]): Html {
  if (charges.length === 0) return html``;
  const said = (text: string | null) => (text === null ? '' : words(text));
  const row = (one: ChargeOutcome) => {
    return html`<tr><th scope="row">${moment(one.createdMs)}</th><td>${one.riskLevel === null ? '' : stateLabel(one.riskLevel)}</td><td class="number">${one.riskScore ?? ''}</td><td>${said(one.networkStatus)}</td><td>${said(one.reason ?? one.outcome)}</td><td>${copied(one.id)}</td></tr>`;
  };
  return html`<section aria-labelledby="risk"><h2 id="risk">Card risk</h2>
${table('Charges of the card as the processor assessed them', ['When', { lead: 'Risk' }, { number: 'Score' }, { bare: 'Bank' }, { bare: 'Reason' }, 'Charge'], charges.map(row), 'stack')}</section>`;
}

/** A refund that ended the plan did so when it was made. */
const endDelayMsMax = 600_000;

/** Describes the effect of a refund or dispute on what the payment bought. */
function effectOf(
  reversal: StoredReversal,
  { lot, planEndedMs, planName, replacement }: PaymentFacts,
): string {
  const { isEffective, kind, createdMs } = reversal;
  const of = replacement === null ? '' : ` of ${planName(replacement.plan)}`;
  const what = `${lot?.asset === 'unit' ? 'results' : 'credit'}${of}`;
  if (!isEffective && isInquiry(reversal)) return `no ${what} removed`;
  const endedAfterMs = (planEndedMs ?? 0) - createdMs;
  const hasEnded = kind === 'refund' && endedAfterMs > -endDelayMsMax && endedAfterMs < endDelayMsMax;
  return isEffective ? `${what} removed${hasEnded ? ', plan ended' : ''}` : `${what} restored`;
}

function reversalTable(facts: PaymentFacts): Html {
  const { reversals, page } = facts;
  if (reversals.length === 0) return html``;
  const place = reversals.every(isByHand) ? 'Transaction' : 'At the processor';
  const hasDisputes = reversals.some(({ kind }) => kind === 'dispute');
  const hasSteps = page !== null || reversals.some(needsResponse);
  const row = (one: StoredReversal) =>
    html`<tr><th scope="row">${kindOf(one)} ${isInquiry(one) ? 'about' : 'of'} ${money(one.amount)}</th><td>${stateLabel(one.status)}</td><td>${effectOf(one, facts)}</td>${hasDisputes ? html`<td>${one.reason === null ? '' : words(one.reason)}</td>${hasSteps ? html`<td>${one.kind === 'dispute' ? nextStep(one, page) : ''}</td>` : ''}` : ''}<td>${copied(isByHand(one) ? (one.reason ?? '') : one.id)}</td></tr>`;
  return html`<section aria-labelledby="reversals"><h2 id="reversals">Refunds and disputes</h2>${table('Refunds and disputes', ['What', { lead: 'Status' }, { bare: 'Effect' }, ...(hasDisputes ? [{ bare: 'Reason' }, ...(hasSteps ? [{ bare: 'Next step' }] : [])] : []), place], reversals.toReversed().map(row), 'stack')}</section>`;
}

const feeNames = { charge: 'Charge', refund: 'Refund', dispute: 'Dispute' };

function feeTable(fees: readonly Fee[]): Html {
  if (fees.length === 0) return html``;
  const row = ({ id, kind, currency, amount: gross, fee, net, atMs }: Fee) => {
    const shown = (value: Money.Money) =>
      `${value < 0 ? '−' : ''}${usd(Money.ofMicro(Math.abs(value)))} ${currency.toUpperCase()}`;
    return html`<tr><th scope="row">${feeNames[kind]}</th><td class="number">${shown(gross)}</td><td class="number">${shown(fee)}</td><td class="number">${shown(net)}</td><td>${moment(atMs)}</td><td>${copied(id)}</td></tr>`;
  };
  return html`<section aria-labelledby="fees"><h2 id="fees">Processor fees</h2>${table('Fees', ['Kind', { number: 'Amount', onPhone: 'lead' }, { number: 'Fee' }, { number: 'Net' }, { bare: 'When' }, 'At the processor'], fees.toReversed().map(row))}</section>`;
}

function refundSection(facts: PaymentFacts): Html {
  return html`<section aria-labelledby="refund"><h2 id="refund">Refund</h2>
<div class="half">${refundForm(facts)}</div></section>`;
}

/** The effects of the suggested refund, and the form that leads to the question. */
function refundForm({ order, planName, left, request, preview, draft }: PaymentFacts): Html {
  const form = order.rail === 'x402' ? byHandForm : reviewForm;
  return html`${preview === null ? '' : suggestion({ ...preview, order, planName })}${form(order, suggestedRefund(left, request), left, draft)}`;
}
