import { Hono } from 'hono';
import type { CatalogContext } from '../../catalog/catalog-context.ts';
import * as SignedReceipt from '../../identity/signed-receipt.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as Receipts from '../../journeys/receipts.ts';
import type { BillingRecord } from '../../payment/billing-details.ts';
import type { PaymentContext } from '../../payment/payment-context.ts';
import type { TextsContext } from '../../text/texts-context.ts';
import { actionOf, routeOf } from '../account-rights.ts';
import { errorPage } from '../fault-page.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as Payment from '../pages/payment.ts';
import * as Page from '../pages/receipt.ts';
import { may, roleDenial } from '../pages/visitor-rights.ts';
import { error, json } from '../reply.ts';
import { type Call, type Env, owned, requestId, send } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };

/** Signed receipts: the list of an account, and a page for each receipt. */
export function receiptsRoutes(
  shop: CallerContext &
    Receipts.ReceiptContext &
    Pick<CatalogContext, 'catalog'> &
    Pick<PaymentContext, 'processor'> &
    TextsContext & { readonly billingDetails: BillingRecord },
): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account/receipts', (c) =>
    owned(shop, c, async (account) => {
      const page = await Receipts.list(shop, account, c.req.query('cursor') ?? null);
      return json(200, { success: true, ...page }, noStore);
    }),
  );

  // Pages link to this route, so it also accepts a browser session.
  app.get('/account/receipts/:purchase/invoice', async (c) => {
    const visitor = await BrowserSession.readSession(shop, c);
    if (visitor !== null) {
      const denied = roleDenial(shop, visitor, actionOf(routeOf(c)));
      if (denied !== null) return errorPage(shop, { status: 403, message: denied });
      const url = await Receipts.invoicePage(shop, visitor.account, c.req.param('purchase'));
      return url === null ? send(c, noInvoice(c)) : c.redirect(url, 303);
    }
    return owned(shop, c, async (account) => {
      const url = await Receipts.invoicePage(shop, account, c.req.param('purchase'));
      return url === null ? noInvoice(c) : json(200, { success: true, invoice_url: url }, noStore);
    });
  });

  // The address has the signed receipt, or a code that only the shop can compute: others cannot open it.
  app.get('/receipts/:jws', async (c) => {
    const asked = c.req.param('jws');
    const jws = (await Receipts.ofLink(shop, asked)) ?? asked;
    const signed = await SignedReceipt.verify(shop.tokenVerifier.ring, jws);
    if (signed === null)
      return send(c, error(404, 'not_found', shop.texts.text('api.not_found.receipt'), requestId(c)));
    const visitor = await BrowserSession.readSession(shop, c);
    const reader = visitor !== null && may(visitor, 'read_billing') ? visitor.account : null;
    const email = await Receipts.buyerEmail(shop, signed, reader);
    const details = await Receipts.buyerDetails(shop, signed, reader);
    const parts = await Receipts.partsOf(shop, signed);
    const card = await Receipts.buyerCard(shop, signed, reader);
    const isBuyer = reader === signed.account;
    const page = Page.receipt(
      shop.texts,
      { signed, jws, parts, email, details, card, isBuyer },
      shop.catalog,
    );
    return Payment.respond(200, shop, page);
  });

  return app;
}

function noInvoice(c: Call) {
  return error(404, 'not_found', c.get('texts').text('api.not_found.invoice'), requestId(c));
}
