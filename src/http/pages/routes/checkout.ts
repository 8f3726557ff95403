import { Hono } from 'hono';
import { blockOf } from '../../../identity/address-block.ts';
import * as Checkout from '../../../journeys/checkout.ts';
import { payerKnownMs } from '../../../payment/order.ts';
import { address, type Call, type Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Cookies from '../cookies.ts';
import type * as Frame from '../frame.ts';
import * as PaymentPage from '../payment.ts';
import * as ReturnTo from '../return-to.ts';
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
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), browser, false, from(c));
    if (opened.kind !== 'redirect') return notOpened(shop, opened, c.req.param('id'), remember(browser));
    const headers = { location: opened.url, 'cache-control': 'no-store', ...remember(browser) };
    return new Response(null, { status: 303, headers });
  });

  app.use('/checkout/:id', BrowserSession.guard(shop));
  app.post('/checkout/:id', async (c) => {
    const browser = Checkout.readBrowser(Cookies.readCookie(shop, payer, c)) ?? Checkout.newBrowser();
    const opened = await Checkout.openCheckout(shop, c.req.param('id'), browser, true, from(c));
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
        if (returned.order.returnUrl !== null)
          return c.redirect(ReturnTo.afterPayment(shop, returned.order), 303);
        return returned.isPayer && browser !== null
          ? await confirmation(shop, c, returned, browser)
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
    case 'limited':
      return PaymentPage.respond(429, shop, PaymentPage.limited(texts), {
        ...cookie,
        'retry-after': String(Math.ceil(opened.waitMs / 1_000)),
      });
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
