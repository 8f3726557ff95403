import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import * as Advisor from '../advisor/advisor.ts';
import * as Match from '../catalog/match.ts';
import type * as Quote from '../journeys/quote.ts';
import type { Reload } from '../journeys/reload.ts';
import type { Shop } from '../journeys/shop.ts';
import * as AddressLimit from './address-limit.ts';
import * as AdminGuard from './admin-guard.ts';
import * as Body from './body.ts';
import * as CallRoute from './call.ts';
import { type Env, requestId, send } from './edge.ts';
import * as Fault from './fault.ts';
import type { Metrics } from './metrics.ts';
import type { Incoming, Outgoing } from './outgoing.ts';
import { error, write } from './reply.ts';
import * as RequestLog from './request-log.ts';
import * as AccountRoutes from './routes/account.ts';
import * as AccountPageRoutes from './routes/account-page.ts';
import * as AdminRoutes from './routes/admin.ts';
import * as CatalogRoutes from './routes/catalog.ts';
import * as ClaimRoutes from './routes/claim.ts';
import * as ConsoleRoutes from './routes/console.ts';
import * as DiscoveryRoutes from './routes/discovery.ts';
import * as DocsRoutes from './routes/docs.ts';
import * as GuideRoutes from './routes/guide.ts';
import * as HealthRoutes from './routes/health.ts';
import * as IdentityRoutes from './routes/identity.ts';
import * as KeyRoutes from './routes/keys.ts';
import * as McpRoutes from './routes/mcp.ts';
import * as PromotionRoutes from './routes/promotion.ts';
import * as PurchaseRoutes from './routes/purchase.ts';
import * as QuoteRoutes from './routes/quote.ts';
import * as ReceiptRoutes from './routes/receipts.ts';
import * as ReferenceRoutes from './routes/reference.ts';
import * as RefundRequestRoutes from './routes/refund-requests.ts';
import * as ReloadRoutes from './routes/reload.ts';
import * as ShopRoutes from './routes/shop.ts';
import * as SignInRoutes from './routes/sign-in.ts';
import * as TopUpRoutes from './routes/top-up.ts';
import * as UsageRoutes from './routes/usage.ts';
import type { Answering } from './server.ts';
import * as Visitor from './visitor.ts';

export type Edge = {
  /** The header in which a trusted proxy names the caller's address. */
  clientAddressHeader: string | null;
  /** SHA-256 of what opens the admin routes; null: there are none. */
  adminTokenDigest: string | null;
  isDraining: () => boolean;
  metrics: Metrics;
  reload: Reload;
  log: { line: RequestLog.WriteLine; fault: (fault: unknown, requestId: string) => void };
};

/**
 * The storefront on the wire: its own routes, and below them whatever the catalogue sells. What is sold under a path without
 * parameters goes past the router and its web objects, and as a rule past Node's server too (docs/scale.md).
 */
export function open(shop: Shop, edge: Edge): Answering {
  const matcher = Match.compile(shop.catalog, shop.description);
  const { metrics } = edge;
  const line: RequestLog.WriteLine = (it) => {
    metrics.count(it);
    edge.log.line(it);
  };
  const app = routes(shop, { ...edge, log: { ...edge.log, line } }, matcher);
  const own = ownRoutes(app);
  const routed = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const sold = new Set(
    shop.catalog.operations
      .filter(({ path: sold }) => !sold.includes('{') && !own.some(({ path }) => path.test(sold)))
      .map(({ method, path }) => `${method} ${path}`),
  );
  const takes = (method: string, url: string) => {
    const mark = url.indexOf('?');
    return sold.has(`${method} ${mark < 0 ? url : url.slice(0, mark)}`);
  };
  const sell = (incoming: Incoming, outgoing: Outgoing, readBody: () => Body.Body | Promise<Body.Body>) => {
    const entry = RequestLog.open(incoming, outgoing, shop.clock, line, shop.tracer);
    CallRoute.handle(shop, matcher, incoming, readBody, outgoing, entry).catch((fault: unknown) => {
      edge.log.fault(fault, entry.requestId);
      if (outgoing.headersSent) outgoing.destroy();
      else write(outgoing, Fault.reply(fault, entry.requestId));
    });
  };
  return {
    takes,
    sell: (incoming, outgoing, body) => sell(incoming, outgoing, () => body),
    listener(incoming, outgoing) {
      if (takes(incoming.method ?? '', incoming.url ?? ''))
        sell(incoming, outgoing, () => Body.read(incoming));
      else void routed(incoming, outgoing);
    },
  };
}

/** All of it as a router. */
export function routes(shop: Shop, edge: Edge, matcher: Match.Matcher): Hono<Env> {
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    c.set('entry', RequestLog.open(incoming, outgoing as Outgoing, shop.clock, edge.log.line, shop.tracer));
    await next();
    const { span } = c.get('entry');
    // What is sold has named itself; else what only the last handler takes is no route.
    if (span !== null && routePath(c) !== '/*') span.route(c.req.method, routePath(c));
  });
  const addressLimit = AddressLimit.open(shop, edge.clientAddressHeader);
  for (const path of [
    '/agent/*',
    '/oauth2/*',
    '/plans/*',
    '/purchases/*',
    '/checkout/*',
    '/account/*',
    '/zeroclick/*',
    '/shop/*',
  ])
    app.use(path, AddressLimit.middleware(addressLimit));
  app.use('/shop/*', Visitor.guard(shop));
  app.route('/', HealthRoutes.routes(shop, edge.isDraining));
  app.route('/', IdentityRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', ClaimRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', PurchaseRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', AccountRoutes.routes(shop));
  app.route('/', KeyRoutes.routes(shop));
  app.route('/', UsageRoutes.routes(shop));
  app.route('/', TopUpRoutes.routes(shop));
  app.route('/', PromotionRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', ReceiptRoutes.routes(shop));
  app.route('/', RefundRequestRoutes.routes(shop));
  const ask: Quote.Ask = (body) => Advisor.ask(shop.advisor, body);
  app.route('/', GuideRoutes.routes(ask));
  app.route('/', QuoteRoutes.routes(shop, ask, edge.clientAddressHeader));
  if (edge.adminTokenDigest !== null) {
    const guard = AdminGuard.open(shop.clock, edge.adminTokenDigest, edge.clientAddressHeader);
    // The console first: the guard of the routes for programs would refuse its browsers.
    app.route('/', ConsoleRoutes.routes(shop, guard, edge.metrics, edge));
    app.route('/', AdminRoutes.routes(shop, guard, edge.metrics));
    // After them: their guard stands before all of /admin.
    app.route('/', ReloadRoutes.routes(edge.reload, guard));
  }
  app.route('/', ShopRoutes.routes(shop, { matcher, ...edge }));
  app.route('/', DocsRoutes.routes(shop));
  app.route('/', SignInRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', AccountPageRoutes.routes(shop, edge.clientAddressHeader));
  app.route('/', CatalogRoutes.routes(shop));
  app.route('/', ReferenceRoutes.routes(shop));
  app.route('/', DiscoveryRoutes.routes(shop));
  app.route('/', McpRoutes.routes(shop, { ask, matcher, addressLimit, ...edge, fault: edge.log.fault }));
  const own = ownRoutes(app);
  app.all('*', async (c) => {
    const { incoming, outgoing } = c.env;
    const allow = own.filter(({ path }) => path.test(c.req.path)).map(({ method }) => method);
    if (allow.length > 0) {
      const message = `This path takes ${allow.join(', ')}.`;
      return send(
        c,
        error(405, 'method_not_allowed', message, requestId(c), {}, { allow: allow.join(', ') }),
      );
    }
    await CallRoute.handle(
      shop,
      matcher,
      incoming,
      () => Body.read(incoming),
      outgoing as Outgoing,
      c.get('entry'),
    );
    return RESPONSE_ALREADY_SENT;
  });

  app.onError((fault, c) => {
    edge.log.fault(fault, requestId(c));
    if (!c.env.outgoing.headersSent) return send(c, Fault.reply(fault, requestId(c)));
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  });

  return app;
}

/** Our own paths and their methods, for whoever comes with another one. */
function ownRoutes(app: Hono<Env>): { method: string; path: RegExp }[] {
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({
      method,
      path: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:[^/]+/g, '[^/]+')}$`),
    }));
}
