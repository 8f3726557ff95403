import { Hono } from 'hono';
import * as SignedReceipt from '../../identity/signed-receipt.ts';
import * as Receipts from '../../journeys/receipts.ts';
import type { Shop } from '../../journeys/shop.ts';
import { type Env, owned, requestId, send } from '../edge.ts';
import * as Payment from '../pages/payment.ts';
import * as Page from '../pages/receipt.ts';
import { error, json } from '../reply.ts';

const noStore = { 'cache-control': 'no-store' };

/** What was paid, signed: as a list for the account, and each as a page for whoever holds it. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/account/receipts', (c) =>
    owned(shop, c, async (account) => {
      const page = await Receipts.list(shop, account, c.req.query('cursor') ?? null);
      return json(200, { success: true, ...page }, noStore);
    }),
  );

  // The signature is the key: nobody can ask for a receipt that he was not given.
  app.get('/receipts/:jws', async (c) => {
    const jws = c.req.param('jws');
    const signed = await SignedReceipt.verify(shop.desk.ring, jws);
    if (signed === null)
      return send(c, error(404, 'not_found', 'This is no receipt of this shop.', requestId(c)));
    const shopName = shop.catalog.storefront.name;
    return Payment.respond(200, shopName, Page.receipt(signed, shopName, jws));
  });

  return app;
}
