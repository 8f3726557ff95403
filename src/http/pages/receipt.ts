import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.ts';
import type { CallReceipt, PurchaseReceipt, Signed } from '../../identity/signed-receipt.ts';
import type { Page } from './payment.ts';

export type Facts = {
  signed: Signed;
  jws: string;
  /** What went back of a purchase by now, which may be more than when the receipt was signed. */
  refunded: string;
  /** Where its person reads his mail; null where the reader of the page is not shown it. */
  email: string | null;
};

type Html = Page['body'];

/** A receipt to print: what its signature vouches for, with the catalogue's words for seller, plan and tax. */
export function receipt(facts: Facts, { storefront, plans }: Catalog): Page {
  const { signed, jws, email } = facts;
  const isPurchase = signed.kind === 'purchase';
  return {
    title: 'Receipt',
    mark: 'done',
    body: html`<h1>Receipt</h1>
      <dl>
        ${row('Number', isPurchase ? signed.purchase : signed.call)}
        ${row('Date', day(isPurchase ? Date.parse(signed.paid_at) : signed.issuedMs))}
        ${row('Seller', html`<span class="lines">${storefront.seller?.trim() || storefront.name}</span><br>${signed.issuer}`)}
        ${row('Buyer', html`${email === null ? '' : html`${email}<br>`}${signed.account}`)}
      </dl>
      ${isPurchase ? purchase(signed, facts.refunded, plans, storefront.tax?.trim()) : call(signed)}
      <section class="proof"><h2 id="proof">Signature</h2>
      <p>Anyone can check this receipt with the shop's public keys, at ${signed.issuer}/.well-known/jwks.json.</p>
      <textarea readonly spellcheck="false" rows="5" aria-labelledby="proof">${jws}</textarea></section>
      <p class="print">Signed by the shop on ${day(signed.issuedMs)}; its page shows the signature.</p>`,
  };
}

function purchase(
  { plan, amount_usd, rail, payment }: PurchaseReceipt,
  refunded: string,
  plans: Catalog['plans'],
  tax: string | undefined,
): Html {
  const sold = plans.find(({ id }) => id === plan);
  const what = sold?.kind === 'subscription' ? `${sold.name}, one ${sold.every}` : (sold?.name ?? plan);
  return html`<dl>
    ${row(what, `${amount_usd} USD`)}
    ${tax ? row('Tax', tax) : ''}
    <div class="total"><dt>Total</dt><dd>${amount_usd} USD</dd></div>
    ${Number(refunded) === 0 ? '' : row('Refunded', `${refunded} USD`)}
    ${row('Paid by', `${ways[rail] ?? rail}, ${payment}`)}
  </dl>`;
}

const ways: Readonly<Record<string, string>> = {
  card: 'card',
  x402: 'dollar coin',
  invoice: 'card, as a renewal',
  top_up: 'card, as an automatic top-up',
};

function call({ operation, units, cost_usd }: CallReceipt): Html {
  return html`<dl>${row('Operation', operation)}${row('Results', String(units))}
    <div class="total"><dt>Cost</dt><dd>${cost_usd} USD</dd></div></dl>`;
}

function row(name: string, value: string | Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
