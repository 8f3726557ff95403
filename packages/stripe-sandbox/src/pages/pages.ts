import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Env } from '../api.ts';
import * as CardSetup from '../objects/card-setup.ts';
import * as CheckoutSession from '../objects/checkout-session.ts';
import * as Confirmation from '../objects/confirmation.ts';
import { customers } from '../objects/customer.ts';
import * as PaymentIntent from '../objects/payment-intent.ts';
import { paymentMethods } from '../objects/payment-method.ts';
import { isRefusal } from '../protocol/refusal.ts';
import type { RequestContext } from '../request-context.ts';
import { begin, finish, type Sandbox } from '../sandbox.ts';
import * as Settlement from '../settlement.ts';
import * as Store from '../store.ts';
import * as CardForm from './card-form.ts';
import { challengePage } from './challenge-page.ts';
import { checkoutPage, type Shown } from './checkout-page.ts';
import { invoicePage } from './invoice-page.ts';
import { noticePage } from './layout.ts';
import { portal } from './portal.ts';
import { style } from './style.ts';

const bodyBytesMax = 16_384;

const headers = {
  'cache-control': 'no-store',
  // No form-action: browsers hold it against the redirect to the shop that follows a payment.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The pages for a payer's browser: the hosted checkout and the bank's 3-D Secure page. Neither needs a script. */
export function pages(sandbox: Sandbox): Hono<Env> {
  const app = new Hono<Env>();
  app.use(bodyLimit({ maxSize: bodyBytesMax }));
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
  });
  app.get('/style.css', (c) => c.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }));
  app.get('/pay/:session', (c) => acted((ctx) => showSession(c, ctx)));
  app.post('/pay/:session', async (c) => {
    const form = await c.req.parseBody();
    return acted((ctx) => paySession(c, ctx, CardForm.typed(form)));
  });
  app.get('/challenge/:intent', (c) => acted((ctx) => showChallenge(c, ctx)));
  app.post('/challenge/:intent', async (c) => {
    const { outcome } = await c.req.parseBody();
    return acted((ctx) => endChallenge(c, ctx, outcome === 'complete'));
  });
  portal(app, acted);
  invoicePage(app, acted);
  return app;

  function acted(deed: (ctx: RequestContext) => Response | Promise<Response>): Response | Promise<Response> {
    const response = deed(begin(sandbox));
    finish(sandbox);
    return response;
  }
}

function showSession(c: Context<Env>, ctx: RequestContext): Response | Promise<Response> {
  const session = openSession(c, ctx);
  if (session instanceof Response || session instanceof Promise) return session;
  const lastError = CheckoutSession.intentOf(ctx, session)?.last_payment_error;
  return c.html(checkoutPage(session, blank(ctx, session, lastError?.message ?? null), ctx.businessName));
}

function paySession(
  c: Context<Env>,
  ctx: RequestContext,
  typed: CardForm.Typed,
): Response | Promise<Response> {
  const session = openSession(c, ctx);
  if (session instanceof Response || session instanceof Promise) return session;
  const fresh = blank(ctx, session, null);
  const asks = {
    address: session.billing_address_collection === 'required',
    company: session.tax_id_collection?.enabled === true,
  };
  const given = fresh.isEmailFixed ? { ...typed, email: fresh.typed.email } : typed;
  const checked = CardForm.check(given, ctx.now, asks);
  if ('faults' in checked)
    return c.html(
      checkoutPage(session, { ...fresh, typed: given, faults: checked.faults }, ctx.businessName),
      422,
    );
  const result =
    session.mode === 'setup'
      ? CardSetup.keep(ctx, session, checked.payer)
      : CheckoutSession.pay(ctx, session, checked.payer);
  if (isRefusal(result)) {
    const shown = { ...fresh, typed: given, declined: result.error.message };
    return c.html(checkoutPage(session, shown, ctx.businessName), 402);
  }
  if (result.status === 'requires_action')
    return c.redirect(Confirmation.challengeUrl(ctx.publicUrl, result.id), 303);
  return c.redirect(CheckoutSession.successUrl(session), 303);
}

/** The session of the path while it can be paid; otherwise the page that says why it cannot. */
function openSession(
  c: Context<Env>,
  ctx: RequestContext,
): CheckoutSession.CheckoutSession | Response | Promise<Response> {
  const found = Store.get(ctx.store, CheckoutSession.checkoutSessions, c.req.param('session') ?? '');
  if (found === undefined) {
    const text = 'No payment waits at this address. Start again from the shop.';
    return c.html(noticePage('Page not found', text, shopLink(ctx)), 404);
  }
  const isDue = found.status === 'open' && found.expires_at <= ctx.now;
  const session = isDue ? CheckoutSession.expire(ctx, found) : found;
  if (session.status === 'complete') {
    const back = { url: CheckoutSession.successUrl(session), label: 'Continue to the shop' };
    if (c.req.method === 'POST') return c.redirect(back.url, 303);
    return c.html(
      noticePage('Already paid', 'This payment has been made. You will not be charged again.', back),
    );
  }
  const back = session.cancel_url ? { url: session.cancel_url, label: 'Back to the shop' } : undefined;
  if (session.status === 'expired') {
    const text = 'This page is no longer open, and nothing has been charged. Start again from the shop.';
    return c.html(noticePage('Page expired', text, back), 410);
  }
  return session;
}

/** A link to the shop that opened a card page last; undefined before the first. */
function shopLink({ store }: RequestContext): { url: string; label: string } | undefined {
  const last = Store.all(store, CheckoutSession.checkoutSessions).at(-1);
  const url = last && URL.parse(last.success_url)?.origin;
  return url ? { url, label: 'Go to the shop' } : undefined;
}

function blank(
  ctx: RequestContext,
  session: CheckoutSession.CheckoutSession,
  declined: string | null,
): Shown {
  const customer = Store.get(ctx.store, customers, session.customer ?? '');
  const email = session.customer_email ?? customer?.email ?? null;
  const tried = triedWith(ctx, session);
  return {
    typed: {
      email: email ?? tried?.billing_details.email ?? '',
      expiry: tried === undefined ? '' : expiryOf(tried.card),
      name: customer?.name ?? tried?.billing_details.name ?? '',
    },
    isEmailFixed: email !== null,
    faults: {},
    declined,
    now: ctx.now,
  };
}

/** The card of the last try, which was not confirmed: the payer enters only its number and security code again. */
function triedWith(ctx: RequestContext, session: CheckoutSession.CheckoutSession) {
  const error = CheckoutSession.intentOf(ctx, session)?.last_payment_error;
  return error ? Store.get(ctx.store, paymentMethods, error.payment_method?.id ?? '') : undefined;
}

function expiryOf({ exp_month, exp_year }: { exp_month: number; exp_year: number }): string {
  return `${String(exp_month).padStart(2, '0')} / ${String(exp_year).slice(-2)}`;
}

function showChallenge(c: Context<Env>, ctx: RequestContext): Response | Promise<Response> {
  const intent = Store.get(ctx.store, PaymentIntent.paymentIntents, c.req.param('intent') ?? '');
  const method = Store.get(ctx.store, paymentMethods, intent?.payment_method ?? '');
  if (intent?.status !== 'requires_action' || method === undefined) return nothingToConfirm(c, intent);
  return c.html(challengePage(intent, method.card.last4));
}

function endChallenge(c: Context<Env>, ctx: RequestContext, passed: boolean): Response | Promise<Response> {
  const waiting = Store.get(ctx.store, PaymentIntent.paymentIntents, c.req.param('intent') ?? '');
  const intent = waiting && Confirmation.authenticate(ctx, waiting, passed);
  if (!waiting || !intent) return nothingToConfirm(c, waiting);
  Settlement.follow(ctx, intent);
  const session = Store.get(ctx.store, CheckoutSession.checkoutSessions, intent._session ?? '');
  if (session !== undefined && passed) {
    return c.redirect(CheckoutSession.successUrl(session), 303);
  }
  const back = waiting.next_action?.redirect_to_url?.return_url;
  if (!back) return c.html(noticePage(passed ? 'Confirmed' : 'Not confirmed', 'You can close this page.'));
  if (session !== undefined) return c.redirect(back, 303);
  const url = new URL(back);
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('redirect_status', passed ? 'succeeded' : 'failed');
  return c.redirect(url.href, 303);
}

/** Shows the status of a checkout that was completed elsewhere, for example in another window. */
function nothingToConfirm(
  c: Context<Env>,
  intent?: PaymentIntent.PaymentIntent,
): Response | Promise<Response> {
  if (intent?._session) return c.redirect(`/c/pay/${intent._session}`, 303);
  return c.html(noticePage('Nothing to confirm', 'No payment waits for you here.'), 404);
}
