import { Hono } from 'hono';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type * as Match from '../../../catalog/match.ts';
import type { Operation } from '../../../catalog/operation.ts';
import { isTrialImmediate, type Plan } from '../../../catalog/plan.ts';
import { isFree } from '../../../catalog/service.ts';
import type { DiscoveryContext } from '../../../discovery/discovery-context.ts';
import type { RegistrationContext } from '../../../identity/identity-context.ts';
import * as AccountJourney from '../../../journeys/account.ts';
import * as BillingPortal from '../../../journeys/billing-portal.ts';
import type { CallerContext } from '../../../journeys/identification.ts';
import type { PaidCallContext } from '../../../journeys/paid-call-context.ts';
import { planOffers } from '../../../journeys/plan-offers.ts';
import type * as Registering from '../../../journeys/registration.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { CheckoutContext } from '../../../payment/payment-context.ts';
import type { Texts } from '../../../text/texts.ts';
import type { TextsContext } from '../../../text/texts-context.ts';
import { noMoreAccounts } from '../../fault-page.ts';
import type { Call, Env } from '../../request-context.ts';
import * as Accept from '../accept.ts';
import { type Holdings, isDue, isUsedUp, leftOfPlan } from '../account/plans.ts';
import * as BrowserSession from '../browser-session.ts';
import * as Frame from '../frame.ts';
import { style as frontStyle } from '../front-style.ts';
import * as Page from '../shop.ts';
import type { AccountSummary, ShopFacts, TryForm } from '../shop-facts.ts';
import { style as tryStyle } from '../try-form.ts';
import * as TryIt from '../try-it.ts';
import * as VisitorAccount from '../visitor-account.ts';
import { may } from '../visitor-rights.ts';
import { leavePages } from './leave.ts';
import * as PurchaseForm from './purchase-form.ts';
import * as TryRequest from './try-request.ts';

/** Idempotency keys of the "Try it" form. */
const tryKey = /^try_[0-9a-f]{32}$/;

type RouteOptions = {
  matcher: Match.Matcher;
  clientAddressHeader: string | null;
  responseOf: ResponseOf;
};
/** Returns an example response of an operation; null when its description has none. */
type ResponseOf = (operation: Operation) => string | null;
/** The dependencies of the shop's pages, where visitors try operations, open accounts and buy. */
type ShopPagesContext = CallerContext &
  PaidCallContext &
  AccountJourney.AccountContext &
  Registering.RegisterContext &
  CheckoutContext &
  Pick<CatalogContext, 'description'> &
  Pick<DiscoveryContext, 'reference'> &
  Pick<RegistrationContext, 'clientDocuments' | 'oauth'> &
  Pick<SellerContext, 'promotions'>;

/** The shop's pages. A request to `/` that prefers HTML gets the start page; other clients get the start document. */
export function shopPages(
  context: ShopPagesContext,
  { matcher, clientAddressHeader, responseOf }: RouteOptions,
): Hono<Env> {
  const app = new Hono<Env>();
  const shop = { ...context, responseOf };
  const { catalog } = shop;
  const sold = catalog.operations.filter(
    ({ answeredBy, socket }) => answeredBy === 'upstream' && socket === undefined,
  );

  app.get('/', async (c, next) => {
    if (!Accept.prefersHtml(c.req.header('accept') ?? '')) {
      await next();
      // A cache must not serve the start document to a browser.
      c.header('vary', 'accept');
      return;
    }
    const asked = c.req.query('operation');
    const known = sold.find(({ id }) => id === asked);
    const operation = known ?? sold[0];
    if (operation === undefined) return next();
    const isUnknown = asked !== undefined && known === undefined;
    const visitor = await BrowserSession.readSession(shop, c);
    return front(shop, visitor, TryRequest.example(shop, operation), {
      isTrying: asked !== undefined,
      token: visitor?.access.token ?? null,
      ...(isUnknown && { status: 404, notice: TryRequest.alert(shop.texts.text('try.unknown_operation')) }),
    });
  });

  app.post('/shop/start', async (c) => {
    const account = await VisitorAccount.accountOf(shop, c, clientAddressHeader);
    if (account.kind === 'limited') return noMoreAccounts(shop, c);
    return new Response(null, { status: 303, headers: { ...account.headers, location: '/shop/account' } });
  });

  // The addresses of forms stay in the address bar after a refusal.
  const opened = `/?operation=${encodeURIComponent(sold[0]?.id ?? '')}#try`;
  for (const [form, location] of [
    ['/shop/try', opened],
    ['/shop/buy', '/#plans'],
    ['/shop/start', '/'],
  ] as const)
    app.get(form, () => new Response(null, { status: 303, headers: { location } }));

  app.post('/shop/try', (c) => tried(shop, sold, c, { matcher, clientAddressHeader }));

  const first = sold[0] === undefined ? null : TryRequest.example(shop, sold[0]);
  const again: PurchaseForm.Again | null =
    first &&
    ((visitor, refusedBuy, headers) => front(shop, visitor, first, { status: 422, refusedBuy, headers }));
  app.route('/', PurchaseForm.purchaseForm(shop, clientAddressHeader, again));

  app.route('/', leavePages(shop));
  return app;
}

/** Sends the request of the "Try it" form, or shows the form again: with its price, its faults, or the example of another operation. */
async function tried(
  shop: ShopPagesContext & { responseOf: ResponseOf },
  sold: readonly Operation[],
  c: Call,
  { matcher, clientAddressHeader }: Pick<RouteOptions, 'matcher' | 'clientAddressHeader'>,
): Promise<Response> {
  const form = await BrowserSession.fields(c);
  const operation = sold.find(({ id }) => id === form.get('operation'));
  if (operation === undefined) return refused(shop, 404, shop.texts.text('try.unknown_operation'));
  if (form.has('load')) {
    const location = `/?operation=${encodeURIComponent(operation.id)}#try`;
    return new Response(null, { status: 303, headers: { location } });
  }
  // The form shows the request of another operation: nothing may be sent that is not on the screen.
  if ((form.get('shown') ?? operation.id) !== operation.id) {
    const name = Page.nameOf(shop, operation);
    return front(shop, await BrowserSession.readSession(shop, c), TryRequest.example(shop, operation), {
      ...{ status: 422, isTrying: true },
      notice: TryRequest.alert(shop.texts.text('try.other_operation', { operation: name })),
    });
  }
  const typed = TryRequest.readTyped(shop, operation, form);
  if (typed.faults.length > 0 || ['check', 'fill', 'view'].some((name) => form.has(name)))
    return front(shop, await BrowserSession.readSession(shop, c), typed, {
      status: typed.faults.length > 0 ? 422 : 200,
      isTrying: true,
      notice: form.has('fill')
        ? TryRequest.filled(shop.texts, typed)
        : TryRequest.kept(shop.texts, typed, form),
    });
  // An account without a plan could not pay either, so none is opened.
  if (
    !isFree(operation.service) &&
    !isTrialImmediate(shop.catalog.plans) &&
    (await BrowserSession.readSession(shop, c)) === null
  )
    return front(shop, null, { ...typed, trial: TryIt.needsPlan(shop.texts, operation, typed) });
  // A reload sends the key of the form again, and gets the stored response.
  const key = form.get('key') ?? '';
  const account = await VisitorAccount.accountOf(shop, c, clientAddressHeader);
  if (account.kind === 'limited') return noMoreAccounts(shop, c);
  const trial = await TryIt.tryOperation(shop, matcher, c, {
    ...{ operation, path: typed.path, body: typed.body },
    token: account.visitor.access.token,
    key: tryKey.test(key) ? key : null,
  });
  const tried = { ...typed, trial, answered: TryRequest.answeredOf(typed, trial) };
  return front(shop, account.visitor, tried, { headers: account.headers });
}

type FrontContext = AccountJourney.AccountContext &
  Pick<CheckoutContext, 'orders' | 'processor'> &
  Pick<CatalogContext, 'catalog' | 'description' | 'publicUrl'> &
  TextsContext & { responseOf: ResponseOf };

type HeldPlan = Holdings['plans'][number] & { kind: Plan['kind'] };

/** The rest of a trial in words. */
function trialOf(texts: Texts, plan: HeldPlan, catalog: Catalog): AccountSummary['trial'] {
  const isUsedUp = (plan.included_remaining ?? 0) === 0 && Number(plan.included_usd ?? 0) === 0;
  return { left: isUsedUp ? null : leftOfPlan(texts, plan, catalog) };
}

/** The open invoice of the renewal that was not paid, which the processor knows. */
async function unpaidOf(
  shop: Pick<FrontContext, 'processor'>,
  visitor: BrowserSession.BrowserSession,
  { subscriptions, plans }: Pick<Holdings, 'subscriptions' | 'plans'>,
): Promise<Pick<AccountSummary, 'unpaid' | 'usableUntil'>> {
  const due = subscriptions.find(isDue);
  if (due === undefined) return { unpaid: null, usableUntil: null };
  const unpaid = may(visitor, 'read_billing') ? await BillingPortal.unpaidOf(shop, due.id) : null;
  const left = plans.find((plan) => plan.id === due.plan && !isUsedUp(plan));
  return { unpaid, usableUntil: left?.expires_at ?? null };
}

/** A page without an account holds nothing of its visitor, so that it can be compressed. */
const anonymous = { 'cache-control': 'private, no-cache' };

/** The start page. `token`: of the visitor, for the samples; undefined in the response to a form, which the browser keeps for Back. */
async function front(
  shop: FrontContext,
  visitor: BrowserSession.BrowserSession | null,
  tried: TryForm,
  options: {
    status?: number;
    headers?: Readonly<Record<string, string>>;
    isTrying?: boolean;
    notice?: Frame.Html | null;
    refusedBuy?: ShopFacts['refusedBuy'];
    token?: string | null;
  } = {},
): Promise<Response> {
  const { status = 200, headers = {}, isTrying = false, notice = null, refusedBuy, token } = options;
  const { catalog, description, publicUrl } = shop;
  const overview = visitor && (await AccountJourney.overview(shop, visitor.account));
  const held = (overview?.plans ?? []) as readonly HeldPlan[];
  const summary = visitor &&
    overview && {
      balance: String(overview.balance_usd),
      included: Number(overview.included_remaining),
      includedUsd: overview.included_usd === undefined ? null : String(overview.included_usd),
      holdsPlan: held.some(({ kind }) => kind !== 'credit'),
      trial:
        held.filter(({ kind }) => kind === 'trial').map((plan) => trialOf(shop.texts, plan, catalog))[0] ??
        null,
      isClaimed: overview.claimed === true,
      token: token ?? null,
      offers: await planOffers(shop, visitor.account),
      ...(await unpaidOf(shop, visitor, overview as unknown as Holdings)),
    };
  const response = shop.responseOf(tried.operation);
  const facts = { catalog, description, publicUrl, summary, tried, isTrying, notice, response };
  const main = Page.front(shop.texts, { ...facts, ...(refusedBuy && { refusedBuy }) });
  return Frame.respondWithPage(status, shop, {
    title: catalog.storefront.name,
    main,
    more: { ...(token === undefined ? Frame.keptForBack : visitor === null && anonymous), ...headers },
    canonical: `${publicUrl}/`,
    isScripted: true,
    style: tryStyle,
    layout: { ...Frame.shopLayout(shop), style: frontStyle },
  });
}

function refused(
  shop: Frame.PageContext,
  status: number,
  message: string,
  heading = shop.texts.text('error.title'),
): Response {
  return respond(shop, status, heading, Page.refused(shop.texts, message, heading));
}

function respond(
  shop: Frame.PageContext,
  status: number,
  title: string,
  main: Frame.Html,
  more: Readonly<Record<string, string>> = {},
): Response {
  return Frame.respondWithPage(status, shop, { title, main, more });
}
