import * as Money from '@sluice/kernel/money';
import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import { nameOf } from '../../catalog/plan-name.ts';
import type { CallReceipt, PurchaseReceipt, VerifiedReceipt } from '../../identity/signed-receipt.ts';
import type { PurchaseParts } from '../../journeys/receipts.ts';
import * as BillingDetails from '../../payment/billing-details.ts';
import * as ReceiptNumber from '../../payment/receipt-number.ts';
import type { SavedCard } from '../../payment/saved-card.ts';
import { cardName } from '../../text/card-name.ts';
import type { Texts } from '../../text/texts.ts';
import { identifier } from './identifier.ts';
import type { PaymentPage } from './payment.ts';
import * as PrintScript from './print-script.ts';
import * as Quantities from './quantities.ts';
import { say } from './say.ts';

export type ReceiptFacts = {
  signed: VerifiedReceipt;
  jws: string;
  /** The lines and the refunds so far, which may be more than when the receipt was signed; null when the purchase is not stored. */
  parts: PurchaseParts | null;
  /** True when the reader is signed in to the account that paid, and may see its payments. */
  isBuyer: boolean;
  /** The buyer's address; null when the reader of the page may not see it. */
  email: string | null;
  /** The buyer's company and address; null as above, or when there are none. */
  details: BillingDetails.BillingDetails | null;
  /** The card that paid; null when it is not known to the shop or the reader may not see it. */
  card: Pick<SavedCard, 'brand' | 'last4'> | null;
};

type Html = PaymentPage['body'];

/** A printable receipt: the signed fields, with the catalogue's names for seller, plan and tax. */
export function receipt(texts: Texts, facts: ReceiptFacts, catalog: Catalog): PaymentPage {
  const { signed, jws, email, details, isBuyer } = facts;
  const { storefront } = catalog;
  const isPurchase = signed.kind === 'purchase';
  const address = `${signed.issuer}/receipts/${jws}`;
  const back = isBuyer
    ? html`<a class="button plain" href="/shop/account/billing">${say(texts, 'receipt.back')}</a>`
    : html`<a class="button plain" href="/">${say(texts, 'error.back')}</a>`;
  const buyer = [
    details === null
      ? []
      : [html`<span class="lines">${BillingDetails.lines(texts, details).join('\n')}</span>`],
    email === null ? [] : [html`${email}`],
  ].flat();
  return {
    title: texts.text('receipt.title'),
    mark: 'done',
    body: html`<h1>${say(texts, 'receipt.heading', { amount: texts.usd(isPurchase ? signed.total_usd : signed.cost_usd).replace(' ', '\u00a0') })}</h1>
      <dl>
        ${row(texts.text('receipt.number'), isPurchase ? number(signed.purchase) : identifier(signed.call))}
        ${row(texts.text(isPurchase ? 'receipt.paid_on' : 'receipt.date'), texts.day(isPurchase ? Date.parse(signed.paid_at) : signed.issuedMs))}
        ${row(texts.text('receipt.seller'), html`<span class="lines">${storefront.seller?.trim() || storefront.name}</span><br>${signed.issuer}`)}
        ${buyer.length === 0 ? '' : row(texts.text('receipt.buyer'), html`${buyer.map((line, place) => html`${place === 0 ? '' : html`<br>`}${line}`)}`)}
      </dl>
      ${isPurchase ? purchase(texts, signed, facts, catalog) : call(texts, signed)}
      <p class="proof"><button class="button" id="print" type="button" hidden>${say(texts, 'receipt.print')}</button>${back}</p>
      <noscript><p class="proof">${say(texts, 'receipt.print_hint')}</p></noscript>
      <details class="proof"><summary id="proof">${say(texts, 'receipt.signature')}</summary>
      <dl>${isPurchase ? html`${row(texts.text('receipt.purchase'), identifier(signed.purchase))}${row(texts.text('receipt.payment'), identifier(signed.payment))}` : ''}${row(texts.text('receipt.account'), identifier(signed.account))}</dl>
      <p>${say(texts, 'receipt.signature_text', { address: `${signed.issuer}/.well-known/jwks.json` })}</p>
      <textarea readonly spellcheck="false" rows="5" aria-labelledby="proof">${jws}</textarea></details>
      <p class="print">${say(texts, 'receipt.signed', { day: texts.day(signed.issuedMs) })} <span class="url">${address}</span></p>`,
    script: PrintScript,
  };
}

/** The short number of a purchase: the beginning of its id. The ids of other systems stay as they are. */
function number(purchase: string): string | Html {
  const short = ReceiptNumber.of(purchase);
  return short === null ? identifier(purchase) : html`<span class="id">${short}</span>`;
}

function purchase(
  texts: Texts,
  signed: PurchaseReceipt,
  { parts, card }: Pick<ReceiptFacts, 'parts' | 'card'>,
  catalog: Catalog,
): Html {
  const { tax_usd, total_usd, rail } = signed;
  const taxNote = catalog.storefront.tax_note?.trim();
  const isRenewal = rail === 'invoice' && parts?.isRenewal === true;
  const method = texts.text(isRenewal ? 'receipt.by_invoice' : (methods[rail] ?? 'receipt.by_card'));
  return html`<dl class="sold">
    ${sold(texts, signed, parts, catalog)}
    ${Number(tax_usd) === 0 ? '' : row(texts.text('receipt.tax'), texts.usd(tax_usd))}
    ${taxNote ? row(texts.text(Number(tax_usd) === 0 ? 'receipt.tax' : 'receipt.about_tax'), taxNote) : ''}
    <div class="total"><dt>${say(texts, 'receipt.total')}</dt><dd>${texts.usd(total_usd)}</dd></div>
    ${parts === null ? '' : returned(texts, total_usd, parts)}
    ${row(texts.text('receipt.paid_by'), card === null ? method : texts.text('receipt.method', { method, card: cardName(texts, card) }))}
  </dl>`;
}

/** Lists each part of the amount. A purchase whose parts are unknown has one row without an amount. */
function sold(
  texts: Texts,
  { plan, amount_usd }: PurchaseReceipt,
  parts: PurchaseParts | null,
  catalog: Catalog,
): (Html | string)[] {
  const period = parts?.period ?? null;
  const name = nameOf(catalog, plan);
  const bought =
    period === null
      ? name
      : texts.text('receipt.plan_period', {
          plan: name,
          start: texts.day(period.startMs),
          end: texts.day(period.endMs),
        });
  const usd = (amount: Money.Money) => texts.usd(Money.format(amount));
  return (parts?.lines ?? [{ kind: 'bought', amount: Money.parse(amount_usd) }]).map((line) => {
    switch (line.kind) {
      case 'bought':
        return line.amount === null
          ? row(texts.text('receipt.bought'), bought)
          : row(bought, usd(line.amount));
      case 'unused':
        return row(
          texts.text('receipt.unused', { plan: nameOf(catalog, parts?.plans.get(line.order) ?? line.order) }),
          usd(line.amount),
        );
      case 'other':
        return row(line.text || texts.text('receipt.adjustment'), usd(line.amount));
      default:
        return row(texts.text('receipt.adjustment'), usd(line.amount));
    }
  });
}

/** The refunds and disputes, each with its day, and what remains paid. */
function returned(texts: Texts, totalUsd: string, { reversals, reversed }: PurchaseParts): Html | string {
  if (reversed === 0) return '';
  const usd = (amount: number) => texts.usd(Money.format(Money.ofMicro(amount)));
  const isWhole = reversals.reduce((sum, { amount }) => sum + amount, 0) === reversed;
  const rows = isWhole
    ? reversals.map(({ kind, amount, atMs }) =>
        row(texts.text(`receipt.${kind}_on`, { day: texts.day(atMs) }), usd(-amount)),
      )
    : [row(texts.text('receipt.refunded'), usd(-reversed))];
  const net = (Money.parse(totalUsd) ?? Money.zero) - reversed;
  return html`${rows}<div class="total"><dt>${say(texts, 'receipt.net')}</dt><dd>${usd(net)}</dd></div>`;
}

const methods: Readonly<Record<string, `receipt.by_${'card' | 'x402' | 'top_up'}`>> = {
  card: 'receipt.by_card',
  x402: 'receipt.by_x402',
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
