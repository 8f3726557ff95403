import * as Money from '@sluice/kernel/money';
import { withoutBudget } from '@sluice/kernel/statement-deadline';
import { Hono } from 'hono';
import type { IdentityContext } from '../../../identity/identity-context.ts';
import { balance } from '../../../journeys/balance.ts';
import * as Checkout from '../../../journeys/checkout.ts';
import * as PurchaseTokens from '../../../journeys/purchase-tokens.ts';
import { session } from '../../../journeys/registration.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import { type Order, ownAccount, payerKnownMs } from '../../../payment/order.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { type Call, type Env, isConnected } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Cookies from '../cookies.ts';
import type * as Frame from '../frame.ts';
import * as PaymentPage from '../payment.ts';

/** Identifies the browser that opened a card page, until it can no longer return from it and get its tokens. */
const payer: Cookies.Cookie = {
  name: 'sluice_checkout',
  maxAgeSeconds: payerKnownMs / 1_000,
  sameSite: 'Lax',
};

type CheckoutPagesContext = CheckoutContext & IdentityContext & Pick<LedgerContext, 'statements'>;

/** The pages before and after the hosted card page. */
export function checkoutPages(shop: CheckoutPagesContext): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.get('/checkout/:id', async (c) => {
    if (c.req.method === 'HEAD') return onlyHead();
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c)) ?? Checkout.newBrowser();
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), browser, false);
    if (opened.kind !== 'redirect') return notOpened(shop, opened, c.req.param('id'), remember(browser));
    const headers = { location: opened.url, 'cache-control': 'no-store', ...remember(browser) };
    return new Response(null, { status: 303, headers });
  });

  app.use('/checkout/:id', BrowserSession.guard(shop));
  app.post('/checkout/:id', async (c) => {
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c)) ?? Checkout.newBrowser();
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), browser, true);
    if (opened.kind !== 'redirect') return notOpened(shop, opened, c.req.param('id'), remember(browser));
    // The policy `form-action` would stop a redirect after a form.
    const more = { ...remember(browser), refresh: `0; url=${opened.url}` };
    return PaymentPage.respond(200, shop, PaymentPage.toCardPage(texts, opened.url), more);
  });

  app.get('/purchases/:id/cancelled', (c) =>
    PaymentPage.respond(
      200,
      shop,
      PaymentPage.cancelled(texts, `${shop.publicUrl}/checkout/${c.req.param('id')}`),
    ),
  );

  app.get('/purchases/:id/return', async (c) => {
    if (c.req.method === 'HEAD') return onlyHead();
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c));
    const session = c.req.query('session') ?? '';
    const returned = await Checkout.comeBack(shop, c.req.param('id'), session, browser);
    switch (returned.kind) {
      case 'unknown':
        return PaymentPage.respond(404, shop, PaymentPage.unknown(texts));
      case 'pending':
        return PaymentPage.respond(
          202,
          shop,
          returned.isSlow ? PaymentPage.slow(texts) : PaymentPage.pending(texts),
        );
      case 'paid':
        // Only an order that an account made for itself has a return URL.
        if (returned.order.returnUrl !== null) return c.redirect(returned.order.returnUrl, 303);
        return returned.isPayer && browser !== null
          ? await paid(shop, c, returned.order, returned.account, browser)
          : PaymentPage.respond(200, shop, PaymentPage.alreadyPaid(texts));
    }
  });
  return app;

  function remember(browser: string): { 'set-cookie': string } {
    return { 'set-cookie': Cookies.setCookie(shop, payer, browser) };
  }
}

/** The page for a payment link that does not lead to a card page. */
function notOpened(
  shop: Frame.PageContext,
  opened: Exclude<Checkout.CheckoutResult, { kind: 'redirect' }>,
  id: string,
  cookie: { 'set-cookie': string },
): Response {
  const { texts } = shop;
  switch (opened.kind) {
    case 'elsewhere':
      return PaymentPage.respond(
        409,
        shop,
        PaymentPage.elsewhere(texts, `/checkout/${encodeURIComponent(id)}`),
      );
    case 'paid':
      return PaymentPage.respond(200, shop, PaymentPage.alreadyPaid(texts));
    case 'pending':
      return PaymentPage.respond(
        202,
        shop,
        opened.isSlow ? PaymentPage.slow(texts) : PaymentPage.pending(texts),
      );
    case 'gone':
      return PaymentPage.respond(410, shop, PaymentPage.expired(texts));
    case 'away':
      // The card page may already belong to this browser, so the next attempt needs the cookie.
      return PaymentPage.respond(503, shop, PaymentPage.unavailable(texts), cookie);
    case 'subscribed':
      return PaymentPage.respond(409, shop, PaymentPage.subscribed(texts));
    case 'unknown':
      return PaymentPage.respond(404, shop, PaymentPage.unknown(texts));
  }
}

/** Responds to HEAD. Link scanners must not open a card page or use up the one display of the tokens. */
function onlyHead(): Response {
  return new Response(null, { headers: { 'cache-control': 'no-store' } });
}

/** Shows the payer the paid amount and, once, the tokens of the account that the payment created. */
async function paid(
  shop: CheckoutPagesContext,
  c: Call,
  order: Order,
  account: string,
  browser: string,
): Promise<Response> {
  const evidence = PurchaseTokens.browserEvidence(browser);
  // Tokens are issued once, so what can fail comes before.
  const left = await balance(shop, account);
  const tokens = await withoutBudget(() => PurchaseTokens.issue(shop, order, evidence, () => isConnected(c)));
  const { texts } = shop;
  const page = PaymentPage.paid(texts, {
    amount: Money.format(order.amount),
    balance: Money.format(left),
    account,
    isOwn: account === ownAccount(order),
    tokens: tokens && {
      access: tokens.access.token,
      assertion: tokens.assertion.token,
      lastDay: new Date(tokens.assertion.claims.expiresMs).toISOString().slice(0, 10),
    },
    guide: `${shop.publicUrl}/auth.md`,
  });
  return PaymentPage.respond(200, shop, page, tokens ? await signIn(shop, c, account) : {});
}

/** Signs the payer's browser in to the new account, in a session of its own, unless it is already signed in. */
async function signIn(shop: IdentityContext, c: Call, account: string): Promise<Record<string, string>> {
  if ((await BrowserSession.readSession(shop, c)) !== null) return {};
  const { assertion } = await session(shop, account);
  return { 'set-cookie': BrowserSession.remembered(shop, assertion.token) };
}
