import { html } from 'hono/html';
import * as Customer from '../objects/customer.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import type { PortalSession } from '../objects/portal-session.ts';
import * as Subscription from '../objects/subscription.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as CardForm from './card-form.ts';
import type { Html } from './layout.ts';

/** The card that pays the subscriptions of a customer, with the form that replaces it. `faults` belong to a form that was refused. */
export function cardSection(
  ctx: RequestContext,
  { id, customer }: PortalSession,
  subscriptions: readonly Subscription.Subscription[],
  faults: CardForm.Faults = {},
): Html {
  const { email, invoice_settings } = Customer.getCustomer(ctx, customer);
  const method = subscriptions[0]?.default_payment_method ?? invoice_settings.default_payment_method;
  const card = Store.get(ctx.store, PaymentMethod.paymentMethods, String(method ?? ''))?.card;
  const field = (name: CardForm.Field, label: string, value = '') =>
    html`<div class="field"><label for="card-${name}">${label}</label>
      <input id="card-${name}" name="${name}" value="${value}" required ${faults[name] ? html`aria-invalid="true" aria-describedby="card-${name}-fault"` : ''} />
      ${faults[name] ? html`<p class="fault" id="card-${name}-fault">${faults[name]}</p>` : ''}</div>`;
  return html`<section class="plan"><h2>Card</h2>
    <p><span>${card ? html`<span class="brand">${card.brand}</span> ending in ${card.last4}` : 'No card'}</span>
      ${card ? html`<span>${String(card.exp_month).padStart(2, '0')} / ${card.exp_year}</span>` : ''}</p>
    <details ${Object.keys(faults).length > 0 ? 'open' : ''}><summary>Change the card</summary>
      <form method="post" action="/c/portal/${id}/card">
        <input type="hidden" name="email" value="${email ?? ''}" />
        ${field('number', 'Card number')} ${field('expiry', 'Expiry')} ${field('cvc', 'Security code')}
        ${field('name', 'Name on card')}
        <button type="submit">Save the card</button>
      </form>
    </details>
  </section>`;
}

/** Lets the card of a form pay the customer's subscriptions from now on. Returns the faults of a form that is refused. */
export function changeCard(
  ctx: RequestContext,
  { customer }: PortalSession,
  subscriptions: readonly Subscription.Subscription[],
  typed: CardForm.Typed,
): CardForm.Faults {
  const checked = CardForm.check(typed, ctx.now, { address: false, company: false });
  if ('faults' in checked) return checked.faults;
  const { id } = PaymentMethod.attach(ctx, PaymentMethod.create(ctx, checked.payer), customer);
  Customer.update(ctx, Customer.getCustomer(ctx, customer), { default_payment_method: id });
  for (const one of subscriptions) Subscription.update(ctx, one.id, { default_payment_method: id });
  return {};
}
