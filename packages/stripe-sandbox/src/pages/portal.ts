import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Env } from '../api.ts';
import { taxIdsOf } from '../objects/checkout-payer.ts';
import * as Customer from '../objects/customer.ts';
import { invoices } from '../objects/invoice.ts';
import { featuresOf } from '../objects/portal-configuration.ts';
import * as PortalSession from '../objects/portal-session.ts';
import { products } from '../objects/product.ts';
import * as Subscription from '../objects/subscription.ts';
import * as TestClock from '../objects/test-clock.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import { addressOf } from '../tax.ts';
import * as CardForm from './card-form.ts';
import { countryOptions } from './countries.ts';
import { everySoOften, formatAmount, formatDay, type Html, layout, noticePage } from './layout.ts';
import { cardSection, changeCard } from './portal-card.ts';

type Answer = Response | Promise<Response>;

/** The page on which a customer ends a subscription with its period or resumes it, changes the card and the details on invoices, and reads invoices. */
export function portal(app: Hono<Env>, acted: (deed: (ctx: RequestContext) => Answer) => Answer): void {
  app.get('/portal/:session', (c) => acted((ctx) => show(c, ctx)));
  app.post('/portal/:session/details', async (c) => {
    const given = CardForm.typed(await c.req.parseBody());
    return acted((ctx) => changeDetails(c, ctx, given));
  });
  app.post('/portal/:session/card', async (c) => {
    const typed = CardForm.typed(await c.req.parseBody());
    return acted((ctx) => replaceCard(c, ctx, typed));
  });
  app.post('/portal/:session/:subscription', async (c) => {
    const { leaves } = await c.req.parseBody();
    return acted((ctx) => change(c, ctx, leaves === 'yes'));
  });
}

function show(c: Context<Env>, ctx: RequestContext): Answer {
  const session = sessionOf(c, ctx);
  return session === undefined ? nothingHere(c) : c.html(portalPage(ctx, session));
}

function change(c: Context<Env>, ctx: RequestContext, leaves: boolean): Answer {
  const session = sessionOf(c, ctx);
  const subscription = subscriptionsOf(ctx, session).find(({ id }) => id === c.req.param('subscription'));
  if (session === undefined || subscription === undefined) return nothingHere(c);
  if (!featuresOf(ctx, session.configuration as string).subscription_cancel.enabled) return nothingHere(c);
  const at = TestClock.at(ctx, subscription.test_clock);
  const wanted = leaves ? Subscription.leaving(at, subscription) : Subscription.staying(subscription);
  if (subscription.cancel_at_period_end !== leaves) Subscription.update(at, subscription.id, wanted);
  return c.redirect(`/c/portal/${session.id}`, 303);
}

/** Changes what the configuration allows: the name, the place and the tax id. */
function changeDetails(c: Context<Env>, ctx: RequestContext, given: CardForm.Typed): Answer {
  const session = sessionOf(c, ctx);
  if (session === undefined) return nothingHere(c);
  const { enabled, allowed_updates: allowed } = featuresOf(
    ctx,
    session.configuration as string,
  ).customer_update;
  if (!enabled) return nothingHere(c);
  const { business: name, country, postal_code, tax_id } = given;
  const isPlace = allowed.includes('address') && /^[A-Z]{2}$/.test(country);
  const customer = Customer.update(ctx, Customer.getCustomer(ctx, session.customer), {
    ...(allowed.includes('name') && name !== '' && { name }),
    ...(isPlace && { address: addressOf({ country, postal_code: postal_code || null }) }),
  });
  if (allowed.includes('tax_id'))
    Store.put(ctx.store, Customer.customers, { ...customer, _tax_ids: taxIdsOf(tax_id || null) });
  return c.redirect(`/c/portal/${session.id}`, 303);
}

function replaceCard(c: Context<Env>, ctx: RequestContext, typed: CardForm.Typed): Answer {
  const session = sessionOf(c, ctx);
  if (session === undefined) return nothingHere(c);
  if (!featuresOf(ctx, session.configuration as string).payment_method_update.enabled) return nothingHere(c);
  const faults = changeCard(ctx, session, subscriptionsOf(ctx, session), typed);
  if (Object.keys(faults).length > 0) return c.html(portalPage(ctx, session, faults), 422);
  return c.redirect(`/c/portal/${session.id}`, 303);
}

function sessionOf(c: Context<Env>, ctx: RequestContext): PortalSession.PortalSession | undefined {
  const session = Store.get(ctx.store, PortalSession.portalSessions, c.req.param('session') ?? '');
  return session === undefined || PortalSession.isOver(session, ctx.now) ? undefined : session;
}

function nothingHere(c: Context<Env>): Answer {
  return c.html(noticePage('Page not found', 'This link is no longer open. Go back to the shop.'), 404);
}

function subscriptionsOf(
  ctx: RequestContext,
  session?: PortalSession.PortalSession,
): Subscription.Subscription[] {
  return Store.all(ctx.store, Subscription.subscriptions).filter(
    (subscription) => subscription.customer === session?.customer && Subscription.isLive(subscription),
  );
}

function portalPage(
  ctx: RequestContext,
  session: PortalSession.PortalSession,
  faults: CardForm.Faults = {},
): Html {
  const subscriptions = subscriptionsOf(ctx, session);
  const features = featuresOf(ctx, session.configuration as string);
  return layout(
    'Your subscriptions',
    html`<main class="panel notice">
      ${session.return_url ? html`<p><a href="${session.return_url}">Back to the shop</a></p>` : ''}
      <h1>Your subscriptions</h1>
      ${subscriptions.length === 0 ? html`<p>There is none.</p>` : ''}
      ${subscriptions.map((subscription) => row(ctx, session, subscription, features.subscription_cancel.enabled))}
      ${features.payment_method_update.enabled ? cardSection(ctx, session, subscriptions, faults) : ''}
      ${features.customer_update.enabled ? details(ctx, session) : ''}
      ${features.invoice_history.enabled ? invoiceList(ctx, session) : ''}
    </main>`,
  );
}

function row(
  { store }: RequestContext,
  session: PortalSession.PortalSession,
  subscription: Subscription.Subscription,
  canCancel: boolean,
): Html {
  const { id, items, currency, cancel_at_period_end: leaves } = subscription;
  const names = items.data.map(
    ({ price }) => Store.get(store, products, price.product)?.name ?? 'Subscription',
  );
  const amount = items.data.reduce((sum, { price, quantity }) => sum + price.unit_amount * quantity, 0);
  const end = formatDay(Subscription.period(subscription).end);
  const price = formatAmount(amount, currency);
  const recurring = items.data[0]?.price.recurring;
  const every = recurring ? ` ${everySoOften(recurring)}` : '';
  return html`<section class="plan">
    <p><strong>${names.join(', ')}</strong> <span>${leaves ? `Ends on ${end}` : `${price}${every}, renews on ${end}`}</span></p>
    ${
      canCancel
        ? html`<form method="post" action="/c/portal/${session.id}/${id}">
      <button type="submit" class="second" name="leaves" value="${leaves ? 'no' : 'yes'}">
        ${leaves ? 'Keep it' : 'Cancel at its end'}
      </button>
    </form>`
        : ''
    }
  </section>`;
}

function details(ctx: RequestContext, { id, customer }: PortalSession.PortalSession): Html {
  const { name, address, _tax_ids } = Customer.getCustomer(ctx, customer);
  const field = (field: CardForm.Field, label: string, value: string | null | undefined) =>
    html`<div class="field"><label for="${field}">${label}</label><input id="${field}" name="${field}" value="${value ?? ''}" /></div>`;
  return html`<section class="plan"><h2>Details on invoices</h2>
    <p><span>${[name, address?.country].filter(Boolean).join(', ') || 'None'}</span></p>
    <details><summary>Change the details</summary><form method="post" action="/c/portal/${id}/details">
      ${field('business', 'Name or company', name)}
      <div class="field"><label for="country">Country</label><select id="country" name="country">${countryOptions(address?.country ?? '')}</select></div>
      ${field('postal_code', 'Postal code', address?.postal_code)}${field('tax_id', 'VAT id', _tax_ids[0]?.value)}
      <button type="submit">Save</button>
    </form></details>
  </section>`;
}

function invoiceList(ctx: RequestContext, { customer }: PortalSession.PortalSession): Html {
  const all = Store.all(ctx.store, invoices).filter(
    (one) => one.customer === customer && one.status !== 'draft',
  );
  const newest = all.toReversed().toSorted((a, b) => b.created - a.created);
  return html`<section class="plan"><h2>Invoices</h2>${newest.map(
    (one) =>
      html`<p><a href="/c/invoice/${one.id}">${formatDay(one.created)}</a> <span>${formatAmount(one.total, one.currency)}, ${one.status}</span></p>`,
  )}</section>`;
}
