import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import * as Accounts from '../../src/adapters/postgres/accounts.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Proofs from '../../src/adapters/postgres/proofs.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import { type Env, requestId, send } from '../../src/http/edge.ts';
import { error } from '../../src/http/reply.ts';
import * as RequestLog from '../../src/http/request-log.ts';
import * as QuoteRoutes from '../../src/http/routes/quote.ts';
import * as Bearer from '../../src/identity/bearer.ts';
import * as KeyRing from '../../src/identity/key-ring.ts';
import * as Registration from '../../src/identity/registration.ts';
import * as SigningKey from '../../src/identity/signing-key.ts';
import type * as Quote from '../../src/journeys/quote.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import * as Proof from '../../src/payment/proof.ts';
import * as Network from '../../src/payment/x402/network.ts';
import * as RateLimit from '../../src/relay/rate-limit.ts';

/** The quote route alone, on a real server and a real database, with an advisor that repeats the goal. */
export type QuoteShop = {
  /** Where it listens, and where it says that it is. */
  url: string;
  publicUrl: string;
  shop: Quote.QuoteShop;
  /** How often the advisor was asked, and what was thrown. */
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
/** The header in which these shops are told a caller's address. */
export const addressHeader = 'x-forwarded-for';
const catalogPath = fileURLToPath(new URL('../../openapi/catalog.yaml', import.meta.url));

export async function open(options: Options): Promise<QuoteShop> {
  await migrate(options.databaseUrl);
  const sql = Connection.open(options.databaseUrl, 5);
  const clock = options.clock ?? systemClock;
  const publicUrl = options.publicUrl ?? 'https://shop.example';
  const catalog = await CatalogFile.load(catalogPath);
  const key = await SigningKey.load(await SigningKey.generate(clock()));
  const route: Proof.Settings = {
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
    catalog,
    clock,
    desk: Bearer.open(KeyRing.of(publicUrl, [key]), clock()),
    accounts: Accounts.openAccounts(sql),
    registrations: Registration.openLog(),
    wallets: Proofs.open(sql),
    proofs: Proof.route(route),
    verifications: RateLimit.create(),
  } as unknown as Quote.QuoteShop;

  let advised = 0;
  const faults: unknown[] = [];
  const ask: Quote.Ask = (body) => {
    const { goal } = body as { goal?: unknown };
    if (typeof goal !== 'string')
      return { kind: 'fault', faults: [{ field: 'goal', message: 'is required' }] };
    return {
      kind: 'question',
      advise: () => {
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

function app(shop: Quote.QuoteShop, ask: Quote.Ask, faults: unknown[]): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    const { incoming, outgoing } = c.env;
    c.set(
      'entry',
      RequestLog.open(incoming, outgoing as ServerResponse, shop.clock, () => {}),
    );
    await next();
  });
  app.route('/', QuoteRoutes.routes(shop, ask, addressHeader));
  app.onError((fault, c) => {
    faults.push(fault);
    return send(c, error(503, 'unavailable', 'Something that this needs is out of reach.', requestId(c)));
  });
  return app;
}
