import { html } from 'hono/html';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import type * as RefundRequests from '../../journeys/refund-requests.ts';
import { textCharsMax } from '../../payment/refund-request.ts';
import type { Html } from './frame.ts';

type Asked = ReturnType<typeof RefundRequests.shown>;

/** What was paid, each with its receipt; what was asked back, and how to ask. */
export function purchases(paid: readonly PurchaseEntry[], asked: readonly Asked[]): Html {
  if (paid.length === 0) return html``;
  const row = (one: PurchaseEntry) =>
    html`<tr><td>${day(one.paid_at)}</td><td>${one.plan}</td><td class="number">${one.amount_usd} USD${one.reversed_usd === '0.00' ? '' : ` (${one.reversed_usd} paid back)`}</td><td class="number"><a href="${one.url}" aria-label="Receipt of ${day(one.paid_at)}, ${one.amount_usd} USD">Receipt</a></td></tr>`;
  const open = paid.filter(
    ({ purchase, amount_usd, reversed_usd }) =>
      amount_usd !== reversed_usd && !asked.some((one) => one.purchase === purchase),
  );
  return html`<section aria-labelledby="receipts"><h2 id="receipts">Paid</h2><table class="stack"><thead><tr><th scope="col">When</th><th scope="col">Plan</th><th scope="col" class="number">Amount</th><td></td></tr></thead><tbody>${paid.map(row)}</tbody></table>
${asked.length === 0 ? '' : answers(asked, paid)}
${open.length === 0 ? '' : form(open)}</section>`;
}

function answers(asked: readonly Asked[], paid: readonly PurchaseEntry[]): Html {
  const row = (one: Asked) => {
    const of = paid.find(({ purchase }) => purchase === one.purchase);
    return html`<tr><td>${day(one.asked_at)}</td><td>${of ? `${of.plan}, ${day(of.paid_at)}` : one.purchase}</td><td class="number">${one.amount_usd} USD</td><td>${state(one)}</td></tr>`;
  };
  return html`<h3 id="refunds">Asked back</h3><table class="stack"><thead><tr><th scope="col">When</th><th scope="col">Purchase</th><th scope="col" class="number">Amount</th><th scope="col">Answer</th></tr></thead><tbody>${asked.map(row)}</tbody></table>`;
}

function state({ state, answer, refunded_usd }: Asked): string {
  switch (state) {
    case 'open':
      return 'The seller has been told.';
    case 'declined':
      return `Declined: ${answer}`;
    case 'refunded':
      return `${refunded_usd} USD went back.`;
  }
}

function form(open: readonly PurchaseEntry[]): Html {
  const option = ({ purchase, plan, amount_usd, paid_at }: PurchaseEntry) =>
    html`<option value="${purchase}">${day(paid_at)}, ${plan}, ${amount_usd} USD</option>`;
  return html`<details id="refund"><summary>Ask for a refund</summary>
<p class="soft">The seller decides, and answers here. Ask once for each purchase; what you have spent of it may be kept.</p>
<form method="post" action="/shop/account/refund">
<label for="refund-purchase">Purchase</label><select id="refund-purchase" name="purchase">${open.map(option)}</select>
<label for="refund-amount">USD, if not all of it</label><input id="refund-amount" name="amount_usd" inputmode="decimal" autocomplete="off">
<label for="refund-reason">Why</label><textarea id="refund-reason" name="reason" rows="3" maxlength="${textCharsMax}" required></textarea>
<button>Ask for a refund</button></form></details>`;
}

function day(time: string): string {
  return time.slice(0, 10);
}
