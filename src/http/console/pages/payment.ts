import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import { describeEnd, type SubscriptionEnd } from '../../../journeys/refunded-subscription.ts';
import type { ChargeOutcome } from '../../../payment/card-attempt.ts';
import type { Fee } from '../../../payment/fee.ts';
import type { FraudSignal } from '../../../payment/fraud-signal.ts';
import { type Order, reference } from '../../../payment/order.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type { OrderLot } from '../../../payment/revenue-report.ts';
import { type RefundEffect, type Reversal, suggestedRefund } from '../../../payment/reversal.ts';
import type { Html } from '../../pages/frame.ts';
import { type FormResult, resultLine } from './account.ts';
import { amount, fact, moment, sign, table, usd } from './figures.ts';
import { pageOf, signalNames, statusOf } from './orders.ts';

export type PaymentFacts = {
  order: Order;
  reversals: readonly Reversal[];
  lot: OrderLot | null;
  loss: Money.Money;
  /** Fees that the processor kept, as far as they are recorded. */
  fees: readonly Fee[];
  /** Early fraud warnings and reviews of the payment. */
  signals: readonly FraudSignal[];
  /** The processor's assessment of each charge, the newest first. */
  charges: readonly ChargeOutcome[];
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
  result: FormResult;
  /** The idempotency key of the form: a form that is sent twice is recorded once. */
  key: string;
};

/** One purchase: its status, its credit in the ledger, refunds and disputes, and the forms for a refund. */
export function payment(facts: PaymentFacts): Html {
  const { order, reversals, lot, loss, fees, signals, charges, left, page, request, result, key } = facts;
  const { account } = order;
  const paid = reference(order);
  return html`<h1>${usd(order.amount)} USD for ${order.plan}</h1>
${resultLine(result)}
<section aria-labelledby="status"><h2 id="status">Status ${statusOf(order)}</h2>
<dl class="facts">${[
    fact('Created', moment(order.createdMs)),
    order.grantedMs === null ? html`` : fact('Paid', moment(order.grantedMs)),
    fact('Method', order.rail.replace('_', ' ')),
    html`<div><dt>Order</dt><dd class="id">${order.id}</dd></div>`,
    paid === null
      ? html``
      : html`<div><dt>Payment</dt><dd class="id">${page === null ? paid : html`<a href="${page}">${paid}</a>`}</dd></div>`,
    account === null
      ? html``
      : html`<div><dt>Account</dt><dd class="id"><a href="/admin/console/accounts/${account}">${account}</a></dd></div>`,
  ]}</dl>${order.failure === null ? '' : html`<p class="note">${order.failure}</p>`}</section>
${request === null ? '' : refundRequest(facts, request)}
${flagged(signals)}
${assessment(charges)}
${lot === null ? '' : ledger(lot, loss)}
${reversalTable(reversals)}
${feeTable(fees)}
${facts.canRefund && order.state === 'granted' && left > 0 && request?.state !== 'open' ? refund(order, suggestedRefund(left, request), left, key) : ''}`;
}

/** The buyer's refund request, with the form that leads to the refund and the one that declines it. */
function refundRequest(
  { order, left, ending, canRefund, canDecline, key }: PaymentFacts,
  request: RefundRequest,
): Html {
  const { amount: wanted, reason, askedMs, state, answer } = request;
  const isOpen = state === 'open';
  return html`<section aria-labelledby="asked"><h2 id="asked">The buyer asks for a refund of ${usd(wanted)} USD ${sign(state, isOpen)}</h2>
<blockquote>${reason}</blockquote><p class="soft">Requested ${moment(askedMs)}. Unspent: ${usd(request.unspent)} USD. Refundable: ${usd(left)} USD.${answer === null ? '' : ` You declined: ${answer}`}</p>
${isOpen && canRefund && left > 0 && order.rail !== 'x402' ? reviewForm(order, suggestedRefund(left, request), left, ending) : ''}
${isOpen && canRefund && left > 0 && order.rail === 'x402' ? byHandForm(order, suggestedRefund(left, request), left, key) : ''}
${
  isOpen && canDecline
    ? html`<details><summary>Decline the request</summary><form class="row" method="post" action="${pageOf(order.id)}"><input type="hidden" name="act" value="decline">
<div><label for="reason">Reason. The buyer sees it.</label><input id="reason" name="reason" maxlength="1000" autocomplete="off" required></div><button class="danger">Decline</button></form></details>`
    : ''
}</section>`;
}

/** The form that leads to the page with the effects of a refund. */
function reviewForm(
  { id }: Order,
  amount: Money.Money,
  left: Money.Money,
  ending: SubscriptionEnd | null,
): Html {
  return html`<form class="row" method="get" action="${pageOf(id)}/refund"><div><label for="amount">US dollars, up to ${usd(left)}</label>
<input id="amount" name="amount_usd" inputmode="decimal" autocomplete="off" value="${Money.format(amount)}" required></div><button>Review refund</button></form>
<p class="soft">The next page shows the effects${ending === null ? '' : ', and lets you cancel the subscription too'}. Nothing is refunded before you confirm there.</p>`;
}

function flagged(signals: readonly FraudSignal[]): Html {
  if (signals.length === 0) return html``;
  const row = ({ id, kind, reason, isOpen }: FraudSignal) =>
    html`<tr><th scope="row">${signalNames[kind]}</th><td><span class="id">${id}</span></td><td>${reason.replaceAll('_', ' ')}</td><td>${sign(isOpen ? 'needs attention' : 'closed', isOpen)}</td></tr>`;
  return html`<section aria-labelledby="flagged"><h2 id="flagged">Fraud warnings and reviews</h2>
<p>No money has moved. A dispute often follows an early fraud warning; a full refund before it avoids the dispute and its fee.</p>
${table('Fraud warnings and reviews', ['Signal', 'At the processor', 'Reason', 'Status'], signals.map(row))}</section>`;
}

function assessment(charges: readonly ChargeOutcome[]): Html {
  if (charges.length === 0) return html``;
  const words = (text: string | null) => text?.replaceAll('_', ' ') ?? '';
  const row = (one: ChargeOutcome) => {
    const isRisky = one.riskLevel === 'elevated' || one.riskLevel === 'highest';
    return html`<tr><th scope="row" class="id">${one.id}</th><td>${one.riskLevel === null ? '' : sign(words(one.riskLevel), isRisky)}</td><td class="number">${one.riskScore ?? ''}</td><td>${words(one.networkStatus)}</td><td>${words(one.reason ?? one.outcome)}</td><td>${moment(one.createdMs)}</td></tr>`;
  };
  return html`<section aria-labelledby="risk"><h2 id="risk">Risk assessment</h2>
${table('Charges of the card as the processor assessed them', ['Charge', 'Risk', { number: 'Score' }, 'Bank', 'Reason', 'When'], charges.map(row))}</section>`;
}

function ledger({ asset, remaining, entries }: OrderLot, loss: Money.Money): Html {
  const row = (entry: OrderLot['entries'][number]) =>
    html`<tr><th scope="row">${entry.kind}</th><td class="number">${entry.amount < 0 ? '−' : ''}${amount(entry.asset, Math.abs(entry.amount))}</td><td>${moment(entry.atMs)}</td></tr>`;
  return html`<section aria-labelledby="ledger"><h2 id="ledger">In the ledger</h2>
<p>Remaining: ${amount(asset, remaining)}.${loss > 0 ? ` ${usd(loss)} USD of the reversed amount had already been spent: your loss.` : ''}</p>
${table('Ledger entries without usage', ['Entry', { number: 'Amount' }, 'When'], entries.map(row))}</section>`;
}

function reversalTable(reversals: readonly Reversal[]): Html {
  if (reversals.length === 0) return html``;
  const row = (one: Reversal) =>
    html`<tr><th scope="row">${one.kind}</th><td><span class="id">${one.id}</span></td><td class="number">${usd(one.amount)}</td><td>${sign(one.status.replaceAll('_', ' '), one.kind === 'dispute' && one.isEffective)}</td><td>${one.isEffective ? 'credit removed' : 'credit restored'}</td></tr>`;
  return html`<section aria-labelledby="reversals"><h2 id="reversals">Refunds and disputes</h2>${table('Refunds and disputes', ['Kind', 'At the processor', { number: 'USD' }, 'Status', 'In the ledger'], reversals.map(row))}</section>`;
}

function feeTable(fees: readonly Fee[]): Html {
  if (fees.length === 0) return html``;
  const shown = (money: Money.Money) => Money.format(money);
  const row = ({ id, kind, currency, amount, fee, net, atMs }: Fee) =>
    html`<tr><th scope="row">${kind}</th><td><span class="id">${id}</span></td><td class="number">${shown(amount)}</td><td class="number">${shown(fee)}</td><td class="number">${shown(net)}</td><td>${currency.toUpperCase()}</td><td>${moment(atMs)}</td></tr>`;
  return html`<section aria-labelledby="fees"><h2 id="fees">Processor fees</h2>${table('Fees', ['Kind', 'At the processor', { number: 'Amount' }, { number: 'Fee' }, { number: 'Net' }, 'Currency', 'When'], fees.map(row))}</section>`;
}

function refund(order: Order, amount: Money.Money, left: Money.Money, key: string): Html {
  return html`<section aria-labelledby="refund"><h2 id="refund">Refund</h2>
${order.rail === 'x402' ? byHandForm(order, amount, left, key) : reviewForm(order, amount, left, null)}</section>`;
}

/** The form that records a refund which the seller sent from their own wallet. */
function byHandForm({ id }: Order, amount: Money.Money, left: Money.Money, key: string): Html {
  return html`<p>This purchase was paid in a stablecoin, which you refund from your own wallet. Send the money first, then record it here: the credit is removed, and the buyer's refund request is answered.</p>
<form class="row" method="post" action="${pageOf(id)}"><input type="hidden" name="act" value="by_hand"><input type="hidden" name="key" value="${key}">
<div><label for="amount">US dollars that you sent, up to ${usd(left)}</label><input id="amount" name="amount_usd" inputmode="decimal" autocomplete="off" value="${Money.format(amount)}" required></div>
<div><label for="reference">Transaction</label><input id="reference" name="reference" maxlength="200" autocomplete="off" placeholder="0x…"></div><button>Record refund</button></form>`;
}

/**
 * Shows the effects of a refund before it is made. `key` is the idempotency key of the refund, so that a form that is sent twice refunds
 * once; null when the refund answers the buyer's request, which can be answered only once.
 */
export function confirm(
  order: Order,
  money: Money.Money,
  effect: RefundEffect,
  key: string | null,
  ending: SubscriptionEnd | null,
): Html {
  const { asset, taken, missing } = effect;
  return html`<h1>Refund ${usd(money)} USD?</h1>
<section><h2>Effects</h2>
<ul><li>${usd(money)} USD of ${usd(order.amount)} USD are refunded to the card that paid, within days.</li>
<li>${amount(asset, taken)} of the purchased credit are removed from the account immediately.</li>
${missing > 0 ? html`<li>${amount(asset, missing)} are already spent: that part is your loss. The balance never falls below zero.</li>` : ''}
<li>Auto top-up of the account is turned off.</li>
<li>The refund is recorded in the audit log with your name and address.</li></ul>
<form method="post" action="${pageOf(order.id)}"><input type="hidden" name="amount_usd" value="${Money.format(money)}">${key === null ? html`<input type="hidden" name="act" value="answer">` : html`<input type="hidden" name="key" value="${key}">`}
${
  ending === null
    ? ''
    : html`<input type="hidden" name="subscription" value="keep">
<p class="check"><input type="checkbox" id="ends" name="subscription" value="end" checked><label for="ends">Cancel the subscription too. ${describeEnd(ending)} Without it, the subscription renews and its card is charged again.</label></p>`
}
<div class="actions"><button class="danger">Refund ${usd(money)} USD</button><a class="button plain" href="${pageOf(order.id)}">Back without a refund</a></div></form></section>`;
}
