import { Hono } from 'hono';
import * as SignedReceipt from '../../identity/signed-receipt.ts';
import * as Receipts from '../../journeys/receipts.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Reversal from '../../payment/reversal.ts';
import { type Env, owned, requestId, send } from '../edge.ts';
import * as Payment from '../pages/payment.ts';
import * as Page from '../pages/receipt.ts';
import { error, json } from '../reply.ts';
import * as Visitor from '../visitor.ts';

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
    // The buyer himself sees his address on it; whoever else was given the receipt does not.
    const isBuyer = (await Visitor.of(shop, c))?.account === signed.account;
    const email = isBuyer ? ((await shop.accounts.find(signed.account))?.email ?? null) : null;
    const refunded = Money.format(await refundedOf(shop, signed));
    const { catalog } = shop;
    return Payment.respond(
      200,
      catalog.storefront.name,
      Page.receipt({ signed, jws, refunded, email }, catalog),
    );
  });

  return app;
}

/** What went back of the purchase of a receipt, as last seen. */
async function refundedOf(shop: Shop, signed: SignedReceipt.Signed): Promise<Money.Money> {
  const paid = signed.kind === 'purchase' ? Money.parse(signed.amount_usd) : null;
  if (signed.kind !== 'purchase' || paid === null) return Money.zero;
  return Reversal.total(await shop.orders.reversalsOf(signed.purchase), paid);
}
