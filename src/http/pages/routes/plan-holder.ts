import { Hono } from 'hono';
import { html } from 'hono/html';
import { nameOf } from '../../../catalog/plan-name.ts';
import { blockOf } from '../../../identity/address-block.ts';
import * as Email from '../../../identity/email.ts';
import type { IdentityContext, RegistrationContext } from '../../../identity/identity-context.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import * as KeptCard from '../../../journeys/kept-card.ts';
import * as PlanHolder from '../../../journeys/plan-holder.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import { ProcessorUnavailable } from '../../../payment/processor.ts';
import { type Subscription, willRenew } from '../../../payment/subscription.ts';
import { address, type Env } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as CancelPage from '../cancel.ts';
import * as CardPage from '../card.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import * as PaymentPage from '../payment.ts';
import * as Page from '../plan-holder.ts';
import * as SignInPage from '../sign-in.ts';
import { againMs } from '../when-again.ts';
import { rollsOver } from './account-cancel.ts';

const noTerms: BillingPortal.RenewalTerms = { price: null, card: null, unpaid: null };
/** Asks for the links of plans. */
const linksPath = '/shop/plans/links';
/** Confirms that links were requested. */
const linksSentPath = `${linksPath}/sent`;

type PayerContext = CheckoutContext & Pick<IdentityContext, 'accounts'>;

/** Lets people cancel a plan that their card pays for, or pay with another card, even when they cannot sign in to its account. */
export function planHolderPages(
  shop: PayerContext & PlanHolder.PlanHolderContext & Pick<RegistrationContext, 'claiming'>,
  clientAddressHeader: string | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.get(linksPath, () => linksForm(200, shop.claiming === null ? texts.text('payer.no_mail') : null));

  app.post(linksPath, async (c) => {
    const email = Email.parse((await BrowserSession.fields(c)).get('email') ?? '');
    if (shop.claiming === null || email === null) {
      const key = shop.claiming === null ? 'payer.no_mail' : 'sign_in.invalid_email';
      return linksForm(422, texts.text(key));
    }
    // Not awaited: the response time would reveal whether the address pays for a plan.
    PlanHolder.sendLinks(shop, email).catch((fault: unknown) =>
      shop.report('links_not_sent', { reason: String(fault) }),
    );
    const text = texts.text('sign_in.plan_links_sent', { email });
    return FormResult.redirect(shop, linksSentPath, { text, secret: null, isBad: false });
  });

  app.get(linksSentPath, (c) =>
    FormResult.respondOnce(
      shop,
      c,
      { title: texts.text('payer.title'), style: SignInPage.style },
      ({ text }) => SignInPage.linksSent(texts, text),
    ),
  );

  app.use('/plans/manage/*', BrowserSession.guard(shop));
  app.get('/plans/manage/:key', async (c) =>
    shown(await PlanHolder.read(shop, c.req.param('key')), c.req.param('key')),
  );

  app.get('/plans/manage/:key/cancel', async (c) => {
    const key = c.req.param('key');
    const found = await PlanHolder.read(shop, key);
    return found !== null && willRenew(found) ? question(found, key) : shown(found, key);
  });

  app.post('/plans/manage/:key/cancel', async (c) => {
    const key = c.req.param('key');
    const form = await BrowserSession.fields(c);
    if (form.get('confirm') !== 'yes') return FormResult.redirect(shop, `${planPage(key)}/cancel`, null);
    const found = await PlanHolder.cancel(shop, key);
    return found === null ? shown(null, key) : FormResult.redirect(shop, planPage(key), null);
  });

  app.route('/', payerCardPages(shop, clientAddressHeader));
  return app;

  function linksForm(status: number, problem: string | null): Response {
    return Frame.respondWithPage(status, shop, {
      title: texts.text('payer.links_title'),
      main: SignInPage.planLinks(texts, shop.claiming !== null, problem),
      style: SignInPage.style,
    });
  }

  /** Shows nothing of the account, so not what is left of the plan either. */
  function question(found: Subscription, key: string): Response {
    const page = planPage(key);
    const plan = nameOf(shop.catalog, found.plan);
    const main = CancelPage.cancel(texts, {
      plan,
      endMs: found.endMs,
      isUnpaid: found.status === 'past_due',
      left: null,
      rollsOver: rollsOver(shop.catalog, found.plan),
      form: { action: `${page}/cancel`, subscription: null },
      keep: page,
    });
    return Frame.respondWithPage(200, shop, {
      title: texts.text('cancel.title', { plan }),
      main: html`<div class="narrow">${main}</div>`,
      style: CardPage.style,
    });
  }

  async function shown(found: Subscription | null, key: string): Promise<Response> {
    if (found === null)
      return Frame.respondWithPage(404, shop, {
        ...CardPage.unknownPlan(texts, shop.claiming !== null),
        style: CardPage.style,
      });
    const mayChangeCard = await PlanHolder.mayChangeCard(shop, found);
    const terms = willRenew(found) ? await BillingPortal.renewalOf(shop, found.id) : noTerms;
    return Frame.respondWithPage(200, shop, {
      title: Page.titleOf(texts, found, shop.catalog),
      main: Page.plan(texts, found, { key, terms, catalog: shop.catalog, mayChangeCard }),
      style: CardPage.style,
    });
  }
}

/** The path of a plan's page. The key is from the address, so it may be any text. */
const planPage = (key: string) => `/plans/manage/${encodeURIComponent(key)}`;

/** The card page of a payer, and the return from it to the page of the plan. */
function payerCardPages(shop: PayerContext, clientAddressHeader: string | null): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  // Programs that guard mailboxes open links, and each card page counts against a limit.
  app.get('/plans/manage/:key/card', (c) => FormResult.redirect(shop, planPage(c.req.param('key')), null));

  app.post('/plans/manage/:key/card', async (c) => {
    const key = c.req.param('key');
    const from = blockOf(address(c, clientAddressHeader));
    return orUnavailable(async () => {
      const page = await PlanHolder.openCardPage(shop, key, from);
      if (page?.kind === 'limited')
        return PaymentPage.respond(429, shop, PaymentPage.limited(texts, againMs(shop, page)), {
          'retry-after': String(Math.ceil(page.waitMs / 1_000)),
        });
      if (page?.kind !== 'page') return FormResult.redirect(shop, planPage(key), null);
      // The policy `form-action` would stop a redirect after a form.
      return PaymentPage.respond(200, shop, PaymentPage.toCardPage(texts, page.url), {
        refresh: `0; url=${page.url}`,
      });
    });
  });

  app.get('/plans/manage/:key/card/return', (c) =>
    orUnavailable(async () => {
      const done = await KeptCard.comeBack(shop, c.req.query('session') ?? '');
      if (done?.kind === 'refused')
        return Frame.respondWithPage(409, shop, { ...CardPage.notUsed(texts), style: CardPage.style });
      return FormResult.redirect(shop, planPage(c.req.param('key')), null);
    }),
  );
  return app;

  async function orUnavailable(respond: () => Promise<Response>): Promise<Response> {
    try {
      return await respond();
    } catch (fault) {
      if (!(fault instanceof ProcessorUnavailable)) throw fault;
      return Frame.respondWithPage(503, shop, { ...CardPage.unavailable(texts), style: CardPage.style });
    }
  }
}
