import * as CopyScript from '@sluice/kernel/copy-script';
import { html } from 'hono/html';
import type { PurchaseEntry } from '../../journeys/receipts.ts';
import type { Texts } from '../../text/texts.ts';
import type { PaymentPage } from './payment.ts';
import { say } from './say.ts';

type Html = PaymentPage['body'];

export type PaidFacts = {
  /** Without tax. */
  amount: string;
  /** The name of the plan. */
  plan: string;
  /** The period that it buys; null for credit. */
  period: PaidPeriod | null;
  /** Null when the payment is not recorded as a purchase of this account. */
  receipt: PurchaseEntry | null;
  buyer: Buyer;
};

/** The contents of a paid period, such as `200,000 results`, and its end; null before it has begun. */
export type PaidPeriod = { included: string; end: { ms: number; renews: boolean } | null };

/**
 * The payer. `own`: the payment created the account. `program`: a program owns it, so the payer is shown nothing of it.
 */
type Buyer =
  | { kind: 'program' }
  | {
      kind: 'own';
      balance: string;
      /** True when this browser is signed in to the account. */
      isSignedIn: boolean;
      /** True when the account has no address yet and the shop sends mail. */
      canClaim: boolean;
      /** Null when they have already been issued or do not belong to the payer. */
      tokens: Tokens | null;
      guide: string;
    };

/** The access token is valid for an hour; the assertion renews it until its last day (`2027-02-19`). */
type Tokens = { access: string; assertion: string; lastDay: string };

/** The confirmation of a payment: what was bought, its receipt, and what to do next. */
export function paid(texts: Texts, { amount, plan, period, receipt, buyer }: PaidFacts): PaymentPage {
  const total = receipt?.total_usd ?? amount;
  return {
    title: texts.text('paid.title'),
    mark: 'done',
    body: html`<h1>${period === null ? say(texts, 'paid.heading', { amount: texts.usd(total).replace(' ', '\u00a0') }) : say(texts, 'paid.plan_heading', { plan })}</h1>
      ${buyer.kind === 'own' ? html`<p>${say(texts, period !== null ? 'paid.plan_text' : 'paid.text')}</p>` : html`<p>${say(texts, 'paid.program_continues')}</p>`}
      <dl>
        ${buyer.kind === 'own' && period === null ? html`<div><dt>${say(texts, 'paid.balance')}</dt><dd id="balance">${texts.usd(buyer.balance)}</dd></div>` : ''}
        <div><dt>${say(texts, 'paid.bought')}</dt><dd>${plan}</dd></div>
        ${period === null ? '' : html`<div><dt>${say(texts, 'paid.included')}</dt><dd>${period.included}</dd></div>`}
        ${period?.end ? html`<div><dt>${say(texts, period.end.renews ? 'paid.renews' : 'paid.until')}</dt><dd>${texts.day(period.end.ms)}</dd></div>` : ''}
        <div><dt>${say(texts, 'paid.amount')}</dt><dd>${texts.usd(amount)}</dd></div>
        ${receipt === null || receipt.tax_usd === '0.00' ? '' : html`<div><dt>${say(texts, 'receipt.tax')}</dt><dd>${texts.usd(receipt.tax_usd)}</dd></div>`}
        ${receipt === null || buyer.kind === 'program' ? '' : html`<div><dt>${say(texts, 'receipt.title')}</dt><dd><a href="${receipt.url}">${say(texts, 'paid.receipt')}</a></dd></div>`}
      </dl>
      ${buyer.kind === 'own' ? own(texts, buyer) : programNext(texts, receipt)}`,
    hasForm: buyer.kind === 'own' && buyer.isSignedIn,
    ...(buyer.kind === 'own' && buyer.tokens !== null && { script: CopyScript }),
  };
}

/** The next steps of a person who paid for a program. */
function programNext(texts: Texts, receipt: PurchaseEntry | null): Html {
  return html`<p class="next">${receipt === null ? '' : html`<a class="button" href="${receipt.url}">${say(texts, 'paid.receipt')}</a>`}<a class="button plain" href="/">${say(texts, 'error.back')}</a></p>`;
}

function own(texts: Texts, buyer: Extract<Buyer, { kind: 'own' }>): Html {
  const { isSignedIn, canClaim, tokens, guide } = buyer;
  if (!isSignedIn && tokens === null) {
    const link = html`<a href="/shop/account">${say(texts, 'paid.already_shown_link')}</a>`;
    return html`<p class="then">${say(texts, 'paid.already_shown', { link })}</p>`;
  }
  return html`${tokens === null ? '' : tokenBoxes(texts, tokens, guide)}
    ${isSignedIn ? html`<p class="then">${say(texts, 'paid.signed_in')}</p><p class="next"><a class="button" href="/shop/account/keys">${say(texts, 'paid.make_key')}</a><a class="button plain" href="/shop/account">${say(texts, 'paid.to_account')}</a></p>` : ''}
    ${isSignedIn && canClaim ? secure(texts) : ''}`;
}

/** Starts the claim by mail: only the code that is sent to the address proves that it is the buyer's. */
function secure(texts: Texts): Html {
  return html`<section aria-labelledby="secure"><h2 id="secure">${say(texts, 'claim.title')}</h2>
    <p>${say(texts, 'paid.secure_text')}</p>
    <form method="post" action="/shop/account/claim"><label for="email">${say(texts, 'claim.email')}</label><input id="email" name="email" type="email" autocomplete="email" required>
    <button class="button plain">${say(texts, 'paid.secure_button')}</button></form></section>`;
}

/** The tokens, which are shown once. Each is one line that scrolls: a click selects all of it, and with the script it has a copy button. */
function tokenBoxes(texts: Texts, { access, assertion, lastDay }: Tokens, guide: string): Html {
  const token = (id: string, name: string, value: string) =>
    html`<pre class="secret one-line" id="${id}" tabindex="0" aria-label="${name}">${value}</pre>`;
  return html`<section aria-labelledby="tokens"><h2 id="tokens">${say(texts, 'paid.for_programs')}</h2>
    <p class="note"><strong>${say(texts, 'paid.copy_now')}</strong></p>
    <h3>${say(texts, 'paid.access')}</h3>
    ${token('token', texts.text('paid.access'), access)}
    <p class="small">${say(texts, 'paid.access_text', { header: html`<code>Authorization: Bearer</code>` })}</p>
    <h3>${say(texts, 'paid.recovery')}</h3>
    ${token('assertion', texts.text('paid.recovery'), assertion)}
    <p class="small">${say(texts, 'paid.recovery_text', { day: texts.dayOf(lastDay), link: html`<a href="${guide}">${say(texts, 'paid.recovery_link')}</a>` })}</p>
  </section>`;
}
