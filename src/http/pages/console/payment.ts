import { html } from 'hono/html';
import * as Money from '../../../kernel/money.ts';
import type { Order } from '../../../payment/order.ts';
import type { RefundRequest } from '../../../payment/refund-request.ts';
import type { Effect, Reversal } from '../../../payment/reversal.ts';
import type { OrderLot } from '../../../payment/takings.ts';
import type { Html } from '../frame.ts';
import { type Notice, told } from './account.ts';
import { amount, fact, moment, sign, table, usd } from './figures.ts';
import { pageOf, standing } from './orders.ts';

export type Facts = {
  order: Order;
  reversals: readonly Reversal[];
  lot: OrderLot | null;
  loss: Money.Money;
  /** What can still go back. */
  left: Money.Money;
  /** At the processor, where it has such a page. */
  page: string | null;
  /** What its buyer asks back of it, once. */
  request: RefundRequest | null;
  notice: Notice;
};

/** One purchase: how it stands, what its credit came to, what went back, and the way to send money back. */
export function payment({ order, reversals, lot, loss, left, page, request, notice }: Facts): Html {
  const { account, payment: paid } = order;
  return html`<h1>${usd(order.amount)} USD for ${order.plan}</h1>
${told(notice)}
<section aria-labelledby="standing"><h2 id="standing">Standing ${standing(order)}</h2>
<dl class="facts">${[
    fact('Made', moment(order.createdMs)),
    order.grantedMs === null ? html`` : fact('Paid', moment(order.grantedMs)),
    fact('By', order.rail.replace('_', ' ')),
    html`<div><dt>Order</dt><dd class="id">${order.id}</dd></div>`,
    paid === null
      ? html``
      : html`<div><dt>Payment</dt><dd class="id">${page === null ? paid : html`<a href="${page}">${paid}</a>`}</dd></div>`,
    account === null
      ? html``
      : html`<div><dt>Account</dt><dd class="id"><a href="/admin/console/accounts/${account}">${account}</a></dd></div>`,
  ]}</dl>${order.failure === null ? '' : html`<p class="note">${order.failure}</p>`}</section>
${request === null ? '' : asked(order, request, left)}
${lot === null ? '' : ledger(lot, loss)}
${back(reversals)}
${order.state === 'granted' && left > 0 ? refund(order, request?.state === 'open' ? Money.ofMicro(Math.min(request.amount, left)) : left, left) : ''}`;
}

/** What the buyer asks, and the way to say no; to say yes is the refund below. */
function asked({ id }: Order, request: RefundRequest, left: Money.Money): Html {
  const { amount: wanted, reason, askedMs, state, answer } = request;
  return html`<section aria-labelledby="asked"><h2 id="asked">Its buyer asks for ${usd(wanted)} USD back ${sign(state, state === 'open')}</h2>
<p>${reason}</p><p class="soft">Asked ${moment(askedMs)}; ${usd(request.unspent)} USD of it are not spent, ${usd(left)} USD can go back.${answer === null ? '' : ` You declined: ${answer}`}</p>
${
  state !== 'open'
    ? ''
    : html`<form class="row" method="post" action="${pageOf(id)}"><input type="hidden" name="act" value="decline">
<div><label for="reason">Or decline, with a reason that the buyer reads</label><input id="reason" name="reason" maxlength="1000" autocomplete="off" required></div><button>Decline</button></form>`
}</section>`;
}

function ledger({ asset, remaining, entries }: OrderLot, loss: Money.Money): Html {
  const row = (entry: OrderLot['entries'][number]) =>
    html`<tr><th scope="row">${entry.kind}</th><td class="number">${entry.amount < 0 ? '−' : ''}${amount(entry.asset, Math.abs(entry.amount))}</td><td>${moment(entry.atMs)}</td></tr>`;
  return html`<section aria-labelledby="ledger"><h2 id="ledger">In the ledger</h2>
<p>${amount(asset, remaining)} of it are left.${loss > 0 ? ` ${usd(loss)} USD of what went back had been spent: your loss.` : ''}</p>
${table('Entries of the ledger, usage left out', ['Entry', { number: 'Amount' }, 'When'], entries.map(row))}</section>`;
}

function back(reversals: readonly Reversal[]): Html {
  if (reversals.length === 0) return html``;
  const row = (one: Reversal) =>
    html`<tr><th scope="row">${one.kind}</th><td class="id">${one.id}</td><td class="number">${usd(one.amount)}</td><td>${sign(one.status.replaceAll('_', ' '), one.kind === 'dispute' && one.counts)}</td><td>${one.counts ? 'credit taken back' : 'credit is there again'}</td></tr>`;
  return html`<section aria-labelledby="back"><h2 id="back">Went back</h2>${table('Refunds and disputes', ['What', 'At the processor', { number: 'USD' }, 'Standing', 'In the ledger'], reversals.map(row))}</section>`;
}

function refund({ id, rail }: Order, amount: Money.Money, left: Money.Money): Html {
  if (rail === 'x402')
    return html`<section><h2>Refund</h2><p class="soft">It was paid in a dollar coin, which goes back from your own wallet.</p></section>`;
  return html`<section aria-labelledby="refund"><h2 id="refund">Refund</h2>
<form class="row" method="get" action="${pageOf(id)}/refund"><div><label for="amount">US dollars, up to ${usd(left)}</label>
<input id="amount" name="amount_usd" inputmode="decimal" autocomplete="off" value="${Money.format(amount)}" required></div><button>Look what that does</button></form>
<p class="soft">Nothing goes back before you have seen it and said yes.</p></section>`;
}

/**
 * What a refund does, before it is made; `key` names it, so that a form that is sent twice sends money back once. Null: it answers what the
 * buyer asked, which happens once by itself.
 */
export function confirm(order: Order, money: Money.Money, effect: Effect, key: string | null): Html {
  const { asset, taken, missing } = effect;
  return html`<h1>Refund ${usd(money)} USD?</h1>
<section><h2>What happens</h2>
<ul><li>${usd(money)} USD of ${usd(order.amount)} USD go back to the card that paid, within days.</li>
<li>${amount(asset, taken)} that are left of what it bought go from the account at once.</li>
${missing > 0 ? html`<li>${amount(asset, missing)} of it are spent: that part is your loss. The account never falls below zero.</li>` : ''}
<li>Automatic top-ups of the account stop.</li>
<li>It is in the audit log with your address before the money goes.</li></ul>
<form method="post" action="${pageOf(order.id)}"><input type="hidden" name="amount_usd" value="${Money.format(money)}">${key === null ? html`<input type="hidden" name="act" value="answer">` : html`<input type="hidden" name="key" value="${key}">`}
<button>Refund ${usd(money)} USD</button></form>
<p><a href="${pageOf(order.id)}">Leave it as it is</a></p></section>`;
}
