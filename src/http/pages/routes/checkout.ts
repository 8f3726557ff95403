import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import { nameOf } from '../../../catalog/plan-name.ts';
import { blockOf } from '../../../identity/address-block.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as Checkout from '../../../journeys/checkout.ts';
import * as Receipts from '../../../journeys/receipts.ts';
import { type Order, payerKnownMs, totalPaid } from '../../../payment/order.ts';
import { address, type Call, type Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Cookies from '../cookies.ts';
import * as PaymentPage from '../payment.ts';
import * as ReturnTo from '../return-to.ts';
import { may } from '../visitor-rights.ts';
import { againMs } from '../when-again.ts';
import { confirmation, type PaidPageContext } from './paid.ts';

/** Identifies the browser that opened a card page, until it can no longer return from it and get its tokens. */
const payer: Cookies.Cookie = {
  name: 'sluice_checkout',
  maxAgeSeconds: payerKnownMs / 1_000,
  sameSite: 'Lax',
};

/** The pages before and after the hosted card page. */
export function checkoutPages(shop: PaidPageContext, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;
  const from = (c: Call) => blockOf(address(c, clientAddressHeader));

  app.get('/checkout/:id', async (c) => {
    if (c.req.method === 'HEAD') return onlyHead();
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c)) ?? Checkout.newBrowser();
    const opener = await openerOf(shop, c, browser);
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), opener, false, from(c));
    if (opened.kind !== 'redirect') return notOpened(shop, c, opened, c.req.param('id'), remember(browser));
    const headers = { location: opened.url, 'cache-control': 'no-store', ...remember(browser) };
    return new Response(null, { status: 303, headers });
  });

  app.use('/checkout/:id', BrowserSession.guard(shop));
  app.post('/checkout/:id', async (c) => {
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c)) ?? Checkout.newBrowser();
    const opener = await openerOf(shop, c, browser);
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), opener, true, from(c));
    if (opened.kind !== 'redirect') return notOpened(shop, c, opened, c.req.param('id'), remember(browser));
    // The policy `form-action` would stop a redirect after a form.
    const more = { ...remember(browser), refresh: `0; url=${opened.url}` };
    return PaymentPage.respond(200, shop, PaymentPage.toCardPage(texts, opened.url), more);
  });

  app.get('/purchases/:id/cancelled', async (c) => {
    const id = c.req.param('id');
    const order = await shop.orders.find(id);
    const isOver = order !== null && !['offered', 'declined'].includes(order.state);
    // An old tab may come back after the purchase was paid elsewhere.
    if (isOver)
      return notOpened(
        shop,
        c,
        order.state === 'granted' ? { kind: 'paid' } : { kind: 'pending', isSlow: true },
        id,
      );
    const open = order && { ...boughtIn(shop, order), expiresMs: order.expiresMs };
    const page = PaymentPage.cancelled(texts, `${shop.publicUrl}/checkout/${encodeURIComponent(id)}`, open);
    return PaymentPage.respond(200, shop, page);
  });

  app.get('/purchases/:id/return', async (c) => {
    if (c.req.method === 'HEAD') return onlyHead();
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c));
    const session = c.req.query('session') ?? '';
    const returned = await Checkout.comeBack(shop, c.req.param('id'), session, browser);
    switch (returned.kind) {
      case 'unknown':
        return PaymentPage.respond(404, shop, PaymentPage.unknown(texts));
      case 'pending':
        return notOpened(shop, c, returned, c.req.param('id'));
      case 'paid':
        // Only an order that an account made for itself has a return URL.
        if (returned.order.returnUrl !== null)
          return c.redirect(ReturnTo.afterPayment(shop, returned.order), 303);
        return returned.isPayer && browser !== null
          ? await confirmation(shop, c, returned, browser)
          : notOpened(shop, c, { kind: 'paid' }, c.req.param('id'));
    }
  });
  return app;

  function remember(browser: string): { 'set-cookie': string } {
    return { 'set-cookie': Cookies.setCookie(shop, payer, browser) };
  }
}

/** The browser that opens a card page, with the person who is signed in. A session of no person has proved no address. */
async function openerOf(shop: PaidPageContext, c: Call, secret: string): Promise<Checkout.Opener> {
  const visitor = await BrowserSession.readSession(shop, c);
  const email = visitor === null ? null : await BillingPortal.provedAddress(shop, visitor);
  return { secret, payer: visitor === null || email === null ? null : { account: visitor.account, email } };
}

/** The plan and the amount of an order, with the tax that was paid on it. */
function boughtIn({ catalog }: Pick<PaidPageContext, 'catalog'>, order: Order): PaymentPage.Bought {
  return { plan: nameOf(catalog, order.plan), amount: Money.format(totalPaid(order)) };
}

/** The address of an order's receipt, for the browser that paid it and for one that is signed in to its account; null for others. */
async function receiptFor(
  shop: PaidPageContext,
  c: Call,
  { id, account, pageBrowser }: Order,
): Promise<string | null> {
  if (account === null) return null;
  const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c));
  const isPayer = browser !== null && Checkout.isPageOf({ pageBrowser }, browser);
  if (!isPayer) {
    const visitor = await BrowserSession.readSession(shop, c);
    if (visitor?.account !== account || !may(visitor, 'read_billing')) return null;
  }
  return (await Receipts.ofPurchase(shop, account, id))?.url ?? null;
}

/** The page for a payment link that does not lead to a card page. */
async function notOpened(
  shop: PaidPageContext,
  c: Call,
  opened: Exclude<Checkout.CheckoutResult, { kind: 'redirect' }>,
  id: string,
  cookie: { 'set-cookie'?: string } = {},
): Promise<Response> {
  const { texts } = shop;
  const order = ['paid', 'pending'].includes(opened.kind) ? await shop.orders.find(id) : null;
  const bought = order && boughtIn(shop, order);
  switch (opened.kind) {
    case 'elsewhere':
      return PaymentPage.respond(
        409,
        shop,
        PaymentPage.elsewhere(texts, `/checkout/${encodeURIComponent(id)}`),
      );
    case 'paid':
      return PaymentPage.respond(
        200,
        shop,
        PaymentPage.alreadyPaid(texts, bought, order && (await receiptFor(shop, c, order))),
      );
    case 'pending':
      return PaymentPage.respond(
        202,
        shop,
        opened.isSlow ? PaymentPage.slow(texts, bought) : PaymentPage.pending(texts, bought),
      );
    case 'gone':
      return PaymentPage.respond(410, shop, PaymentPage.expired(texts));
    case 'away':
      // The card page may already belong to this browser, so the next attempt needs the cookie.
      return PaymentPage.respond(503, shop, PaymentPage.unavailable(texts), cookie);
    case 'limited':
      return PaymentPage.respond(429, shop, PaymentPage.limited(texts, againMs(shop, opened)), {
        ...cookie,
        'retry-after': String(Math.ceil(opened.waitMs / 1_000)),
      });
    case 'subscribed':
      return PaymentPage.respond(409, shop, PaymentPage.subscribed(texts));
    case 'frozen':
    case 'closed':
      return PaymentPage.respond(
        403,
        shop,
        PaymentPage.barred(texts, opened.kind, shop.catalog.storefront.contact),
      );
    case 'unknown':
      return PaymentPage.respond(404, shop, PaymentPage.unknown(texts));
  }
}

/** Responds to HEAD. Link scanners must not open a card page or use up the one display of the tokens. */
function onlyHead(): Response {
  return new Response(null, { headers: { 'cache-control': 'no-store' } });
}
