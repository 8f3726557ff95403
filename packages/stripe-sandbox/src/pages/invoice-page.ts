import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Env } from '../api.ts';
import * as Collection from '../billing/collection.ts';
import { checkoutSessions } from '../objects/checkout-session.ts';
import * as Confirmation from '../objects/confirmation.ts';
import * as Invoice from '../objects/invoice.ts';
import { paymentIntents } from '../objects/payment-intent.ts';
import * as PaymentMethod from '../objects/payment-method.ts';
import * as TestClock from '../objects/test-clock.ts';
import { isRefusal, type Refusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import * as Store from '../store.ts';
import * as CardForm from './card-form.ts';
import { formatAmount, formatDay, type Html, layout, noticePage } from './layout.ts';

type Answer = Response | Promise<Response>;

/** The hosted page of an invoice: its customer pays it by any card, with 3-D Secure where the bank asks for it. */
export function invoicePage(app: Hono<Env>, acted: (deed: (ctx: RequestContext) => Answer) => Answer): void {
  app.get('/invoice/:id', (c) => acted((ctx) => show(c, ctx, null)));
  app.post('/invoice/:id', async (c) => {
    const form = await c.req.parseBody();
    return acted((ctx) => pay(c, ctx, CardForm.typed(form)));
  });
}

function show(c: Context<Env>, ctx: RequestContext, problem: string | null): Answer {
  const invoice = Store.get(ctx.store, Invoice.invoices, c.req.param('id') ?? '');
  if (invoice === undefined || invoice.status === 'draft')
    return c.html(noticePage('Page not found', 'No invoice waits at this address.'), 404);
  const back = shopOf(ctx, invoice);
  const facts = factList(ctx, invoice);
  if (invoice.status !== 'open') return c.html(settled(invoice, facts, back));
  return c.html(page(invoice, facts, problem, back), problem === null ? 200 : 402);
}

function pay(c: Context<Env>, given: RequestContext, typed: CardForm.Typed): Answer {
  const invoice = Store.get(given.store, Invoice.invoices, c.req.param('id') ?? '');
  if (invoice?.status !== 'open') return show(c, given, null);
  const ctx = TestClock.at(given, invoice.test_clock);
  const checked = CardForm.check(typed, ctx.now, { address: false, company: false });
  if ('faults' in checked) return show(c, ctx, Object.values(checked.faults).join(' '));
  const method = PaymentMethod.attach(ctx, PaymentMethod.create(ctx, checked.payer), invoice.customer);
  const refusal: Refusal | null = Collection.collect(ctx, invoice, method);
  const { _intent } = Invoice.getInvoice(ctx, invoice.id);
  const intent = Store.get(ctx.store, paymentIntents, _intent ?? '');
  if (intent?.status === 'requires_action')
    return c.redirect(Confirmation.challengeUrl(ctx.publicUrl, intent.id), 303);
  return show(c, ctx, refusal !== null && isRefusal(refusal) ? refusal.error.message : null);
}

/** The shop that sold the subscription of an invoice, by the page that began it; null when none did. */
function shopOf({ store }: RequestContext, { parent }: Invoice.Invoice): string | null {
  const id = parent?.subscription_details.subscription;
  const session = Store.all(store, checkoutSessions).find(
    ({ subscription }) => id !== undefined && subscription === id,
  );
  return session === undefined ? null : new URL('/shop/account/billing', session.success_url).href;
}

/** An invoice that can no longer be paid: its amount, its lines and its status. */
function settled(invoice: Invoice.Invoice, facts: Html, back: string | null): Html {
  const { total, currency, status } = invoice;
  const title = `Invoice of ${formatAmount(total, currency)}`;
  return layout(
    title,
    html`<main class="panel notice">
      <h1>${title}</h1>
      <p>${status === 'paid' ? 'This invoice is paid.' : `This invoice is ${status}.`} There is nothing to pay.</p>
      ${facts}${lineList(invoice)}
      ${backLink(back)}
    </main>`,
  );
}

/** Lists the two parties of an invoice, its number and its dates. */
function factList({ businessName }: RequestContext, invoice: Invoice.Invoice): Html {
  const { number, created, customer_name, customer_email, customer_tax_ids, lines } = invoice;
  const row = (name: string, value: string | null | undefined) =>
    value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : '';
  const starts = lines.data.map(({ period }) => period.start);
  const ends = lines.data.map(({ period }) => period.end);
  const buyer = [customer_name, customer_email].filter(Boolean).join(', ');
  return html`<dl class="facts">${row('Number', number)}${row('Date', formatDay(created))}${row('Seller', businessName)}
    ${row('Buyer', buyer)}${row('VAT id', customer_tax_ids?.[0]?.value)}
    ${row('Period', `${formatDay(Math.min(...starts))} to ${formatDay(Math.max(...ends))}`)}</dl>`;
}

function lineList({ lines, total, currency, total_taxes }: Invoice.Invoice): Html {
  const tax = (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const row = (what: string | null, amount: number) =>
    html`<li><span class="what">${what}</span> <span class="amount">${formatAmount(amount, currency)}</span></li>`;
  return html`<ul class="lines">${lines.data.map(({ description, amount }) => row(description, amount))}
    ${tax === 0 ? '' : row('Tax', tax)}${row('Total', total)}</ul>`;
}

function backLink(back: string | null): Html | '' {
  return back === null ? '' : html`<p class="after"><a href="${back}">Back to the shop</a></p>`;
}

function page(invoice: Invoice.Invoice, facts: Html, problem: string | null, back: string | null): Html {
  const { id, amount_due, currency } = invoice;
  const total = formatAmount(amount_due, currency);
  const field = (name: CardForm.Field, label: string, placeholder = '', value = '') =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" placeholder="${placeholder}" value="${value}" required /></div>`;
  return layout(
    `Invoice of ${total}`,
    html`<main class="panel notice">
      <h1>Invoice of ${total}</h1>
      ${invoice.attempted ? html`<p>The last payment of it was declined. Pay it here with any card.</p>` : ''}
      ${facts}${lineList(invoice)}
      ${problem === null ? '' : html`<div class="alert" role="alert"><p>${problem}</p></div>`}
      <form method="post" action="/c/invoice/${id}">
        ${field('email', 'Email', '', invoice.customer_email ?? '')} ${field('number', 'Card number', '1234 1234 1234 1234')}
        <div class="pair">${field('expiry', 'Expiry', 'MM / YY')} ${field('cvc', 'Security code', 'CVC')}</div>
        ${field('name', 'Name on card')}
        <button type="submit">Pay ${total}</button>
      </form>
      ${backLink(back)}
    </main>`,
  );
}
