import { Hono } from 'hono';
import { blockOf } from '../../identity/address-block.ts';
import type { CallerContext } from '../../journeys/identification.ts';
import * as KeptCard from '../../journeys/kept-card.ts';
import * as SubscriptionCard from '../../journeys/subscription-card.ts';
import * as TopUpConsent from '../../journeys/top-up-consent.ts';
import type { CheckoutContext } from '../../payment/payment-context.ts';
import { ProcessorUnavailable } from '../../payment/processor.ts';
import type { Consent } from '../../payment/top-up-consent.ts';
import * as BrowserSession from '../pages/browser-session.ts';
import * as CardPage from '../pages/card.ts';
import * as FormResult from '../pages/form-result.ts';
import * as Frame from '../pages/frame.ts';
import * as PaymentPage from '../pages/payment.ts';
import { againMs } from '../pages/when-again.ts';
import { error, json } from '../reply.ts';
import { address, type Call, type Env, owned, requestId } from '../request-context.ts';

type ChargingContext = Parameters<typeof TopUpConsent.chargingOf>[0];

const noStore = { 'cache-control': 'no-store' };
const retryAfter = ({ waitMs }: { waitMs: number }) => ({ 'retry-after': String(Math.ceil(waitMs / 1_000)) });

/** The path of an agreement's page. The id is from the address, so it may be any text. */
const consentPage = (id: string) => `/auto-top-up/${encodeURIComponent(id)}`;

/** Cards that are charged automatically: the consent page of auto top-up, its stop button, and a new card for a plan. */
export function cardsRoutes(
  shop: CallerContext & CheckoutContext & ChargingContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.post('/account/subscriptions/:id/card', (c) =>
    owned(shop, c, async (account) => {
      const from = blockOf(address(c, clientAddressHeader));
      const page = await SubscriptionCard.openCardPage(shop, account, c.req.param('id'), from);
      if (page.kind === 'no_subscription')
        return error(404, 'not_found', shop.texts.text('api.not_found.renewing_subscription'), requestId(c));
      if (page.kind === 'limited')
        return error(
          429,
          'too_many_declines',
          shop.texts.text('api.too_many_declines'),
          requestId(c),
          {},
          retryAfter(page),
        );
      const expires_at = new Date(page.expiresMs).toISOString();
      return json(200, { success: true, card_url: page.url, expires_at }, noStore);
    }),
  );

  app.get('/cards/return', async (c) => {
    try {
      const done = await KeptCard.comeBack(shop, c.req.query('session') ?? '');
      if (done === null) return respond(shop, 404, CardPage.unknown(texts));
      if (done.kind === 'subscription') return respond(shop, 200, CardPage.subscriptionCard(texts));
      if (done.kind === 'refused') return respond(shop, 409, CardPage.notUsed(texts));
      return new Response(null, {
        status: 303,
        headers: { ...noStore, location: `/auto-top-up/${done.consent}` },
      });
    } catch (fault) {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
      return respond(shop, 503, CardPage.unavailable(texts));
    }
  });

  app.get('/cards/cancelled', () => respond(shop, 200, CardPage.cancelled(texts)));
  return app.route('/', consentRoutes(shop, clientAddressHeader));
}

/** The agreement to auto top-up: its page, its card page and its end. */
function consentRoutes(
  shop: CallerContext & CheckoutContext & ChargingContext,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.get('/auto-top-up/:id', async (c) => {
    const consent = await TopUpConsent.read(shop, c.req.param('id'));
    return showConsent(c, consent);
  });

  app.use('/auto-top-up/*', BrowserSession.guard(shop));
  // Programs that guard mailboxes open links, and each card page counts against a limit.
  app.get('/auto-top-up/:id/card', (c) => FormResult.redirect(shop, consentPage(c.req.param('id')), null));

  app.post('/auto-top-up/:id/card', (c) => openConsentPage(c, c.req.param('id')));

  app.get('/auto-top-up/:id/stop', async (c) => {
    const consent = await TopUpConsent.read(shop, c.req.param('id'));
    return consent?.state === 'agreed'
      ? respond(shop, 200, CardPage.stopping(texts, consent))
      : showConsent(c, consent);
  });

  app.post('/auto-top-up/:id/stop', async (c) => {
    const { id } = c.req.param();
    const page = consentPage(id);
    if ((await BrowserSession.fields(c)).get('confirm') !== 'yes')
      return new Response(null, { status: 303, headers: { ...noStore, location: `${page}/stop` } });
    if ((await TopUpConsent.stop(shop, id)) === null) return respond(shop, 404, CardPage.unknown(texts));
    // A reload of the page repeats nothing.
    return new Response(null, { status: 303, headers: { ...noStore, location: page } });
  });

  return app;

  async function showConsent(c: Call, consent: Consent | null): Promise<Response> {
    if (consent === null) return respond(shop, 404, CardPage.unknown(texts));
    const isOwn = (await BrowserSession.readSession(shop, c))?.account === consent.account;
    const charging = await TopUpConsent.chargingOf(shop, consent);
    const facts = { name: shop.catalog.storefront.name, isTaxed: shop.isTaxed, isOwn, charging };
    return respond(shop, 200, CardPage.consent(texts, consent, facts, shop.clock()));
  }

  async function openConsentPage(c: Call, id: string): Promise<Response> {
    try {
      const page = await TopUpConsent.openPage(shop, id, blockOf(address(c, clientAddressHeader)));
      if (page.kind === 'limited')
        return PaymentPage.respond(
          429,
          shop,
          PaymentPage.limited(texts, againMs(shop, page)),
          retryAfter(page),
        );
      // A closed one was agreed to, ended or expired; the consent page shows which.
      if (page.kind === 'closed') return FormResult.redirect(shop, consentPage(id), null);
      // The policy `form-action` would stop a redirect after a form.
      return PaymentPage.respond(200, shop, PaymentPage.toCardPage(texts, page.url), {
        refresh: `0; url=${page.url}`,
      });
    } catch (fault) {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
      return respond(shop, 503, CardPage.unavailable(texts));
    }
  }
}

function respond(shop: Frame.PageContext, status: number, { title, main }: CardPage.CardPage): Response {
  return Frame.respondWithPage(status, shop, { title, main, style: CardPage.style });
}
