import { html } from 'hono/html';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import * as RefundRequests from '../../journeys/refund-requests.ts';
import { textCharsMax } from '../../payment/refund-request.ts';
import type { Texts } from '../../text/texts.ts';
import { type FormResult, field } from './form-result.ts';
import type { Html } from './frame.ts';
import { say } from './say.ts';

type Asked = ReturnType<typeof RefundRequests.asRefundRequest>;

/** The purchases with their receipts, the refund requests, and the form for a new request. */
export function purchases(
  texts: Texts,
  paid: readonly PurchaseEntry[],
  asked: readonly Asked[],
  result: FormResult | null,
): Html {
  if (paid.length === 0) return html``;
  const row = (one: PurchaseEntry) =>
    html`<tr><td>${texts.dayOf(one.paid_at)}</td><td>${one.plan}</td><td class="number">${amountOf(texts, one)}</td><td class="number"><a href="${one.url}" aria-label="${texts.text('purchases.receipt_label', facts(texts, one))}">${say(texts, 'purchases.receipt')}</a>${one.invoice_url === null ? '' : html` <a href="${one.invoice_url}" aria-label="${texts.text('purchases.invoice_label', facts(texts, one))}">${say(texts, 'purchases.invoice')}</a>`}</td></tr>`;
  const open = RefundRequests.requestable(paid, asked);
  return html`<section aria-labelledby="receipts"><h2 id="receipts">${say(texts, 'purchases.title')}</h2><table class="stack"><thead><tr><th scope="col">${say(texts, 'purchases.when')}</th><th scope="col">${say(texts, 'purchases.plan')}</th><th scope="col" class="number">${say(texts, 'purchases.amount')}</th><td></td></tr></thead><tbody>${paid.map(row)}</tbody></table>
${asked.length === 0 ? '' : answers(texts, asked, paid)}
${open.length === 0 ? '' : form(texts, open, result)}</section>`;
}

/** The day and amount of a purchase, which distinguish its links from those of other purchases. */
function facts(texts: Texts, { paid_at, amount_usd }: PurchaseEntry) {
  return { day: texts.dayOf(paid_at), amount: texts.usd(amount_usd) };
}

function amountOf(texts: Texts, { amount_usd, tax_usd, reversed_usd }: PurchaseEntry): string {
  const amount = withTax(texts, amount_usd, tax_usd);
  if (reversed_usd === '0.00') return amount;
  return texts.text('purchases.amount_refunded', { amount, refunded: texts.decimal(reversed_usd) });
}

function answers(texts: Texts, asked: readonly Asked[], paid: readonly PurchaseEntry[]): Html {
  const row = (one: Asked) => {
    const of = paid.find(({ purchase }) => purchase === one.purchase);
    return html`<tr><td>${texts.dayOf(one.asked_at)}</td><td>${of ? `${of.plan}, ${texts.dayOf(of.paid_at)}` : one.purchase}</td><td class="number">${withTax(texts, one.amount_usd, one.tax_usd)}</td><td>${state(texts, one)}</td></tr>`;
  };
  return html`<h3 id="refunds">${say(texts, 'refunds.title')}</h3><table class="stack"><thead><tr><th scope="col">${say(texts, 'purchases.when')}</th><th scope="col">${say(texts, 'refunds.purchase')}</th><th scope="col" class="number">${say(texts, 'purchases.amount')}</th><th scope="col">${say(texts, 'refunds.answer')}</th></tr></thead><tbody>${asked.map(row)}</tbody></table>`;
}

/** Formats a net amount and the tax on top of it. */
function withTax(texts: Texts, net: string, tax: string): string {
  const amount = texts.usd(net);
  if (tax === '0.00') return amount;
  return texts.text('purchases.amount_and_tax', { amount, tax: texts.decimal(tax) });
}

function state(texts: Texts, { state, answer, refunded_usd, refunded_tax_usd }: Asked): string {
  switch (state) {
    case 'open':
      return texts.text('refunds.open');
    case 'declined':
      return texts.text('refunds.declined', { answer: String(answer) });
    case 'refunded':
      return texts.text('refunds.refunded', { amount: withTax(texts, refunded_usd, refunded_tax_usd) });
  }
}

function form(texts: Texts, open: readonly PurchaseEntry[], result: FormResult | null): Html {
  const typed = result?.refused?.path === 'refund' ? result.refused.input : null;
  const option = ({ purchase, plan, amount_usd, paid_at }: PurchaseEntry) =>
    html`<option value="${purchase}" ${typed?.get('purchase') === purchase ? 'selected' : ''}>${texts.dayOf(paid_at)}, ${plan}, ${texts.usd(amount_usd)}</option>`;
  return html`<details id="refund" ${typed === null ? '' : 'open'}><summary>${say(texts, 'refunds.ask')}</summary>
<p class="soft">${say(texts, 'refunds.intro')}</p>
<form method="post" action="/shop/account/refund">
<label for="refund-purchase">${say(texts, 'refunds.purchase')}</label><select id="refund-purchase" name="purchase">${open.map(option)}</select>
${field(texts, result, 'refund', { name: 'amount_usd', label: texts.text('refunds.amount'), id: 'refund-amount', attributes: html`inputmode="decimal" autocomplete="off"` })}
<label for="refund-reason">${say(texts, 'refunds.reason')}</label><textarea id="refund-reason" name="reason" rows="3" maxlength="${textCharsMax}" required>${typed?.get('reason') ?? ''}</textarea>
<button>${say(texts, 'refunds.ask')}</button></form></details>`;
}
