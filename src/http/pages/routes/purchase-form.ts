import * as Money from '@sluice/kernel/money';
import { Hono } from 'hono';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import { findForSale } from '../../../catalog/plan.ts';
import { nameOf } from '../../../catalog/plan-name.ts';
import { unitOfPlan } from '../../../catalog/plan-unit.ts';
import * as TaxNote from '../../../catalog/tax-note.ts';
import type { Order } from '../../../payment/order.ts';
import { includedText } from '../../../text/included-text.ts';
import { actionOf } from '../../account-rights.ts';
import { noMoreAccounts } from '../../fault-page.ts';
import { type Call, type Env, record } from '../../request-context.ts';
import * as BrowserSession from '../browser-session.ts';
import * as CardPage from '../card.ts';
import * as FormResult from '../form-result.ts';
import * as Frame from '../frame.ts';
import * as PromotionResult from '../promotion-result.ts';
import { review } from '../review.ts';
import * as Page from '../shop.ts';
import type { RefusedBuy } from '../shop-facts.ts';
import { roleDenial } from '../visitor-rights.ts';
import { type BuyContext, faultOf, startPurchase } from './buy.ts';
import * as PromotionCode from './promotion-code.ts';

const route = 'POST /shop/buy';

/** Shows the plans again, with the form that was refused. */
export type Again = (
  visitor: BrowserSession.BrowserSession | null,
  refused: RefusedBuy,
  headers: Readonly<Record<string, string>>,
) => Promise<Response>;

type FormContext = BuyContext & PromotionCode.CodeContext & Pick<CatalogContext, 'catalog' | 'publicUrl'>;

/** The forms of the plans, and the pages that lead from them to the card page. `again` is null in a shop without operations to show. */
export function purchaseForm(
  shop: FormContext,
  clientAddressHeader: string | null,
  again: Again | null,
): Hono<Env> {
  const app = new Hono<Env>();
  const { texts } = shop;

  app.get('/shop/buy/:order', async (c) => {
    const id = c.req.param('order');
    const url = `${shop.publicUrl}/checkout/${encodeURIComponent(id)}`;
    const sent = FormResult.read(shop, c);
    // The result of another form may not have been shown yet.
    const result = sent?.link?.url === url ? sent : null;
    const order = result === null ? null : await shop.orders.find(id);
    if (result === null || order === null)
      return Frame.respondWithPage(200, shop, {
        title: texts.text('buy.title'),
        main: Page.toCardPage(texts, url),
        more: { refresh: `0; url=${url}` },
      });
    const main = reviewOf(shop, order, result.text, url);
    const more = { 'set-cookie': FormResult.forgotten(shop) };
    const title = texts.text('buy.review');
    return Frame.respondWithPage(200, shop, { title, main, more, style: CardPage.style });
  });

  app.post('/shop/buy', async (c) => {
    const form = await BrowserSession.fields(c);
    const plan = findForSale(shop.catalog.plans, form.get('plan') ?? '');
    if (plan === null) return refused(404, texts.text('buy.unknown_plan'));
    const visitor = await BrowserSession.readSession(shop, c);
    const denied = denialOf(visitor);
    if (denied !== null) return refused(403, denied);
    const code = (form.get('code') ?? '').trim().slice(0, PromotionResult.codeCharsMax);
    const amount = form.get('amount_usd')?.trim() ?? '';
    const show = (
      faults: Pick<RefusedBuy, 'fault' | 'codeFault'>,
      at: BrowserSession.BrowserSession | null,
      headers = {},
    ) =>
      again === null
        ? refused(422, faults.fault ?? faults.codeFault ?? '', texts.text('error.check_input'))
        : again(at, { plan: plan.id, amount, code, ...faults }, headers);
    // A code is redeemed only with a purchase that can follow.
    const fault = faultOf(shop, plan, form);
    if (fault !== null) return show({ fault, codeFault: null }, visitor);
    const applied = code === '' ? null : await PromotionCode.apply(shop, c, clientAddressHeader, code);
    if (applied?.kind === 'limited') return noMoreAccounts(shop, c);
    if (applied?.kind === 'refused')
      return show({ fault: null, codeFault: applied.text }, applied.visitor, applied.headers);
    return order(c, { plan, form, visitor: applied?.visitor ?? visitor }, applied);
  });
  return app;

  /** Starts the purchase, once its code, if any, is in the account. */
  async function order(
    c: Call,
    bought: Pick<Parameters<typeof startPurchase>[2], 'plan' | 'form' | 'visitor'>,
    applied: PromotionCode.AppliedCode | null,
  ): Promise<Response> {
    const { visitor: buyer } = bought;
    const started = await startPurchase(shop, c, { ...bought, clientAddressHeader });
    if (started.kind === 'order') {
      if (buyer !== null) await record(shop, c, route, { ...buyer, key: null }, started.order);
      return lead(started.location, applied);
    }
    // The code's credit is in the account whatever happens next.
    const text = applied === null ? started.text : `${applied.text} ${started.text}`;
    return refused(409, text, texts.text('error.title'), applied?.headers);
  }

  /** Returns why the visitor may not buy for the account; null when nothing prevents it. */
  function denialOf(visitor: BrowserSession.BrowserSession | null): string | null {
    return visitor === null ? null : roleDenial(shop, visitor, actionOf(route));
  }

  /** Leads to the card page; with a code, to the review before it. A reload of the page that follows opens no second order. */
  function lead(location: string, applied: PromotionCode.AppliedCode | null): Response {
    if (applied === null) return FormResult.redirect(shop, location, null);
    const link = { url: `${shop.publicUrl}${location.replace('/shop/buy/', '/checkout/')}`, text: '' };
    const result = { text: applied.text, secret: null, isBad: false, link };
    return FormResult.redirect(shop, location, result, Object.values(applied.headers));
  }

  function refused(
    status: number,
    message: string,
    heading = texts.text('error.title'),
    more: Readonly<Record<string, string>> = {},
  ): Response {
    const main = Page.refused(texts, message, heading);
    return Frame.respondWithPage(status, shop, { title: heading, main, more });
  }
}

function reviewOf(
  shop: FormContext,
  order: Pick<Order, 'plan' | 'amount'>,
  codeResult: string,
  url: string,
): Frame.Html {
  const due = shop.texts.usd(Money.format(order.amount));
  return review(shop.texts, {
    ...{ plan: nameOf(shop.catalog, order.plan), content: contentOf(shop, order.plan, due) },
    ...{ due, codeResult, isTaxAdded: TaxNote.isTaxAdded(shop.catalog), url },
  });
}

/** Says what a payment of `due` gives: the content of a plan that renews, or credit. */
function contentOf(
  { texts, catalog }: Pick<FormContext, 'texts' | 'catalog'>,
  id: string,
  due: string,
): string {
  const plan = catalog.plans.find((one) => one.id === id);
  if (plan?.kind !== 'subscription') return texts.text('buy.review_credit', { amount: due });
  const quantity = includedText(texts, plan.included, unitOfPlan(plan, catalog.services));
  return texts.text('plans.included', { quantity, period: texts.text(`plans.per_${plan.every}`) });
}
