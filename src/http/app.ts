import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { withinBudget } from '@sluice/kernel/statement-deadline';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import * as Match from '../catalog/match.ts';
import * as Bearer from '../identity/bearer.ts';
import * as Quote from '../journeys/quote.ts';
import type { Reload } from '../journeys/reload.ts';
import type { Shop } from '../journeys/shop.ts';
import type { OpenSockets } from '../proxy/open-sockets.ts';
import { accountRoutes } from './api/account.ts';
import * as AddressLimit from './api/address-limit.ts';
import { adminRoutes } from './api/admin.ts';
import * as AdminGuard from './api/admin-guard.ts';
import { cardsRoutes } from './api/cards.ts';
import { catalogRoutes } from './api/catalog.ts';
import { claimRoutes } from './api/claim.ts';
import { discoveryRoutes } from './api/discovery.ts';
import { guideRoutes } from './api/guide.ts';
import { healthRoutes } from './api/health.ts';
import { identityRoutes } from './api/identity.ts';
import { keysRoutes } from './api/keys.ts';
import { oauthRoutes } from './api/oauth.ts';
import { promotionRoutes } from './api/promotion.ts';
import { purchaseRoutes } from './api/purchase.ts';
import { quoteRoutes } from './api/quote.ts';
import { receiptsRoutes } from './api/receipts.ts';
import { referenceRoutes } from './api/reference.ts';
import { refundRequestsRoutes } from './api/refund-requests.ts';
import { reloadRoutes } from './api/reload.ts';
import { teamRoutes } from './api/team.ts';
import { topUpRoutes } from './api/top-up.ts';
import { usageRoutes } from './api/usage.ts';
import * as CallRoute from './call.ts';
import * as CallBody from './call-body.ts';
import { consoleRoutes } from './console/routes.ts';
import * as Fault from './fault.ts';
import { forPeople, notFoundPage } from './fault-page.ts';
import { mcpRoutes } from './mcp/route.ts';
import * as Accept from './pages/accept.ts';
import * as BrowserSession from './pages/browser-session.ts';
import { accountPages } from './pages/routes/account.ts';
import { docsPages, referencePages, responseExamples } from './pages/routes/docs.ts';
import { invitationPages } from './pages/routes/invitation.ts';
import { logoRoute } from './pages/routes/logo.ts';
import { planHolderPages } from './pages/routes/plan-holder.ts';
import { requestPages } from './pages/routes/request.ts';
import { shopPages } from './pages/routes/shop.ts';
import { signInPages } from './pages/routes/sign-in.ts';
import { error, write } from './reply.ts';
import { type Env, requestId, send, unprocessable } from './request-context.ts';
import type { BodyBudgets } from './server/body-budget.ts';
import * as Compression from './server/compression.ts';
import * as Cors from './server/cors.ts';
import type { Incoming, Outgoing } from './server/outgoing.ts';
import * as ProxyWatch from './server/proxy-watch.ts';
import { queryCheck } from './server/query-parameters.ts';
import type { Answering } from './server/server.ts';
import { serveUpgrades } from './socket/serve-upgrades.ts';
import type { Metrics } from './telemetry/metrics.ts';
import * as RequestLog from './telemetry/request-log.ts';
import * as UnreadableRequest from './unreadable-request.ts';

/** A request waits at most this long for the database, so that every page and route answers within five seconds. */
const databaseWaitMsMax = 3_500;
/** The card processor sends bursts from few addresses. */
const webhooksPerSecond = 100;

export type AppOptions = {
  /** The header in which a trusted proxy names the caller's address. */
  clientAddressHeader: string | null;
  /** SHA-256 of the admin token; null disables the admin routes. */
  adminTokenDigest: string | null;
  isDraining: () => boolean;
  metrics: Metrics;
  /** The memory budgets of request bodies. */
  budgets: BodyBudgets;
  /** The WebSockets of this process. */
  sockets: OpenSockets;
  reload: Reload;
  log: { line: RequestLog.WriteLine; fault: (fault: unknown, requestId: string) => void };
};

/**
 * The HTTP interface of the storefront: its own routes and all sold operations. Sold operations without path parameters bypass the router
 * and its web objects, and usually Node's server too (docs/performance.md).
 */
export function createApp(shop: Shop, edge: AppOptions): Answering {
  const matcher = Match.compile(shop.catalog, shop.description);
  const { metrics } = edge;
  const line: RequestLog.WriteLine = (it) => {
    metrics.count(it);
    edge.log.line(it);
  };
  const app = appRoutes(shop, { ...edge, log: { ...edge.log, line } }, matcher);
  const own = ownRoutes(app);
  const route = UnreadableRequest.router(shop, app.fetch, edge.log.fault);
  const sold = new Set(
    shop.catalog.operations
      .filter(({ path: sold }) => !sold.includes('{') && !own.some(({ path }) => path.test(sold)))
      .map(({ method, path }) => `${method} ${path}`),
  );
  const isSold = (method: string, url: string) => {
    const mark = url.indexOf('?');
    return sold.has(`${method} ${mark < 0 ? url : url.slice(0, mark)}`);
  };
  const serve = (incoming: Incoming, outgoing: Outgoing, readBody: CallRoute.ReadBody) => {
    const entry = RequestLog.startEntry(incoming, outgoing, shop.clock, line, shop.tracer);
    CallRoute.handleCall(shop, matcher, incoming, readBody, outgoing, entry).catch((fault: unknown) => {
      edge.log.fault(fault, entry.requestId);
      if (outgoing.headersSent) outgoing.destroy();
      else write(outgoing, Fault.faultReply(shop.texts, fault, entry.requestId));
    });
  };
  return {
    takes: isSold,
    sell: (incoming, outgoing, body) => serve(incoming, outgoing, () => body),
    explain: (unreadable) => UnreadableRequest.explain(shop, unreadable),
    upgrade: serveUpgrades(shop, matcher, { sockets: edge.sockets, line, fault: edge.log.fault }),
    reserve(authorization) {
      const claims = authorization && Bearer.fromCache(shop.tokenVerifier, authorization, shop.clock());
      return claims ? edge.budgets.known.open(claims.account) : null;
    },
    listener(incoming, outgoing) {
      if (isSold(incoming.method ?? '', incoming.url ?? ''))
        serve(incoming, outgoing, CallBody.readKnown(shop, edge.budgets, incoming, outgoing));
      else void route(incoming, outgoing);
    },
  };
}

/** Prefixes of the storefront's own routes that are limited by address. */
const limitedPaths = [
  '/agent/*',
  '/oauth2/*',
  '/plans/*',
  '/purchases/*',
  '/checkout/*',
  '/account/*',
  '/auto-top-up/*',
  '/cards/*',
  '/advisor/*',
  '/zeroclick/*',
  '/shop/*',
];

/** The router of all requests. */
export function appRoutes(shop: Shop, edge: AppOptions, matcher: Match.Matcher): Hono<Env> {
  const app = new Hono<Env>();
  const watchProxy = ProxyWatch.createProxyWatch(edge.clientAddressHeader, shop.report);

  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    watchProxy(incoming);
    c.set('texts', shop.texts);
    c.set('bodies', { budgets: edge.budgets, clientAddressHeader: edge.clientAddressHeader });
    c.set(
      'entry',
      RequestLog.startEntry(incoming, outgoing as Outgoing, shop.clock, edge.log.line, shop.tracer),
    );
    const preflight = Cors.preflight(c.req.method, incoming.rawHeaders, c.req.path);
    if (preflight !== null) return c.body(null, 204, preflight);
    // The card processor waits longer, and its event has to be recorded.
    await (c.req.path.startsWith('/webhooks/') ? next() : withinBudget(databaseWaitMsMax, next));
    if (c.res !== RESPONSE_ALREADY_SENT) {
      c.res = await forPeople(shop, c, c.res);
      c.header('x-content-type-options', 'nosniff');
      for (const [name, value] of Object.entries(Cors.headers(c.req.path))) c.header(name, value);
      c.res = await Compression.compress(c.res, c.req.header('accept-encoding'));
    }
    const { span } = c.get('entry');
    // Sold operations have already set the span's route; a request that only matched the catch-all has none.
    if (span !== null && routePath(c) !== '/*') span.route(c.req.method, routePath(c));
  });
  const checkQuery = queryCheck(shop.reference.ownQueries);
  app.use(async (c, next) => {
    const problems = checkQuery(c.req.method, c.req.path, new URL(c.req.url).searchParams);
    return problems.length > 0 ? send(c, unprocessable(c, problems)) : next();
  });
  const addressLimit = AddressLimit.createAddressLimit(shop, edge.clientAddressHeader);
  for (const path of limitedPaths) app.use(path, AddressLimit.middleware(addressLimit));
  app.use(
    '/webhooks/*',
    AddressLimit.middleware(
      AddressLimit.createAddressLimit(shop, edge.clientAddressHeader, webhooksPerSecond),
    ),
  );
  app.use('/shop/*', BrowserSession.guard(shop));
  const ask = Quote.asking(shop.advisor);
  addApiRoutes(app, shop, edge, ask);
  if (edge.adminTokenDigest !== null) addAdminRoutes(app, shop, edge, edge.adminTokenDigest);
  addPageRoutes(app, shop, edge, matcher);
  app.route('/', catalogRoutes(shop));
  app.route('/', referenceRoutes(shop));
  app.route('/', discoveryRoutes(shop));
  app.route('/', mcpRoutes(shop, { ask, matcher, addressLimit, ...edge, fault: edge.log.fault }));
  addSoldOperations(app, shop, edge, matcher);

  app.onError((fault, c) => {
    if (fault instanceof BrowserSession.RefusedForm) return send(c, fault.reply);
    edge.log.fault(fault, requestId(c));
    if (!c.env.outgoing.headersSent) {
      const reply = Fault.faultReply(shop.texts, fault, requestId(c));
      return send(c, reply);
    }
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  });

  return app;
}

function addApiRoutes(app: Hono<Env>, shop: Shop, edge: AppOptions, ask: Quote.Ask): void {
  app.route('/', healthRoutes(shop, edge.isDraining));
  app.route('/', oauthRoutes(shop, edge.clientAddressHeader));
  app.route('/', identityRoutes(shop, edge.clientAddressHeader));
  app.route('/', claimRoutes(shop, edge.clientAddressHeader));
  app.route('/', purchaseRoutes(shop, edge.clientAddressHeader));
  app.route('/', accountRoutes(shop));
  app.route('/', keysRoutes(shop));
  app.route('/', teamRoutes(shop, edge.clientAddressHeader));
  app.route('/', usageRoutes(shop));
  app.route('/', topUpRoutes(shop));
  app.route('/', cardsRoutes(shop, edge.clientAddressHeader));
  app.route('/', planHolderPages(shop, edge.clientAddressHeader));
  app.route('/', promotionRoutes(shop, edge.clientAddressHeader));
  app.route('/', receiptsRoutes(shop));
  app.route('/', refundRequestsRoutes(shop));
  app.route('/', guideRoutes(ask));
  app.route('/', quoteRoutes(shop, ask, edge.clientAddressHeader));
}

function addAdminRoutes(app: Hono<Env>, shop: Shop, edge: AppOptions, tokenDigest: string): void {
  const guard = AdminGuard.createAdminGuard(shop.clock, tokenDigest, edge.clientAddressHeader);
  // The console first, because the bearer check of the other admin routes would reject its browsers.
  app.route('/', consoleRoutes(shop, guard, edge.metrics, edge));
  app.route('/', adminRoutes(shop, guard, edge.metrics));
  // Registered after the admin routes, whose bearer check covers all of /admin.
  app.route('/', reloadRoutes(edge.reload, guard));
}

function addPageRoutes(app: Hono<Env>, shop: Shop, edge: AppOptions, matcher: Match.Matcher): void {
  app.route('/', logoRoute(shop));
  const reference = referencePages(shop);
  const responseOf = responseExamples(reference);
  app.route('/', shopPages(shop, { matcher, ...edge, responseOf }));
  app.route('/', docsPages(shop, reference));
  app.route('/', requestPages(shop, reference, { matcher, ...edge }));
  app.route('/', signInPages(shop, edge.clientAddressHeader));
  app.route('/', invitationPages(shop, edge.clientAddressHeader));
  app.route('/', accountPages(shop, edge.clientAddressHeader));
}

/** Adds the catch-all: a sold operation, or a 405 for one of the storefront's own paths. */
function addSoldOperations(app: Hono<Env>, shop: Shop, edge: AppOptions, matcher: Match.Matcher): void {
  const own = ownRoutes(app);
  app.all('*', async (c) => {
    const { incoming, outgoing } = c.env;
    const methods = own.filter(({ path }) => path.test(c.req.path)).map(({ method }) => method);
    if (methods.length > 0) {
      const allow = [...new Set(methods)].join(', ');
      const message = shop.texts.text('api.method_not_allowed', { methods: allow });
      return send(c, error(405, 'method_not_allowed', message, requestId(c), {}, { allow }));
    }
    const without = withoutSlash(c.req.path);
    if (without !== null && (own.some(({ path }) => path.test(without)) || isSold(matcher, without)))
      return c.body(null, 308, { location: without + new URL(c.req.url).search });
    if (Accept.prefersHtml(c.req.header('accept') ?? '') && !isSold(matcher, c.req.path))
      return notFoundPage(shop);
    await CallRoute.handleCall(
      shop,
      matcher,
      incoming,
      CallBody.readKnown(shop, edge.budgets, incoming, outgoing as Outgoing),
      outgoing as Outgoing,
      c.get('entry'),
    );
    return RESPONSE_ALREADY_SENT;
  });
}

/** The storefront's own paths and their methods, for the 405 of other methods. */
function ownRoutes(app: Hono<Env>): { method: string; path: RegExp }[] {
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({
      method,
      path: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:[^/]+/g, '[^/]+')}$`),
    }));
}

/** The path without its trailing slash, or null where it has none. */
function withoutSlash(path: string): string | null {
  return /^\/[^/].*[^/]\/$/.test(path) ? path.slice(0, -1) : null;
}

function isSold(matcher: Match.Matcher, path: string): boolean {
  return Match.find(matcher, 'GET', path).kind !== 'not_found';
}
