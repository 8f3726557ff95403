import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../../catalog/catalog.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import type { PurchaseEntry } from '../../../journeys/receipts.ts';
import * as RefundRequests from '../../../journeys/refund-requests.ts';
import type { RemovedCredit, ReplacedPeriods } from '../../../journeys/replaced-periods.ts';
import { textCharsMax } from '../../../payment/refund-request.ts';
import type { Replacement } from '../../../payment/replacement.ts';
import type { Texts } from '../../../text/texts.ts';
import { type FormResult, faultOf, field } from '../form-result.ts';
import type { Html } from '../frame.ts';
import { say } from '../say.ts';
import { sections } from './frame.ts';
import { table } from './table.ts';

type Asked = ReturnType<typeof RefundRequests.asRefundRequest>;

export type PurchaseFacts = ReplacedPeriods & {
  receipts: readonly PurchaseEntry[];
  /** The last purchase of the page, when there are older ones; the purchase that the page continues after. */
  older: string | null;
  before: string | null;
  refundRequests: readonly Asked[];
  /** The purchase whose refund form the visitor opened; null for none. */
  refundOf: string | null;
};

/** The purchases with their receipts, the refund requests, and the form for a new request. */
export function purchases(
  texts: Texts,
  facts: PurchaseFacts,
  catalog: Catalog,
  { result, mayAsk }: { result: FormResult | null; mayAsk: boolean },
): Html {
  const { receipts, older, before, refundRequests, refundOf, replacements } = facts;
  if (receipts.length === 0) return html``;
  const open = mayAsk ? RefundRequests.requestable(receipts, refundRequests) : [];
  const typed = result?.refused?.path === 'refund' ? result.refused.input.get('purchase') : null;
  const asked = open.find(({ purchase }) => purchase === (typed ?? refundOf));
  const replacedBy = ({ purchase }: PurchaseEntry) => {
    const found = replacements.get(purchase);
    return found === undefined ? null : nameOf(catalog, found.plan);
  };
  return html`<section aria-labelledby="receipts"><h2 id="receipts">${say(texts, 'purchases.title')}</h2>
${table(
  receipts,
  [
    { head: texts.text('purchases.when'), cell: ({ paid_at }) => texts.dayOf(paid_at), isShort: true },
    {
      head: texts.text('purchases.plan'),
      cell: (one) =>
        html`${nameOf(catalog, one.plan)}${deduction(texts, replacements.get(one.purchase), catalog)}`,
      onPhone: 'bare',
    },
    {
      head: texts.text('purchases.amount'),
      cell: (one) => amountOf(texts, one),
      isNumber: true,
      onPhone: 'lead',
    },
    {
      head: texts.text('purchases.documents'),
      cell: (one) => documents(texts, one, { mayAsk: open.includes(one), before }),
      onPhone: 'bare',
    },
  ],
  (one) => (one === asked ? form(texts, one, { result, before, replacedBy: replacedBy(one) }) : null),
)}
${older === null ? '' : html`<p><a href="${sections.billing}?before=${older}#receipts">${say(texts, 'purchases.older')}</a></p>`}
${refundRequests.length === 0 ? '' : answers(texts, facts, catalog)}</section>`;
}

/** The path of the page of purchases, with further members. */
function pagePath(before: string | null, more: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ ...(before !== null && { before }), ...more });
  return `${sections.billing}${query.size === 0 ? '' : `?${query}`}`;
}

function documents(
  texts: Texts,
  one: PurchaseEntry,
  { mayAsk, before }: { mayAsk: boolean; before: string | null },
): Html {
  const facts = { day: texts.dayOf(one.paid_at), amount: texts.usd(one.amount_usd) };
  return html`<span><a href="${one.url}" aria-label="${texts.text('purchases.receipt_label', facts)}">${say(texts, 'purchases.receipt')}</a>${one.invoice_url === null ? '' : html` · <a href="${one.invoice_url}" aria-label="${texts.text('purchases.invoice_label', facts)}">${say(texts, 'purchases.invoice')}</a>`}${mayAsk ? html` · <a href="${pagePath(before, { refund: one.purchase })}#refund" aria-label="${texts.text('refunds.ask_label', facts)}">${say(texts, 'refunds.ask')}</a>` : ''}</span>`;
}

function amountOf(texts: Texts, { amount_usd, tax_usd, reversed_usd }: PurchaseEntry): string {
  const amount = withTax(texts, amount_usd, tax_usd);
  if (reversed_usd === '0.00') return amount;
  return texts.text('purchases.amount_refunded', { amount, refunded: texts.decimal(reversed_usd) });
}

function answers(
  texts: Texts,
  { refundRequests: asked, receipts: paid, removed }: PurchaseFacts,
  catalog: Catalog,
): Html {
  const purchaseOf = ({ purchase }: Asked) => {
    const of = paid.find((one) => one.purchase === purchase);
    return of ? `${nameOf(catalog, of.plan)}, ${texts.dayOf(of.paid_at)}` : purchase;
  };
  return html`<h3 id="refunds">${say(texts, 'refunds.title')}</h3>${table(asked, [
    { head: texts.text('purchases.when'), cell: ({ asked_at }) => texts.dayOf(asked_at) },
    { head: texts.text('refunds.purchase'), cell: purchaseOf },
    {
      head: texts.text('purchases.amount'),
      cell: ({ amount_usd, tax_usd }) => withTax(texts, amount_usd, tax_usd),
      isNumber: true,
    },
    {
      head: texts.text('refunds.answer'),
      cell: (one) => `${state(texts, one)}${removal(texts, removed.get(one.purchase), catalog)}`,
    },
  ])}`;
}

/** The part of a payment that was deducted from the price of the plan that replaced it; nothing for others. */
function deduction(texts: Texts, replacement: Replacement | undefined, catalog: Catalog): Html {
  if (replacement === undefined || replacement.credit === 0) return html``;
  const { credit, plan, atMs } = replacement;
  const facts = {
    amount: texts.usd(Money.format(credit)),
    plan: nameOf(catalog, plan),
    day: texts.day(atMs),
  };
  return html`<br><small>${say(texts, 'purchases.deducted', facts)}</small>`;
}

/** The results or credit that a refund removed from the plan that replaced the purchase; nothing for others. */
function removal(texts: Texts, removed: RemovedCredit | undefined, catalog: Catalog): string {
  if (removed === undefined) return '';
  const { asset, amount, plan } = removed;
  const shown =
    asset === 'usd'
      ? texts.usd(Money.format(Money.ofMicro(amount)))
      : texts.text('refunds.results', { count: amount });
  return ` ${texts.text('refunds.removed', { amount: shown, plan: nameOf(catalog, plan) })}`;
}

/** Returns the part of a purchase that can still be refunded, for people. */
function refundable(texts: Texts, { amount_usd, reversed_usd }: PurchaseEntry): string {
  const left = (Money.parse(amount_usd) ?? Money.zero) - (Money.parse(reversed_usd) ?? Money.zero);
  return texts.usd(Money.format(Money.ofMicro(Number(left))));
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

/** The form for a refund, below the row of its purchase. */
function form(
  texts: Texts,
  entry: PurchaseEntry,
  {
    result,
    before,
    replacedBy,
  }: { result: FormResult | null; before: string | null; replacedBy: string | null },
): Html {
  const reason = faultOf(texts, result, 'refund', 'reason');
  const typed = result?.refused?.path === 'refund' ? result.refused.input : null;
  const action = `/shop/account/refund${before === null ? '' : `?${new URLSearchParams({ before })}`}`;
  return html`<form id="refund" method="post" action="${action}"><p class="soft">${say(texts, 'refunds.intro')}</p>${replacedBy === null ? '' : html`<p>${say(texts, 'refunds.from_new_plan', { plan: replacedBy })}</p>`}<input type="hidden" name="purchase" value="${entry.purchase}">
<label for="refund-reason">${say(texts, 'refunds.reason')}</label><textarea id="refund-reason" name="reason" rows="2" maxlength="${textCharsMax}"${reason.marks} required>${typed?.get('reason') ?? ''}</textarea>${reason.text}
${field(texts, result, 'refund', { name: 'amount_usd', label: texts.text('refunds.amount'), hint: texts.text('refunds.amount_max', { amount: refundable(texts, entry) }), attributes: html`inputmode="decimal" autocomplete="off"` })}
<div class="actions"><button>${say(texts, 'refunds.send')}</button><a href="${pagePath(before, {})}#receipts">${say(texts, 'question.back')}</a></div></form>`;
}
