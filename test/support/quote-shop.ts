import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { type Clock, systemClock } from '@sluice/kernel/clock';
import { Hono } from 'hono';
import { openConnection } from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import { openWallets } from '../../src/adapters/postgres/wallets.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import { quoteRoutes } from '../../src/http/api/quote.ts';
import { error } from '../../src/http/reply.ts';
import { type Env, requestId, send } from '../../src/http/request-context.ts';
import { openBudgets } from '../../src/http/server/body-budget.ts';
import * as RequestLog from '../../src/http/telemetry/request-log.ts';
import type * as Quote from '../../src/journeys/quote.ts';
import * as Proof from '../../src/payment/proof.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as RateLimit from '../../src/proxy/rate-limit.ts';
import { english } from '../../src/text/texts.ts';

type QuoteRouteContext = Parameters<typeof quoteRoutes>[0];

/** The quote route alone, on a real server and a real database, with an advisor that repeats the goal. */
export type QuoteShop = {
  /** The address that it listens on, and its public URL. */
  url: string;
  publicUrl: string;
  shop: QuoteRouteContext;
  /** The number of requests to the advisor, and the errors that were thrown. */
  advised: () => number;
  faults: unknown[];
  close(): Promise<void>;
};

export type Options = {
  databaseUrl: string;
  port?: number;
  publicUrl?: string;
  clock?: Clock;
  secret?: string;
};

export const path = '/zeroclick/agent/quote';
export const neutralPath = '/advisor/quote';
/** The header with the caller's address, in these shops. */
export const addressHeader = 'x-forwarded-for';
const catalogPath = fileURLToPath(new URL('../../openapi/catalog.yaml', import.meta.url));

export async function open(options: Options): Promise<QuoteShop> {
  await migrate(options.databaseUrl);
  const sql = openConnection(options.databaseUrl, 5);
  const clock = options.clock ?? systemClock;
  const publicUrl = options.publicUrl ?? 'https://shop.example';
  const catalog = await CatalogFile.load(catalogPath);
  const route: Proof.ProofSettings = {
    publicUrl,
    path,
    description: 'Free advice on what to buy — naïvely quoted',
    serviceName: catalog.storefront.name,
    networks: [Network.base, Network.baseSepolia],
    tempoChainId: 42431,
    secrets: { current: options.secret ?? 'a secret of more than thirty-two bytes' },
  };
  const shop = {
    publicUrl,
    clock,
    wallets: openWallets(sql),
    proofs: Proof.route({ ...route, path: neutralPath }),
    requiredProofs: Proof.route(route),
    verifications: RateLimit.create(),
    texts: english,
  };

  let advised = 0;
  const faults: unknown[] = [];
  const ask: Quote.Ask = (body) => {
    const { goal } = body as { goal?: unknown };
    if (typeof goal !== 'string')
      return { kind: 'fault', faults: [{ field: 'goal', message: 'is required' }] };
    return {
      kind: 'question',
      advise: async () => {
        advised += 1;
        return { status: 'quoted', priceUsd: '0', guide: goal };
      },
    };
  };
  const server = createServer(
    getRequestListener(app(shop, ask, faults).fetch, { overrideGlobalObjects: false }),
  );
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicUrl,
    shop,
    advised: () => advised,
    faults,
    async close() {
      server.close();
      server.closeAllConnections();
      await sql.end({ timeout: 1 });
    },
  };
}

function app(shop: QuoteRouteContext, ask: Quote.Ask, faults: unknown[]): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    c.set('texts', english);
    c.set('bodies', { budgets: openBudgets(16 * 1024 * 1024), clientAddressHeader: addressHeader });
    c.set(
      'entry',
      RequestLog.startEntry(incoming, outgoing as ServerResponse, shop.clock, () => {}),
    );
    await next();
  });
  app.route('/', quoteRoutes(shop, ask, addressHeader));
  app.onError((fault, c) => {
    faults.push(fault);
    return send(
      c,
      error(
        503,
        'unavailable',
        'A service that this request needs is temporarily unavailable.',
        requestId(c),
      ),
    );
  });
  return app;
}
