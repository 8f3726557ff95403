import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import { describeEnd, type SubscriptionEnd } from '../../../journeys/refunded-subscription.ts';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { Fee } from '../../../payment/fee.ts';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import { type Order, reference } from '../../../payment/order.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import { type RefundEffect, type Reversal, suggestedRefund } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { confirmation } from './confirmation.ts';
import { disputeBanner, needsResponse } from './dispute.ts';
import { field } from './fields.ts';
import { amount, copied, moment, money, pairs, sign, table, usd, wholeCents, words } from './figures.ts';
import { buyerLink, failureText, methodOf, pageOf, signalNames, statusOf } from './orders.ts';
import { nextStep } from './payments.ts';
import { nearestCent, type TimelineFacts, timeline } from './timeline.ts';

export type PaymentFacts = TimelineFacts & {
  /** The buyer's email address. */
  email: string | null;
  /** Fees that the processor kept, as far as they are recorded. */
  fees: readonly Fee[];
  /** Early fraud warnings and reviews of the payment. */
  signals: readonly FraudSignal[];
  /** Amount that can still be refunded. */
  left: Money.Money;
  /** URL of the payment at the processor; null when it has no such page. */
  page: string | null;
  /** The buyer's refund request; there is at most one for a purchase. */
  request: RefundRequest | null;
  /** The subscription that a refund as requested ends; null when it ends none. */
  ending: SubscriptionEnd | null;
  canRefund: boolean;
  canDecline: boolean;
  nowMs: number;
  result: FormResult;
  /** A refused amount of a refund. */
  draft: { typed: string; fault: string } | null;
  /** A refused reason for declining a request. */
  declining: { reason: string; fault: string } | null;
  /** The idempotency key of the form: a form that is sent twice is recorded once. */
  key: string;
};

/** One purchase: its status and buyer, what happened to its money and its credit, the form for a refund, and the processor's details. */
export function payment(facts: PaymentFacts): Html {
  const { order, reversals, left, request, result, draft, key, page } = facts;
  const isRefundable = facts.canRefund && order.state === 'granted' && left > 0 && request?.state !== 'open';
  const isDisputed = reversals.some(({ kind, isEffective }) => kind === 'dispute' && isEffective);
  const reversed = Money.ofMicro(order.amount - left);
  return html`<div class="top"><h1>${money(order.amount)} for ${order.plan} ${statusOf({ order, reversed, isDisputed })}${request?.state === 'open' ? html` ${sign('refund requested', 'warn')}` : ''}</h1>${isRefundable ? html`<a class="button plain small" href="#refund">Refund</a>` : ''}</div>
${resultLine(result)}${order.state === 'claimed' ? html`<p class="note">The processor has not confirmed this charge yet. The shop asks it again every 20 seconds. The buyer gets nothing, and the money is not counted, until the outcome is known.</p>` : ''}
${reversals.filter(needsResponse).map((dispute) => disputeBanner({ dispute, fees: facts.fees, account: order.account, page, nowMs: facts.nowMs }))}
${request === null ? '' : refundRequest(facts, request)}
<div class="columns">${summary(facts)}${timeline(facts)}</div>
${flagged(facts.signals)}
${reversalTable(reversals, page)}
${isRefundable ? refund(order, suggestedRefund(left, request), left, key, draft) : ''}
${assessment(facts.charges)}
${feeTable(facts.fees)}`;
}

function summary({ order, email, left, page, fees, charges }: PaymentFacts): Html {
  const paid = reference(order);
  const [latest] = charges;
  const charged = fees.filter(({ kind }) => kind === 'charge');
  const fee = Money.ofMicro(charged.reduce((sum, one) => sum + one.fee, 0));
  const currency = charged[0]?.currency.toUpperCase() ?? '';
  const risk = latest?.riskLevel == null ? '' : `, risk ${words(latest.riskLevel)}`;
  const isCard = order.rail !== 'x402';
  const rows: (readonly [string, string | Html] | null)[] = [
    ['Buyer', order.account === null ? 'not known yet' : buyerLink(order.account, email)],
    ['Method', `${methodOf(order)}${risk}`],
    order.grantedMs === null ? ['Created', moment(order.createdMs)] : ['Paid', moment(order.grantedMs)],
    order.failure === null ? null : ['Declined', failureText(order.failure)],
    order.state === 'granted' && left < order.amount ? ['Remains paid', money(left)] : null,
    order.state === 'granted' && isCard
      ? ['Processor fee', charged.length === 0 ? 'not reported yet' : `${usd(fee)} ${currency}`]
      : null,
    page === null ? null : ['At the processor', html`<a href="${page}">View the payment</a>`],
    ['Order', copied(order.id)],
    paid === null ? null : ['Payment', copied(paid)],
  ];
  return html`<section aria-labelledby="payment"><h2 id="payment">Payment</h2>${pairs(rows.filter((row) => row !== null))}</section>`;
}

const reasonRows = 2;

/** The buyer's refund request, with the form that leads to the refund and the one that declines it. */
function refundRequest(facts: PaymentFacts, request: RefundRequest): Html {
  const { order, email, left, ending, canRefund, canDecline, key, draft } = facts;
  const { amount: wanted, reason, askedMs, state, answer } = request;
  const isOpen = state === 'open';
  return html`<section aria-labelledby="asked"><h2 id="asked">Refund request: ${money(wanted)} ${sign(state, isOpen && 'warn')}</h2>
<p>${buyerLink(request.account, email)} asks for a refund:</p><blockquote>${reason}</blockquote><p class="soft">Requested ${moment(askedMs)}. Unspent: ${wholeCents(request.unspent)}. Refundable: ${money(left)}.${answer === null ? '' : ` You declined: ${answer}`}</p>
${isOpen && canRefund && left > 0 && order.rail !== 'x402' ? reviewForm(order, suggestedRefund(left, request), left, ending, draft) : ''}
${isOpen && canRefund && left > 0 && order.rail === 'x402' ? byHandForm(order, suggestedRefund(left, request), left, key) : ''}
${
  isOpen && canDecline
    ? html`<details ${facts.declining === null ? '' : 'open'}><summary>Decline the request</summary><form class="half" method="post" action="${pageOf(order.id)}"><input type="hidden" name="act" value="decline">
${field({ name: 'reason', label: 'Reason. The buyer sees it.', value: facts.declining?.reason ?? '', fault: facts.declining?.fault, isRequired: true, charsMax: 1_000, rows: reasonRows })}<button class="danger">Decline</button></form></details>`
    : ''
}</section>`;
}

/** The form that leads to the page with the effects of a refund. */
function reviewForm(
  { id }: Order,
  amount: Money.Money,
  left: Money.Money,
  ending: SubscriptionEnd | null,
  draft: PaymentFacts['draft'],
): Html {
  const of = {
    ...{ id: 'amount', name: 'amount_usd', label: `Amount (USD), up to ${usd(left)}` },
    ...{ value: draft?.typed ?? Money.format(amount), fault: draft?.fault },
  };
  return html`<form class="row half" method="get" action="${pageOf(id)}/refund"><div>${field({ ...of, inputMode: 'decimal', isRequired: true })}</div><button>Review refund</button></form>
<p class="soft">The next page shows the effects${ending === null ? '' : ', and lets you cancel the subscription too'}. Nothing is refunded before you confirm there.</p>`;
}

function flagged(signals: readonly FraudSignal[]): Html {
  if (signals.length === 0) return html``;
  const row = ({ id, kind, reason, isOpen }: FraudSignal) =>
    html`<tr><th scope="row">${signalNames[kind]}</th><td><span class="id">${id}</span></td><td>${reason.replaceAll('_', ' ')}</td><td>${sign(isOpen ? 'needs attention' : 'closed', isOpen)}</td></tr>`;
  return html`<section aria-labelledby="flagged"><h2 id="flagged">Fraud warnings and reviews</h2>
<p>No money has moved. A dispute often follows an early fraud warning; a full refund before it avoids the dispute and its fee.</p>
${table('Fraud warnings and reviews', ['Signal', { wide: 'At the processor' }, { bare: 'Reason' }, { lead: 'Status' }], signals.toReversed().map(row), 'stack')}</section>`;
}

function assessment(charges: readonly ChargeOutcome[]): Html {
  if (charges.length === 0) return html``;
  const said = (text: string | null) => (text === null ? '' : words(text));
  const row = (one: ChargeOutcome) => {
    const isRisky = one.riskLevel === 'elevated' || one.riskLevel === 'highest';
    return html`<tr><th scope="row">${moment(one.createdMs)}</th><td>${one.riskLevel === null ? '' : sign(said(one.riskLevel), isRisky)}</td><td class="number">${one.riskScore ?? ''}</td><td>${said(one.networkStatus)}</td><td>${said(one.reason ?? one.outcome)}</td><td class="id">${one.id}</td></tr>`;
  };
  return html`<section aria-labelledby="risk"><h2 id="risk">Card risk</h2>
${table('Charges of the card as the processor assessed them', ['When', { lead: 'Risk' }, { number: 'Score' }, { bare: 'Bank' }, { bare: 'Reason' }, { wide: 'Charge' }], charges.map(row), 'stack')}</section>`;
}

function reversalTable(reversals: readonly Reversal[], page: string | null): Html {
  if (reversals.length === 0) return html``;
  const hasDisputes = reversals.some(({ kind }) => kind === 'dispute');
  const row = (one: Reversal) =>
    html`<tr><th scope="row">${one.kind === 'dispute' ? 'Dispute' : 'Refund'} of ${money(one.amount)}</th><td>${sign(words(one.status), one.kind === 'dispute' && one.isEffective)}</td><td>${one.isEffective ? 'credit removed' : 'credit restored'}</td>${hasDisputes ? html`<td>${one.reason === null ? '' : words(one.reason)}</td><td>${one.kind === 'dispute' ? nextStep(one, page) : ''}</td>` : ''}<td class="id">${one.id}</td></tr>`;
  return html`<section aria-labelledby="reversals"><h2 id="reversals">Refunds and disputes</h2>${table('Refunds and disputes', ['What', { lead: 'Status' }, { bare: 'Effect' }, ...(hasDisputes ? [{ bare: 'Reason' }, { bare: 'Next step' }] : []), { wide: 'At the processor' }], reversals.toReversed().map(row), 'stack')}</section>`;
}

const feeNames = { charge: 'Charge', refund: 'Refund', dispute: 'Dispute' };

function feeTable(fees: readonly Fee[]): Html {
  if (fees.length === 0) return html``;
  const row = ({ id, kind, currency, amount: gross, fee, net, atMs }: Fee) => {
    const shown = (value: Money.Money) =>
      `${value < 0 ? '−' : ''}${usd(Money.ofMicro(Math.abs(value)))} ${currency.toUpperCase()}`;
    return html`<tr><th scope="row">${feeNames[kind]}</th><td class="number">${shown(gross)}</td><td class="number">${shown(fee)}</td><td class="number">${shown(net)}</td><td>${moment(atMs)}</td><td class="id">${id}</td></tr>`;
  };
  return html`<section aria-labelledby="fees"><h2 id="fees">Processor fees</h2>${table('Fees', ['Kind', { number: 'Amount', onPhone: 'lead' }, { number: 'Fee' }, { number: 'Net' }, { bare: 'When' }, { wide: 'At the processor' }], fees.toReversed().map(row))}</section>`;
}

function refund(
  order: Order,
  amount: Money.Money,
  left: Money.Money,
  key: string,
  draft: PaymentFacts['draft'],
): Html {
  return html`<section aria-labelledby="refund"><h2 id="refund">Refund</h2>
<div class="half">${order.rail === 'x402' ? byHandForm(order, amount, left, key) : reviewForm(order, amount, left, null, draft)}</div></section>`;
}

/** The form that records a refund which the seller sent from their own wallet. */
function byHandForm({ id }: Order, amount: Money.Money, left: Money.Money, key: string): Html {
  return html`<p>This purchase was paid in a stablecoin, which you refund from your own wallet. Send the money first, then record it here: the credit is removed, and the buyer's refund request is answered.</p>
<form class="row" method="post" action="${pageOf(id)}"><input type="hidden" name="act" value="by_hand"><input type="hidden" name="key" value="${key}">
<div><label for="amount">Amount that you sent (USD), up to ${usd(left)}</label><input id="amount" name="amount_usd" inputmode="decimal" autocomplete="off" value="${Money.format(amount)}" required></div>
<div><label for="reference">Transaction</label><input id="reference" name="reference" maxlength="200" autocomplete="off" placeholder="0x…"></div><button>Record refund</button></form>`;
}

/**
 * Shows the effects of a refund before it is made. `key` is the idempotency key of the refund, so that a form that is sent twice refunds
 * once; null when the refund answers the buyer's request, which can be answered only once.
 */
export function confirm(
  order: Order,
  email: string | null,
  refunded: Money.Money,
  effect: RefundEffect,
  key: string | null,
  ending: SubscriptionEnd | null,
): Html {
  const { asset, taken, missing } = effect;
  const shown = money(refunded);
  const part = (value: number) => (asset === 'usd' ? money(nearestCent(value)) : amount(asset, value));
  const verb = asset === 'usd' ? 'is' : 'are';
  return confirmation({
    question: `Refund ${shown}?`,
    subject: 'Payment',
    facts: [
      ['Buyer', order.account === null ? 'not known' : buyerLink(order.account, email)],
      ['Purchase', `${money(order.amount)} for ${order.plan}`],
      ['Paid', moment(order.grantedMs ?? order.createdMs)],
      [
        'Refund',
        html`<b>${shown}</b>, to the ${methodOf(order).toLowerCase().startsWith('card') ? 'card' : 'payment method'} that paid`,
      ],
    ],
    effects: [
      'The money arrives within days.',
      `${part(taken)} of the purchased credit ${verb} removed from the account immediately.`,
      ...(missing > 0
        ? [
            `${part(missing)} ${verb} already spent: that part is your loss. The balance never falls below zero.`,
          ]
        : []),
      'Auto top-up of the account is turned off.',
      'The audit log records the refund, with your name and your IP address.',
    ],
    action: pageOf(order.id),
    fields: html`<input type="hidden" name="amount_usd" value="${Money.format(refunded)}">${key === null ? html`<input type="hidden" name="act" value="answer">` : html`<input type="hidden" name="key" value="${key}">`}${ending === null ? '' : endingBox(ending)}`,
    button: `Refund ${shown}`,
    back: pageOf(order.id),
  });
}

/** The box that also cancels the subscription. A box that is not ticked sends nothing, so `keep` is a hidden field before it. */
function endingBox(ending: SubscriptionEnd): Html {
  return html`<input type="hidden" name="subscription" value="keep">
<p class="check"><input type="checkbox" id="ends" name="subscription" value="end" checked><label for="ends">Cancel the subscription too. ${describeEnd(ending)} Without it, the subscription renews and its card is charged again.</label></p>`;
}
