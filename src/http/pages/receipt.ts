import { html } from 'hono/html';
import type { Signed } from '../../identity/signed-receipt.ts';
import type { Page } from './payment.ts';

/** A receipt to print, of what its signature vouches for and nothing else. */
export function receipt(signed: Signed, shopName: string, jws: string): Page {
  const rows = Object.entries(facts(signed)).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  );
  return {
    title: 'Receipt',
    mark: 'done',
    body: html`<h1>Receipt</h1>
      <p>From ${shopName}, ${signed.issuer}</p>
      <dl>${rows}</dl>
      <h2 id="proof">Signature</h2>
      <p>Anyone can check this receipt with the shop's public keys, at ${signed.issuer}/.well-known/jwks.json.</p>
      <textarea readonly spellcheck="false" rows="5" aria-labelledby="proof">${jws}</textarea>`,
  };
}

function facts(signed: Signed): Record<string, string> {
  const issued = { Account: signed.account, Issued: day(signed.issuedMs) };
  if (signed.kind === 'call')
    return {
      Call: signed.call,
      Operation: signed.operation,
      Results: String(signed.units),
      Cost: `${signed.cost_usd} USD`,
      ...issued,
    };
  const { purchase, plan, amount_usd, reversed_usd, payment, paid_at } = signed;
  const reversed: Record<string, string> =
    Number(reversed_usd) === 0 ? {} : { 'Paid back': `${reversed_usd} USD` };
  return {
    Purchase: purchase,
    Plan: plan,
    Paid: `${amount_usd} USD`,
    ...reversed,
    On: day(Date.parse(paid_at)),
    Payment: payment,
    ...issued,
  };
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
