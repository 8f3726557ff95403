import * as Log from '../adapters/log/log.ts';
import { openMailer } from '../adapters/mail/smtp.ts';
import { openOidc } from '../adapters/oidc.ts';
import { openStripe } from '../adapters/stripe/processor.ts';
import type { LoadedCatalog } from '../catalog/file.ts';
import type { Config } from '../config.ts';
import * as Paths from '../discovery/paths.ts';
import * as App from '../http/app.ts';
import * as Fault from '../http/fault.ts';
import type { Outgoing } from '../http/server/outgoing.ts';
import type { Answering } from '../http/server/server.ts';
import type { Reload } from '../journeys/reload.ts';
import type { Shop } from '../journeys/shop.ts';
import * as Proof from '../payment/proof.ts';
import * as TempoProof from '../payment/tempo-proof.ts';
import * as Network from '../payment/x402/network.ts';
import type { LoadedTexts } from '../text/file.ts';
import * as CatalogOpening from './catalog-opening.ts';
import { openUpstreams } from './open-upstreams.ts';
import { closeX402, openX402 } from './open-x402.ts';
import type { Resources } from './resources.ts';
import type { Env } from './settings.ts';
import type { UpstreamValues } from './upstream-values.ts';

/** The inputs of a revision: the settings, the catalogue and the texts. */
export type LoadedConfig = {
  env: Env;
  config: Config;
  loadedCatalog: LoadedCatalog;
  loadedTexts: LoadedTexts;
  /** The addresses and secrets of the named upstreams. */
  upstreamValues: ReadonlyMap<string, UpstreamValues>;
};

/** The shop for one catalogue and one set of settings. It is immutable: a reload replaces it. */
export type AppRevision = LoadedConfig & {
  readonly shop: Shop;
  /** Handles requests to their end with this revision. */
  readonly answering: Answering;
  /** Closes the resources of this revision after its last request has ended. */
  retire(): void;
  close(): Promise<void>;
};

/** Opens a revision on the shared `resources`. Throws when it cannot be opened; nothing has changed then. */
export async function openRevision(
  resources: Resources,
  loadedConfig: LoadedConfig,
  reload: Reload,
): Promise<AppRevision> {
  const { log, metrics } = resources;
  const shop = await openShop(resources, loadedConfig);
  const { config } = loadedConfig;
  const lines = Log.ofKnownShape(log);
  const answering = App.createApp(shop, {
    clientAddressHeader: config.clientAddressHeader,
    adminTokenDigest: config.adminTokenDigest,
    isDraining: () => resources.draining,
    metrics,
    budgets: resources.budgets,
    sockets: resources.sockets,
    reload,
    log: {
      line: (line) => lines.info(line),
      fault(fault, requestId) {
        const line = { event: 'fault', request_id: requestId, ...Log.describe(fault) };
        if (Fault.isOfSender(fault)) log.warn(line);
        else log.error(line);
      },
    },
  });
  let underWay = 0;
  let isRetired = false;
  const close = async () => {
    await Promise.all([shop.upstream.close(), shop.acceptedTokens && closeX402(shop.acceptedTokens)]);
  };
  const closeWhenIdle = () => {
    if (isRetired && underWay === 0)
      close().catch((fault: unknown) => log.warn({ event: 'not_closed', ...Log.describe(fault) }));
  };
  const begin = (outgoing: Pick<Outgoing, 'once'>) => {
    underWay += 1;
    outgoing.once('close', () => {
      underWay -= 1;
      if (isRetired) closeWhenIdle();
    });
  };
  return {
    ...loadedConfig,
    shop,
    answering: {
      takes: answering.takes,
      ...(answering.reserve && { reserve: answering.reserve }),
      ...(answering.explain && { explain: answering.explain }),
      sell(incoming, outgoing, body) {
        begin(outgoing);
        answering.sell(incoming, outgoing, body);
      },
      listener(incoming, outgoing) {
        begin(outgoing);
        answering.listener(incoming, outgoing);
      },
      upgrade(upgrade) {
        begin(upgrade.socket);
        answering.upgrade?.(upgrade);
      },
    },
    retire() {
      isRetired = true;
      closeWhenIdle();
    },
    close,
  };
}

async function openShop(
  resources: Resources,
  { config, loadedCatalog, loadedTexts, upstreamValues }: LoadedConfig,
): Promise<Shop> {
  const { kept } = resources;
  const { catalog, description, document } = loadedCatalog;
  const acceptedTokens = config.coin && openX402(config.coin);
  const { rails } = config;
  const { advisor, reference } = await CatalogOpening.openCatalog(loadedCatalog, config, {
    claim: config.mail !== null,
    x402: acceptedTokens !== null,
  });
  const proofsAt = (path: string) =>
    Proof.route({
      publicUrl: config.publicUrl,
      path,
      description: 'Free advice: what to call, what it costs, how to pay',
      serviceName: catalog.storefront.name,
      networks: config.coin?.networks.map(({ network }) => network) ?? [
        config.production ? Network.base : Network.baseSepolia,
      ],
      tempoChainId: config.production ? TempoProof.chains.main : TempoProof.chains.test,
      secrets: kept.challengeSecrets,
    });
  return {
    ...kept,
    catalog,
    texts: loadedTexts.texts,
    isTaxed: catalog.storefront.tax === 'stripe',
    catalogDigest: loadedCatalog.digest,
    description,
    document,
    advisor,
    reference,
    claiming: config.mail && {
      claims: resources.claims,
      signIns: resources.signIns,
      mail: kept.outbox,
      secret: resources.claimSecret,
    },
    trustedAgents: config.trustedAgents,
    cardLimits: config.cardLimits,
    teamLimits: config.teamLimits,
    mail: config.mail && kept.outbox,
    mailer:
      config.mail &&
      openMailer({ ...config.mail, name: new URL(config.publicUrl).hostname, report: kept.report }),
    processor: openStripe({
      ...config.stripe,
      mark: { origin: config.publicUrl, former: config.formerPublicUrls },
      report: kept.report,
    }),
    acceptedTokens,
    proofs: proofsAt(Paths.path.quote),
    requiredProofs: proofsAt(Paths.path.requiredQuote),
    consoleSignIn: {
      sessionSeconds: config.console.sessionHours * 3_600,
      acceptsToken: config.console.acceptsToken,
      oidc: config.console.oidc && openOidc(config.console.oidc, config.publicUrl),
    },
    attentionLimits: config.attentionLimits,
    networkId: config.stripe.networkId,
    rails,
    upstream: openUpstreams({
      ...{ config, catalog, held: kept.held, report: kept.report },
      values: upstreamValues,
      callerSecret: resources.callerSecret,
      waits: resources.metrics.upstreamWaits,
    }),
  };
}
