import { setImmediate as turn } from 'node:timers/promises';
import * as Chain from '../adapters/chain.ts';
import * as Facilitator from '../adapters/facilitator.ts';
import * as Log from '../adapters/log/log.ts';
import * as Smtp from '../adapters/mail/smtp.ts';
import * as Stripe from '../adapters/stripe/processor.ts';
import * as Upstream from '../adapters/upstream/upstream.ts';
import * as Advisor from '../advisor/advisor.ts';
import type { Goods } from '../catalog/file.ts';
import type { Config } from '../config.ts';
import * as Directory from '../discovery/directory.ts';
import * as Reference from '../discovery/reference.ts';
import * as App from '../http/app.ts';
import type { Outgoing } from '../http/outgoing.ts';
import type { Answering } from '../http/server.ts';
import type { Reload } from '../journeys/reload.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Proof from '../payment/proof.ts';
import * as TempoProof from '../payment/tempo-proof.ts';
import * as Network from '../payment/x402/network.ts';
import type { Foundation } from './foundation.ts';
import type { Env } from './settings.ts';

/** What one generation of the shop is made of: its settings, and what it sells. */
export type Stock = { env: Env; config: Config; goods: Goods };

/** The shop as one catalogue and one set of settings make it. A reload puts another in its place; nothing in it changes. */
export type Generation = Stock & {
  readonly shop: Shop;
  /** Answers requests, to their ends, by this generation. */
  readonly answering: Answering;
  /** Closes what is its own when the last request that it was given has been answered. */
  retire(): void;
  close(): Promise<void>;
};

/** Makes a shop of `stock` on what lasts. Throws where it cannot be opened; nothing has changed then. */
export async function open(foundation: Foundation, stock: Stock, reload: Reload): Promise<Generation> {
  const { log, metrics } = foundation;
  const shop = await openShop(foundation, stock);
  const { config } = stock;
  const lines = Log.ofKnownShape(log);
  const answering = App.open(shop, {
    clientAddressHeader: config.clientAddressHeader,
    adminTokenDigest: config.adminTokenDigest,
    isDraining: () => foundation.draining,
    metrics,
    reload,
    log: {
      line: (line) => lines.info(line),
      fault: (fault, requestId) =>
        log.error({ event: 'fault', request_id: requestId, ...Log.describe(fault) }),
    },
  });
  let underWay = 0;
  let isRetired = false;
  const close = async () => {
    await Promise.all([shop.upstream.close(), shop.coin?.facilitator.close()]);
  };
  const closeWhenIdle = () => {
    if (isRetired && underWay === 0)
      close().catch((fault: unknown) => log.warn({ event: 'not_closed', ...Log.describe(fault) }));
  };
  const begin = (outgoing: Outgoing) => {
    underWay += 1;
    outgoing.once('close', () => {
      underWay -= 1;
      if (isRetired) closeWhenIdle();
    });
  };
  return {
    ...stock,
    shop,
    answering: {
      takes: answering.takes,
      sell(incoming, outgoing, body) {
        begin(outgoing);
        answering.sell(incoming, outgoing, body);
      },
      listener(incoming, outgoing) {
        begin(outgoing);
        answering.listener(incoming, outgoing);
      },
    },
    retire() {
      isRetired = true;
      closeWhenIdle();
    },
    close,
  };
}

async function openShop(foundation: Foundation, { config, goods }: Stock): Promise<Shop> {
  const { kept } = foundation;
  const { catalog, description, document } = goods;
  const coin = config.coin && {
    network: config.coin.network,
    payTo: config.coin.payTo,
    facilitator: Facilitator.open({ url: config.coin.facilitatorUrl }),
    chain: config.coin.rpcUrl === null ? null : Chain.open(config.coin.rpcUrl),
  };
  // Each of these takes a tenth of a second or more: calls under way have their turn between them.
  await turn();
  const rails = ['mpp', 'card', ...(coin ? ['x402'] : [])];
  const advisor = Advisor.open(catalog, document, config.publicUrl, rails, Directory.path.guide);
  await turn();
  const reference = await Reference.open(catalog, document, {
    baseUrl: config.publicUrl,
    offers: { claim: config.mail !== null, x402: coin !== null },
  });
  await turn();
  return {
    ...kept,
    catalog,
    catalogDigest: goods.digest,
    description,
    document,
    advisor,
    reference,
    claiming: config.mail && {
      claims: foundation.claims,
      signIns: foundation.signIns,
      mailer: Smtp.open({ ...config.mail, report: kept.report }),
      secret: foundation.claimSecret,
    },
    processor: Stripe.open(config.stripe),
    coin,
    proofs: Proof.route({
      publicUrl: config.publicUrl,
      path: Directory.path.quote,
      description: 'Free advice: what to call, what it costs, how to pay',
      serviceName: catalog.storefront.name,
      networks: [config.coin?.network ?? (config.production ? Network.base : Network.baseSepolia)],
      tempoChainId: config.production ? TempoProof.chains.main : TempoProof.chains.test,
      secrets: kept.challengeSecrets,
    }),
    networkId: config.stripe.networkId,
    upstream: Upstream.open({
      baseUrl: config.upstream.url,
      key: config.upstream.key,
      keyHeader: catalog.upstream.key,
      timeoutMs: catalog.upstream.timeoutMs,
      held: kept.held,
    }),
  };
}
