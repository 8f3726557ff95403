import { Hono } from 'hono';
import type { CallerContext } from '../../journeys/identification.ts';
import * as KeptCard from '../../journeys/kept-card.ts';
import * as SubscriptionCard from '../../journeys/subscription-card.ts';
import * as TopUpConsent from '../../journeys/top-up-consent.ts';
import type { CheckoutContext } from '../../payment/payment-context.ts';
import { ProcessorUnavailable } from '../../payment/processor.ts';
import * as CardPage from '../pages/card.ts';
import * as Frame from '../pages/frame.ts';
import { error, json } from '../reply.ts';
import { type Env, owned, requestId } from '../request-context.ts';

const noStore = { 'cache-control': 'no-store' };

/** Cards that are charged automatically: the consent page of auto top-up, its stop button, and a new card for a plan. */
export function cardsRoutes(shop: CallerContext & CheckoutContext): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;
  const facts = { name: shop.catalog.storefront.name, isTaxed: shop.isTaxed };

  app.post('/account/subscriptions/:id/card', (c) =>
    owned(shop, c, async (account) => {
      const page = await SubscriptionCard.openCardPage(shop, account, c.req.param('id'));
      if (page.kind === 'no_subscription')
        return error(404, 'not_found', shop.texts.text('api.not_found.renewing_subscription'), requestId(c));
      const expires_at = new Date(page.expiresMs).toISOString();
      return json(200, { success: true, card_url: page.url, expires_at }, noStore);
    }),
  );

  app.get('/auto-top-up/:id', async (c) => {
    const consent = await TopUpConsent.read(shop, c.req.param('id'));
    return respond(consent === null ? 404 : 200, CardPage.consent(texts, consent, facts, shop.clock()));
  });

  app.get('/auto-top-up/:id/card', async (c) => {
    const { id } = c.req.param();
    try {
      const url = await TopUpConsent.openPage(shop, id);
      // No URL means agreed, ended or expired; the consent page shows which.
      return new Response(null, {
        status: 303,
        headers: { ...noStore, location: url ?? `/auto-top-up/${id}` },
      });
    } catch (fault) {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
      return respond(503, CardPage.unavailable(texts));
    }
  });

  app.post('/auto-top-up/:id/stop', async (c) => {
    const consent = await TopUpConsent.stop(shop, c.req.param('id'));
    return respond(consent === null ? 404 : 200, CardPage.consent(texts, consent, facts, shop.clock()));
  });

  app.get('/cards/return', async (c) => {
    try {
      const done = await KeptCard.comeBack(shop, c.req.query('session') ?? '');
      if (done === null) return respond(404, CardPage.unknown(texts));
      if (done.kind === 'subscription') return respond(200, CardPage.subscriptionCard(texts));
      return new Response(null, {
        status: 303,
        headers: { ...noStore, location: `/auto-top-up/${done.consent}` },
      });
    } catch (fault) {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
      return respond(503, CardPage.unavailable(texts));
    }
  });

  app.get('/cards/cancelled', () => respond(200, CardPage.cancelled(texts)));
  return app;

  function respond(status: number, { title, main }: CardPage.CardPage): Response {
    return Frame.respondWithPage(status, shop, { title, main });
  }
}
