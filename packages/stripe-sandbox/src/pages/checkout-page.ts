import { html } from 'hono/html';
import type { CheckoutSession } from '../objects/checkout-session.ts';
import * as Period from '../objects/period.ts';
import { type Faults, type Field, fields, type Typed } from './card-form.ts';
import { countryOptions } from './countries.ts';
import { everySoOften, formatAmount, formatDay, type Html, layout } from './layout.ts';

/** The state in which the form is shown again. */
export type Shown = {
  /** The values to fill in; the number and the security code are never shown again. */
  typed: Pick<Typed, 'email' | 'expiry' | 'name'> & Partial<Typed>;
  /** The email is the shop's to say, not the payer's to change. */
  isEmailFixed: boolean;
  faults: Faults;
  /** Why the last try did not succeed. */
  declined: string | null;
  /** In seconds: a plan that begins now renews one period later. */
  now: number;
};

const labels: Record<Field, string> = {
  email: 'Email',
  number: 'Card number',
  expiry: 'Expiry',
  cvc: 'Security code',
  name: 'Name on card',
  country: 'Country',
  postal_code: 'Postal code',
  business: 'Company name',
  tax_id: 'VAT id',
};

const testCards = [
  ['4242 4242 4242 4242', 'succeeds'],
  ['4000 0025 0000 3155', 'requires 3-D Secure'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 9995', 'is declined: insufficient funds'],
  ['4000 0000 0000 7080', 'is paid four days later'],
  ['4000 0000 0000 0341', 'succeeds, renewals are declined'],
  ['4000 0000 0000 0259', 'succeeds, then is disputed'],
] as const;

const optionalMark = html` <span class="note">(optional)</span>`;
/** The page on which a person pays a session. `business`: the name of the shop; null for one that has none, which is called by its host. */
export function checkoutPage(session: CheckoutSession, shown: Shown, business: string | null): Html {
  const isSetup = session.mode === 'setup';
  const total = isSetup ? '' : formatAmount(session.amount_total ?? 0, session.currency);
  const isPlan = session.mode === 'subscription';
  const amount = session.automatic_tax.enabled ? `${total} plus tax` : total;
  const deed = isSetup ? 'Save card' : isPlan ? `Subscribe for ${amount}` : `Pay ${amount}`;
  const shop = business ?? new URL(session.success_url).host;
  const message = session.custom_text.submit?.message;
  return layout(
    isSetup ? `Save a card with ${shop}` : `Pay ${total} to ${shop}`,
    html`<main class="checkout">
      <section class="summary" aria-labelledby="total">
        ${session.cancel_url ? html`<a class="back" href="${session.cancel_url}">Cancel and go back</a>` : ''}
        <h1 id="total"><span class="to">${isSetup ? 'Save a card with' : 'Pay'} ${shop}</span> <span class="total">${total}</span></h1>
        <ul class="lines">
          ${session._line_items.map((line) => lineRow(line, shown.now))}
          ${session.automatic_tax.enabled ? html`<li><span class="what">Tax</span><span class="amount note">depends on your country</span></li>` : ''}
        </ul>
        ${isSetup && message ? html`<ul class="terms">${sentences(message).map((one) => html`<li>${one}</li>`)}</ul>` : ''}
        ${isPlan ? html`<p class="note">It renews until you cancel. You can cancel at any time.</p>` : ''}
      </section>
      <section class="panel" aria-labelledby="by-card">
        <h2 id="by-card">${isSetup ? 'Your card' : 'Pay by card'}</h2>
        ${alert(shown)}
        <form method="post" action="/c/pay/${session.id}" novalidate>
          ${input('email', shown, {
            type: 'email',
            autocomplete: 'email',
            value: shown.typed.email,
            isFixed: shown.isEmailFixed,
          })}
          ${input('number', shown, { autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234', isNumeric: true })}
          <div class="pair">
            ${input('expiry', shown, {
              autocomplete: 'cc-exp',
              placeholder: 'MM / YY',
              value: shown.typed.expiry,
              isNumeric: true,
            })}
            ${input('cvc', shown, { autocomplete: 'cc-csc', placeholder: 'CVC', isNumeric: true })}
          </div>
          ${input('name', shown, { autocomplete: 'cc-name', value: shown.typed.name })}
          ${billing(session, shown)}
          ${isSetup || !message ? '' : html`<p class="note">${message}</p>`}
          <button type="submit">${deed}</button>
        </form>
      </section>
      <section class="test-cards" aria-labelledby="test-cards">
        <h2 id="test-cards">Test cards</h2>
        <dl>
          ${testCards.map(([number, what]) => html`<div><dt>${number}</dt><dd>${what}</dd></div>`)}
        </dl>
        <p>Use any future date, any security code and any name.</p>
      </section>
    </main>`,
  );
}

/** Fields for the billing address and the company, where the session asks for them. */
function billing(session: CheckoutSession, shown: Shown): Html | '' {
  const asksAddress = session.billing_address_collection === 'required';
  const asksTaxId = session.tax_id_collection?.enabled === true;
  const optional = (field: Field, autocomplete: string, placeholder = '') =>
    input(field, shown, { autocomplete, placeholder, value: shown.typed[field] ?? '', isOptional: true });
  const company = html`${optional('business', 'organization')}${optional('tax_id', 'off', 'DE123456789')}`;
  const postalCode = optional('postal_code', 'postal-code');
  if (!asksAddress) {
    if (!asksTaxId) return '';
    const isOpen = (['business', 'tax_id', 'country'] as const).some((field) => shown.typed[field]);
    return html`<details ${isOpen ? 'open' : ''}><summary>Buy for a company</summary>
      ${company}${countryField(shown, true)}${postalCode}</details>`;
  }
  return html`${countryField(shown, false)}
    ${postalCode}${asksTaxId ? company : ''}`;
}

/** A list of all countries, by their English names. */
function countryField({ typed, faults }: Shown, isOptional: boolean): Html {
  const fault = faults.country;
  return html`<div class="field">
    <label for="country">${labels.country}${isOptional ? optionalMark : ''}</label>
    <select id="country" name="country" autocomplete="country" ${isOptional ? '' : html`required`}
      ${fault === undefined ? '' : html`aria-invalid="true" aria-describedby="country-fault"`}>
      ${countryOptions(typed.country ?? '')}
    </select>
    ${fault === undefined ? '' : html`<p class="fault" id="country-fault">${fault}</p>`}
  </div>`;
}

/** The sentences of a message: each is a row of the terms. */
function sentences(message: string): string[] {
  return message.split(/(?<=\.)\s+/);
}

function lineRow(line: CheckoutSession['_line_items'][number], now: number): Html {
  const { description, quantity, amount_total, currency, price, _note } = line;
  const { recurring } = price;
  return html`<li>
    <span class="what">${description}${quantity > 1 ? html` <span class="quantity">× ${quantity}</span>` : ''}
      ${_note === null ? '' : html`<span class="note">${_note}</span>`}</span>
    <span class="amount">${formatAmount(amount_total, currency)}
      ${recurring === null ? '' : html`<span class="note">${everySoOften(recurring)}, next on ${formatDay(Period.beginningAt(now, now, recurring).end)}</span>`}</span>
  </li>`;
}

function alert({ faults, declined }: Shown): Html | '' {
  const wrong = fields.filter((field) => faults[field] !== undefined);
  if (wrong.length > 0) {
    return html`<div class="alert" role="alert" tabindex="-1" autofocus>
      <p><strong>Please check ${wrong.length === 1 ? 'one field' : `${wrong.length} fields`}.</strong></p>
      <ul>${wrong.map((field) => html`<li><a href="#${field}">${labels[field]}</a></li>`)}</ul>
    </div>`;
  }
  if (declined === null) return '';
  const advice = /try again/i.test(declined) ? '' : ' Try again, or use another card.';
  return html`<div class="alert" role="alert">
    <p><strong>You have not been charged.</strong></p>
    <p>${declined}${advice}</p>
  </div>`;
}

/** The field that the reason of a decline is about. */
function blamedField(declined: string): 'number' | 'cvc' | 'expiry' {
  if (/security code/i.test(declined)) return 'cvc';
  return /expir/i.test(declined) ? 'expiry' : 'number';
}

const again: Partial<Record<Field, string>> = {
  number: 'Enter the card number again.',
  cvc: 'Enter the card number again, with its security code.',
  expiry: 'Check the date, or use another card.',
};

type Look = {
  autocomplete: string;
  type?: string;
  placeholder?: string;
  value?: string;
  isNumeric?: true;
  isFixed?: boolean;
  isOptional?: true;
};

function input(field: Field, { faults, declined }: Shown, look: Look): Html {
  // A declined card has to be entered again; the field that it was declined for is marked.
  const blamed = declined === null ? null : blamedField(declined);
  const isAgain = blamed === field;
  const fault = faults[field] ?? (isAgain ? again[field] : undefined);
  return html`<div class="field">
    <label for="${field}">${labels[field]}${look.isOptional ? optionalMark : ''}</label>
    <input id="${field}" name="${field}" type="${look.type ?? 'text'}" autocomplete="${look.autocomplete}"
      value="${look.value ?? ''}" placeholder="${look.placeholder ?? ''}" ${look.isOptional ? '' : 'required'}
      ${look.isNumeric ? html`inputmode="numeric"` : ''} ${look.isFixed ? html`readonly` : ''}
      ${fault === undefined ? '' : html`aria-describedby="${field}-fault"`} ${fault === undefined ? '' : html`aria-invalid="true"`}
      ${isAgain ? html`autofocus` : ''} />
    ${fault === undefined ? '' : html`<p class="fault" id="${field}-fault">${fault}</p>`}
  </div>`;
}
