import * as Chain from './adapters/chain.ts';
import * as Facilitator from './adapters/facilitator.ts';
import * as LaneLog from './adapters/log/lane-log.ts';
import * as Log from './adapters/log/log.ts';
import * as Smtp from './adapters/mail/smtp.ts';
import * as AccountKeys from './adapters/postgres/account-keys.ts';
import * as Accounts from './adapters/postgres/accounts.ts';
import * as Announcements from './adapters/postgres/announcements.ts';
import * as Books from './adapters/postgres/books.ts';
import * as Claims from './adapters/postgres/claims.ts';
import * as Connection from './adapters/postgres/connection.ts';
import * as Console from './adapters/postgres/console.ts';
import * as Lanes from './adapters/postgres/lanes.ts';
import { migrate } from './adapters/postgres/migrate.ts';
import * as Orders from './adapters/postgres/orders.ts';
import * as PoolWatch from './adapters/postgres/pool-watch.ts';
import * as Proofs from './adapters/postgres/proofs.ts';
import * as RefundRequestRecord from './adapters/postgres/refund-requests.ts';
import * as Revocations from './adapters/postgres/revocations.ts';
import * as Seller from './adapters/postgres/seller.ts';
import * as SignIns from './adapters/postgres/sign-ins.ts';
import { openSubscriptions } from './adapters/postgres/subscriptions.ts';
import * as Tickets from './adapters/postgres/tickets.ts';
import * as TopUps from './adapters/postgres/top-ups.ts';
import * as Upkeep from './adapters/postgres/upkeep.ts';
import * as Usage from './adapters/postgres/usage.ts';
import * as SharedCount from './adapters/redis/shared-count.ts';
import * as Stripe from './adapters/stripe/processor.ts';
import * as Upstream from './adapters/upstream/upstream.ts';
import * as Advisor from './advisor/advisor.ts';
import * as Description from './catalog/description.ts';
import * as CatalogFile from './catalog/file.ts';
import * as Chore from './chore.ts';
import * as Config from './config.ts';
import * as Directory from './discovery/directory.ts';
import * as Reference from './discovery/reference.ts';
import * as App from './http/app.ts';
import * as Server from './http/server.ts';
import * as Bearer from './identity/bearer.ts';
import * as KeyRing from './identity/key-ring.ts';
import * as Registration from './identity/registration.ts';
import * as RevocationList from './identity/revocation-list.ts';
import * as SigningKey from './identity/signing-key.ts';
import * as Reconciliation from './journeys/reconciliation.ts';
import * as RefundRequests from './journeys/refund-requests.ts';
import type { Shop } from './journeys/shop.ts';
import * as TopUp from './journeys/top-up.ts';
import { systemClock as clock } from './kernel/clock.ts';
import { secret } from './kernel/id.ts';
import { Lane } from './ledger/lane.ts';
import * as Proof from './payment/proof.ts';
import * as TempoProof from './payment/tempo-proof.ts';
import * as Network from './payment/x402/network.ts';
import { CallLimit } from './relay/call-limit.ts';
import * as RateLimit from './relay/rate-limit.ts';

const connectionsMax = 10;
/** The ledger and the listener keep connections of their own: no page or report can stand in their way. */
const ledgerConnectionsMax = 2;
const tickEveryMs = 50;
const upkeepEveryMs = 2_000;
const pulseEveryMs = 1_000;
const reconcileEveryMs = 20_000;
const topUpEveryMs = 1_000;
const poolWatchEveryMs = 5_000;

const parsed = Config.parse(process.env);
if (!parsed.ok) {
  process.stderr.write(
    `The storefront cannot start:\n${parsed.faults.map((fault) => `  - ${fault}\n`).join('')}`,
  );
  process.exit(2);
}
await run(parsed.config, Log.open(parsed.config.logLevel)).catch((fault: unknown) => {
  process.stderr.write(`The storefront cannot start: ${fault instanceof Error ? fault.message : fault}\n`);
  process.exit(1);
});
/** One storefront process, from its configuration to its end on SIGTERM. */
async function run(config: Config.Config, log: Log.Log): Promise<void> {
  const events: Log.Tally = new Map();
  const warn = Log.telling(log, 'warn', events);
  const catalog = await CatalogFile.load(config.catalogPath);
  const described = await Description.read(catalog.upstream.description);
  if (!described.ok) throw new Error(`${catalog.upstream.description} ${described.reason}`);
  await migrate(config.databaseUrl);
  const sql = Connection.open(config.databaseUrl, connectionsMax);
  const ledgerSql = Connection.open(config.databaseUrl, ledgerConnectionsMax);
  const desk = Bearer.open(await keyRing(sql, config.publicUrl), clock());
  const revocations = await Revocations.open(sql, {
    revoked: (id) => Bearer.revoke(desk, id, clock()),
    joined: (join) => Bearer.join(desk, join, clock()),
    frozen: (accounts) => {
      desk.frozen.clear();
      for (const account of accounts) Bearer.freeze(desk, account, true);
    },
    froze: (account, isFrozen) => Bearer.freeze(desk, account, isFrozen),
    sinceMs: () => clock() - RevocationList.holdMs,
  });
  const tickets = Tickets.open(sql);
  const rails = ['mpp', 'card', ...(config.coin ? ['x402'] : [])];
  const advisor = Advisor.open(catalog, described.document, config.publicUrl, rails, Directory.path.guide);
  const shared =
    config.redisUrl === null
      ? null
      : SharedCount.open({
          url: config.redisUrl,
          report: warn,
        });
  let processes = 1;
  const callLimit = new CallLimit(clock, shared, () => processes);
  // What is not asked for is not loaded.
  const tracer = config.tracing && (await import('./adapters/otel/tracer.ts')).open(config.tracing, warn);
  const { description, document } = described;
  const reference = await Reference.open(catalog, document, {
    baseUrl: config.publicUrl,
    offers: { claim: config.mail !== null, x402: config.coin !== null },
  });
  const known = {
    catalog,
    description,
    document,
    advisor,
    reference,
    desk,
    revocations,
    tickets,
    callLimit,
    tracer,
  };
  const shop = await open(config, known, sql, ledgerSql, log, events);
  let draining = false;
  const lines = Log.ofKnownShape(log);
  const app = App.open(shop, {
    clientAddressHeader: config.clientAddressHeader,
    adminTokenDigest: config.adminTokenDigest,
    isDraining: () => draining,
    events,
    log: {
      line: (line) => lines.info(line),
      fault: (fault, requestId) =>
        log.error({ event: 'fault', request_id: requestId, ...Log.describe(fault) }),
    },
  });
  // The port first: it is what makes the lane's name unique on this host.
  const drain = await Server.serve(config, app);
  // Before it opens: without its clockwork a lane waits for ever for books that stall.
  const ticking = setInterval(() => shop.lane.tick(), tickEveryMs);
  await shop.lane.open();
  await Announcements.listen(ledgerSql, {
    granted: (account) => shop.lane.touch(account),
    recall: (account) => shop.lane.recall(account),
    returned: (account) => shop.lane.cameBack(account),
  });
  const chores = [
    Chore.start(log, 'pulse', pulseEveryMs, () => revocations.pulse()),
    Chore.start(log, 'upkeep', upkeepEveryMs, () => Upkeep.run(sql)),
    Chore.start(log, 'tickets', upkeepEveryMs, () => tickets.mend()),
    Chore.start(log, 'processes', upkeepEveryMs, async () => {
      processes = Math.max(1, await Lanes.openLanes(sql));
    }),
    Chore.start(log, 'reconciliation', reconcileEveryMs, () => Reconciliation.run(shop)),
    Chore.start(log, 'top_up', topUpEveryMs, () => TopUp.run(shop)),
    Chore.start(log, 'refund_requests', upkeepEveryMs, () => RefundRequests.tell(shop)),
    ...[sql, ledgerSql].map((pool) => {
      const isLost = PoolWatch.watch(pool, config.databaseUrl);
      return Chore.start(log, 'pool_watch', poolWatchEveryMs, async () => {
        if (await isLost())
          Log.giveUp(log, 'pool_lost', new Error('a database pool hangs; a new process is needed'));
      });
    }),
  ];
  process.on('unhandledRejection', (fault) => {
    // The driver's own first query on a connection that dies beside it is nobody's to catch; the next one connects anew.
    if (Connection.isLost(fault)) log.warn({ event: 'connection_lost', ...Log.describe(fault) });
    else Log.giveUp(log, 'unhandled_rejection', fault);
  });

  const stop = async (why: string) => {
    if (draining) return;
    draining = true;
    log.info({ event: 'draining', why });
    for (const chore of chores) clearInterval(chore);
    await drain();
    await shop.lane
      .drain()
      .catch((fault: unknown) => log.error({ event: 'lane_not_closed', ...Log.describe(fault) }));
    clearInterval(ticking);
    await Promise.all([shop.upstream.close(), shop.coin?.facilitator.close()]);
    shared?.close();
    await tracer?.close();
    await Promise.all([sql.end({ timeout: 2 }), ledgerSql.end({ timeout: 2 })]);
    log.info({ event: 'stopped' });
    log.flush(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.once(signal, () => void stop(signal));

  log.info({
    event: 'listening',
    url: config.publicUrl,
    host: config.host,
    port: config.port,
    lane: config.lane,
  });
  process.send?.({ ready: true, url: config.publicUrl });
}

/** Puts the shop together. */
async function open(
  config: Config.Config,
  known: Pick<
    Shop,
    | 'catalog'
    | 'description'
    | 'document'
    | 'advisor'
    | 'reference'
    | 'desk'
    | 'revocations'
    | 'tickets'
    | 'callLimit'
    | 'tracer'
  >,
  sql: Connection.Connection,
  ledgerSql: Connection.Connection,
  log: Log.Log,
  events: Log.Tally,
): Promise<Shop> {
  const report = Log.telling(log, 'error', events);
  const challengeSecrets = { current: await Accounts.sharedSecret(sql, 'payment-challenge', secret('chs')) };
  return {
    ...known,
    publicUrl: config.publicUrl,
    clock,
    accounts: Accounts.openAccounts(sql),
    registrations: Registration.openLog(),
    claiming: config.mail && {
      claims: Claims.open(sql),
      signIns: SignIns.open(sql),
      mailer: Smtp.open({ ...config.mail, report }),
      secret: await Accounts.sharedSecret(sql, 'claim-code', secret('clc')),
    },
    lane: new Lane(
      Books.open(ledgerSql),
      config.lane,
      clock,
      (event) => LaneLog.write(log, events, event),
      known.tracer,
    ),
    keys: AccountKeys.open(sql),
    usage: Usage.open(sql),
    statements: Accounts.openStatements(sql),
    orders: Orders.open(sql, config.lane),
    subscriptions: openSubscriptions(sql),
    topUps: TopUps.open(sql, config.lane),
    gifts: Seller.openGifts(sql),
    promotions: Seller.openPromotions(sql),
    audit: Seller.openAudit(sql),
    console: await Console.open(sql, secret('con')),
    refundRequests: RefundRequestRecord.open(sql),
    notices: Orders.openNotices(sql),
    processor: Stripe.open(config.stripe),
    coin: config.coin && {
      network: config.coin.network,
      payTo: config.coin.payTo,
      facilitator: Facilitator.open({ url: config.coin.facilitatorUrl }),
      chain: config.coin.rpcUrl === null ? null : Chain.open(config.coin.rpcUrl),
    },
    verifications: RateLimit.create(),
    challengeSecrets,
    wallets: Proofs.open(sql),
    proofs: Proof.route({
      publicUrl: config.publicUrl,
      path: Directory.path.quote,
      description: 'Free advice: what to call, what it costs, how to pay',
      serviceName: known.catalog.storefront.name,
      networks: [config.coin?.network ?? (config.production ? Network.base : Network.baseSepolia)],
      tempoChainId: config.production ? TempoProof.chains.main : TempoProof.chains.test,
      secrets: challengeSecrets,
    }),
    networkId: config.stripe.networkId,
    upstream: Upstream.open({
      baseUrl: config.upstream.url,
      key: config.upstream.key,
      keyHeader: known.catalog.upstream.key,
      timeoutMs: known.catalog.upstream.timeoutMs,
    }),
    report,
  };
}

/** The shop's signing keys; the first one is made at the first start, by whichever process comes first. */
async function keyRing(sql: Connection.Connection, publicUrl: string): Promise<KeyRing.KeyRing> {
  const keys = Accounts.openSigningKeys(sql);
  if ((await keys.all()).length === 0) {
    const fresh = await SigningKey.generate(clock());
    await keys.add(JSON.parse(await Accounts.sharedSecret(sql, 'first-signing-key', JSON.stringify(fresh))));
  }
  return KeyRing.of(publicUrl, await Promise.all((await keys.all()).map(SigningKey.load)));
}
