import { Hono } from 'hono';
import * as Checkout from '../../journeys/checkout.ts';
import { session } from '../../journeys/registration.ts';
import type { Shop } from '../../journeys/shop.ts';
import * as Money from '../../kernel/money.ts';
import * as Statement from '../../ledger/statement.ts';
import { type Order, ownAccount } from '../../payment/order.ts';
import type { Env } from '../edge.ts';
import * as PaymentPage from '../pages/payment.ts';

/** What a person sees before and after the hosted card page. */
export function routes(shop: Shop): Hono<Env> {
  const app = new Hono<Env>();
  const { name } = shop.catalog.storefront;

  app.get('/checkout/:id', async (c) => {
    const opened = await Checkout.open(shop, c.req.param('id'));
    switch (opened.kind) {
      case 'redirect':
        c.header('cache-control', 'no-store');
        return c.redirect(opened.url, 303);
      case 'paid':
        return PaymentPage.respond(200, name, PaymentPage.alreadyPaid());
      case 'pending':
        return PaymentPage.respond(202, name, PaymentPage.pending());
      case 'gone':
        return PaymentPage.respond(410, name, PaymentPage.gone());
      case 'away':
        return PaymentPage.respond(503, name, PaymentPage.away());
      case 'unknown':
        return PaymentPage.respond(404, name, PaymentPage.unknown());
    }
  });

  app.get('/purchases/:id/cancelled', (c) =>
    PaymentPage.respond(200, name, PaymentPage.cancelled(`${shop.publicUrl}/checkout/${c.req.param('id')}`)),
  );

  app.get('/purchases/:id/return', async (c) => {
    const returned = await Checkout.comeBack(shop, c.req.param('id'), c.req.query('session') ?? '');
    switch (returned.kind) {
      case 'unknown':
        return PaymentPage.respond(404, name, PaymentPage.unknown());
      case 'pending':
        return PaymentPage.respond(202, name, PaymentPage.pending());
      case 'paid':
        if (returned.order.returnUrl !== null) return c.redirect(returned.order.returnUrl, 303);
        return PaymentPage.respond(200, name, await paid(shop, returned.order, returned.account));
    }
  });
  return app;
}

/** The tokens go to whoever paid for an account of their own, not to whoever paid for another's. */
async function paid(shop: Shop, order: Order, account: string): Promise<PaymentPage.Page> {
  const lots = await shop.statements.of(account);
  return PaymentPage.paid({
    amount: Money.format(order.amount),
    balance: Money.format(Money.ofMicro(Statement.remaining(lots, 'usd', shop.clock()))),
    account,
    tokens: account === ownAccount(order) ? await tokensOf(shop, account) : null,
    guide: `${shop.publicUrl}/auth.md`,
  });
}

async function tokensOf(shop: Shop, account: string) {
  const { access, assertion } = await session(shop, account);
  const lastDay = new Date(assertion.claims.expiresMs).toISOString().slice(0, 10);
  return { access: access.token, assertion: assertion.token, lastDay };
}
