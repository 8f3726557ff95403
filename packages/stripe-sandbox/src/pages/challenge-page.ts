import { html } from 'hono/html';
import type { PaymentIntent } from '../objects/payment-intent.ts';
import { formatAmount, type Html, layout } from './layout.ts';

/** The bank's page of 3-D Secure: here the person decides how it ends. */
export function challengePage({ id, amount, currency }: PaymentIntent, last4: string): Html {
  return layout(
    'Confirm this payment',
    html`<main class="panel challenge">
      <p class="bank">Sandbox Bank</p>
      <h1>Is it you?</h1>
      <p>Your bank wants to know that you make this payment.</p>
      <dl>
        <div><dt>Amount</dt><dd>${formatAmount(amount, currency)}</dd></div>
        <div><dt>Card</dt><dd><span aria-label="ending in ${last4}">•••• ${last4}</span></dd></div>
      </dl>
      <form method="post" action="/c/challenge/${id}">
        <button type="submit" name="outcome" value="complete">Complete authentication</button>
        <button type="submit" name="outcome" value="fail" class="second">Fail authentication</button>
      </form>
    </main>`,
  );
}
