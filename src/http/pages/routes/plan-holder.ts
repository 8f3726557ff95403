import { Hono } from 'hono';
import * as Email from '../../../identity/email.ts';
import type { RegistrationContext } from '../../../identity/identity-context.ts';
import * as PlanHolder from '../../../journeys/plan-holder.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { Subscription } from '../../../payment/subscription.ts';
import type { Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as CardPage from '../card.ts';
import * as Frame from '../frame.ts';
import * as Page from '../plan-holder.ts';
import * as SignInPage from '../sign-in.ts';

/** Lets people cancel a plan that their card pays for, even when they cannot sign in to its account. */
export function planHolderPages(
  shop: PaymentContext & PlanHolder.PlanHolderContext & Pick<RegistrationContext, 'claiming'>,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.post('/shop/plans/links', async (c) => {
    const title = texts.text('payer.title');
    const email = Email.parse((await BrowserSession.fields(c)).get('email') ?? '');
    if (shop.claiming === null || email === null) {
      const problem = texts.text(email === null ? 'sign_in.invalid_email' : 'payer.no_mail');
      return Frame.respondWithPage(422, shop, {
        title,
        main: SignInPage.signedOut(texts, shop.claiming !== null, problem),
      });
    }
    // Not awaited: the response time would reveal whether the address pays for a plan.
    PlanHolder.sendLinks(shop, email).catch((fault: unknown) =>
      shop.report('links_not_sent', { reason: String(fault) }),
    );
    return Frame.respondWithPage(200, shop, { title, main: SignInPage.linksSent(texts, email) });
  });

  app.get('/plans/manage/:key', async (c) =>
    shown(await PlanHolder.read(shop, c.req.param('key')), c.req.param('key')),
  );

  app.post('/plans/manage/:key/cancel', async (c) =>
    shown(await PlanHolder.cancel(shop, c.req.param('key')), c.req.param('key')),
  );
  return app;

  function shown(found: Subscription | null, key: string): Response {
    if (found === null) return Frame.respondWithPage(404, shop, CardPage.unknown(texts));
    return Frame.respondWithPage(200, shop, {
      title: texts.text('payer.plan_title'),
      main: Page.plan(texts, found, key),
    });
  }
}
