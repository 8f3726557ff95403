import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CallReceipt, PurchaseReceipt, VerifiedReceipt } from '../../identity/signed-receipt.ts';
import * as Receipts from '../../journeys/receipts.ts';
import * as BillingDetails from '../../payment/billing-details.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import type { Texts } from '../../text/texts.ts';
import { cardName } from './card-brand.ts';
import { identifier } from './identifier.ts';
import type { PaymentPage } from './payment.ts';
import * as PrintScript from './print-script.ts';
import * as Quantities from './quantities.ts';
import { say } from './say.ts';

export type ReceiptFacts = {
  signed: VerifiedReceipt;
  jws: string;
  /** Amount refunded so far, which may be more than when the receipt was signed. */
  refunded: string;
  /** The buyer's address; null when the reader of the page may not see it. */
  email: string | null;
  /** The buyer's company and address; null as above, or when there are none. */
  details: BillingDetails.BillingDetails | null;
  /** True for a reader who may see the billing of the buyer. */
  isBuyer: boolean;
  /** The period of a plan; null for credit, and for a call. */
  period: Receipts.PaidPeriod | null;
  /** The card that paid; null when it is not known to the shop or the reader may not see it. */
  card: Pick<SavedCard, 'brand' | 'last4'> | null;
};

type Html = PaymentPage['body'];

/** A printable receipt: the signed fields, with the catalogue's names for seller, plan and tax. */
export function receipt(texts: Texts, facts: ReceiptFacts, { storefront, plans }: Catalog): PaymentPage {
  const { signed, jws, email, details, isBuyer } = facts;
  const isPurchase = signed.kind === 'purchase';
  const address = `${signed.issuer}/receipts/${jws}`;
  return {
    title: texts.text('receipt.title'),
    mark: 'done',
    body: html`<h1>${say(texts, 'receipt.heading', { amount: texts.usd(isPurchase ? signed.total_usd : signed.cost_usd).replace(' ', '\u00a0') })}</h1>
      <dl>
        ${row(texts.text('receipt.number'), identifier(isPurchase ? signed.purchase : signed.call))}
        ${row(texts.text(isPurchase ? 'receipt.paid_on' : 'receipt.date'), texts.day(isPurchase ? Date.parse(signed.paid_at) : signed.issuedMs))}
        ${row(texts.text('receipt.seller'), html`<span class="lines">${storefront.seller?.trim() || storefront.name}</span><br>${signed.issuer}`)}
        ${row(texts.text('receipt.buyer'), html`${details === null ? '' : html`<span class="lines">${BillingDetails.lines(texts, details).join('\n')}</span><br>`}${email === null ? '' : html`${email}<br>`}${identifier(signed.account)}`)}
      </dl>
      ${isPurchase ? purchase(texts, signed, facts, plans, storefront.tax_note?.trim()) : call(texts, signed)}
      <p class="proof"><button class="button" id="print" type="button" hidden>${say(texts, 'receipt.print')}</button>${isBuyer ? html`<a class="button plain" href="/shop/account/billing">${say(texts, 'receipt.back')}</a>` : html`<a class="button plain" href="/">${say(texts, 'leave.to_shop')}</a>`}</p>
      <noscript><p class="proof">${say(texts, 'receipt.print_hint')}</p></noscript>
      <details class="proof"><summary id="proof">${say(texts, 'receipt.signature')}</summary>
      <p>${say(texts, 'receipt.signature_text', { address: `${signed.issuer}/.well-known/jwks.json` })}</p>
      <textarea readonly spellcheck="false" rows="5" aria-labelledby="proof">${jws}</textarea></details>
      <p class="print">${say(texts, 'receipt.signed', { day: texts.day(signed.issuedMs) })} <span class="url">${address}</span></p>`,
    script: PrintScript,
  };
}

function purchase(
  texts: Texts,
  { plan, amount_usd, tax_usd, total_usd, rail, payment }: PurchaseReceipt,
  { refunded, card, period }: Pick<ReceiptFacts, 'refunded' | 'card' | 'period'>,
  plans: Catalog['plans'],
  taxNote: string | undefined,
): Html {
  const sold = plans.find(({ id }) => id === plan);
  const what =
    sold?.kind === 'subscription'
      ? texts.text(`receipt.plan_${sold.every}`, { plan: sold.name })
      : (sold?.name ?? plan);
  const method = texts.text(methods[rail] ?? 'receipt.by_card');
  const deducted = period === null ? null : Receipts.deducted(amount_usd, period);
  return html`<dl>
    ${row(what, texts.usd(deducted?.price ?? amount_usd))}
    ${deducted === null ? '' : row(texts.text('receipt.deducted'), texts.usd(deducted.credit))}
    ${period?.endMs == null ? '' : row(texts.text('paid.until'), texts.day(period.endMs))}
    ${Number(tax_usd) === 0 ? '' : row(texts.text('receipt.tax'), texts.usd(tax_usd))}
    ${taxNote ? row(texts.text(Number(tax_usd) === 0 ? 'receipt.tax' : 'receipt.about_tax'), taxNote) : ''}
    <div class="total"><dt>${say(texts, 'receipt.total')}</dt><dd>${texts.usd(total_usd)}</dd></div>
    ${Number(refunded) === 0 ? '' : html`${row(texts.text('receipt.refunded'), texts.usd(`-${refunded}`))}${row(texts.text('receipt.net'), texts.usd(Receipts.paidAfter(total_usd, refunded)))}`}
    ${row(texts.text('receipt.paid_by'), card === null ? method : texts.text('receipt.method', { method, card: cardName(texts, card) }))}
    ${row(texts.text('receipt.payment'), identifier(payment))}
  </dl>`;
}

const methods: Readonly<Record<string, `receipt.by_${'card' | 'x402' | 'invoice' | 'top_up'}`>> = {
  card: 'receipt.by_card',
  x402: 'receipt.by_x402',
  invoice: 'receipt.by_invoice',
  top_up: 'receipt.by_top_up',
};

function call(texts: Texts, { operation, units, model, quantities, cost_usd }: CallReceipt): Html {
  return html`<dl>${row(texts.text('receipt.operation'), operation)}${model === undefined ? '' : row(texts.text('receipt.model'), model)}
    ${quantities === undefined ? row(texts.text('receipt.results'), texts.digits(units ?? 0)) : row(texts.text('receipt.quantities'), Quantities.quantities(texts, quantities))}
    <div class="total"><dt>${say(texts, 'receipt.cost')}</dt><dd>${texts.usd(cost_usd)}</dd></div></dl>`;
}

function row(name: string, value: string | Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}
