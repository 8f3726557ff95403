import * as LaneLog from '../adapters/log/lane-log.ts';
import * as Log from '../adapters/log/log.ts';
import * as AccountKeys from '../adapters/postgres/account-keys.ts';
import * as Accounts from '../adapters/postgres/accounts.ts';
import * as Books from '../adapters/postgres/books.ts';
import { open as openCatalogs } from '../adapters/postgres/catalogs.ts';
import { open as openClaims } from '../adapters/postgres/claims.ts';
import * as Connection from '../adapters/postgres/connection.ts';
import * as Console from '../adapters/postgres/console.ts';
import { migrate } from '../adapters/postgres/migrate.ts';
import * as Orders from '../adapters/postgres/orders.ts';
import * as Proofs from '../adapters/postgres/proofs.ts';
import * as RefundRequests from '../adapters/postgres/refund-requests.ts';
import * as Revocations from '../adapters/postgres/revocations.ts';
import * as Seller from '../adapters/postgres/seller.ts';
import { open as openSignIns } from '../adapters/postgres/sign-ins.ts';
import * as StakesRecord from '../adapters/postgres/stakes.ts';
import { openSubscriptions } from '../adapters/postgres/subscriptions.ts';
import * as Tickets from '../adapters/postgres/tickets.ts';
import * as TopUps from '../adapters/postgres/top-ups.ts';
import * as Usage from '../adapters/postgres/usage.ts';
import * as SharedCount from '../adapters/redis/shared-count.ts';
import type { Catalogs } from '../catalog/catalogs.ts';
import type { Stakes } from '../catalog/stake.ts';
import type { Config } from '../config.ts';
import * as Metrics from '../http/metrics.ts';
import * as Bearer from '../identity/bearer.ts';
import type { Claims } from '../identity/claim.ts';
import * as Registration from '../identity/registration.ts';
import * as RevocationList from '../identity/revocation-list.ts';
import type { SignIns } from '../identity/sign-in.ts';
import type { Shop } from '../journeys/shop.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { secret } from '../kernel/id.ts';
import { Lane, type LaneEvent } from '../ledger/lane.ts';
import { CallLimit } from '../relay/call-limit.ts';
import * as HeldBytes from '../relay/held-bytes.ts';
import * as RateLimit from '../relay/rate-limit.ts';
import * as SharedSecrets from './shared-secrets.ts';

const connectionsMax = 10;
/** The ledger and the listener keep connections of their own: no page or report can stand in their way. */
const ledgerConnectionsMax = 2;

/** What a reload makes anew: all that comes from the catalogue and from settings that may change. */
type Renewed =
  | 'catalog'
  | 'catalogDigest'
  | 'description'
  | 'document'
  | 'advisor'
  | 'reference'
  | 'claiming'
  | 'processor'
  | 'coin'
  | 'proofs'
  | 'networkId'
  | 'upstream';

/** What a process opens once: whatever bears state. Every generation of its shop stands on it. */
export type Foundation = {
  readonly log: Log.Log;
  readonly sql: Connection.Connection;
  readonly ledgerSql: Connection.Connection;
  readonly metrics: Metrics.Metrics;
  readonly stakes: Stakes;
  readonly catalogs: Catalogs;
  readonly claims: Claims;
  readonly signIns: SignIns;
  readonly claimSecret: string;
  readonly revocations: Awaited<ReturnType<typeof openRevocations>>;
  readonly tickets: ReturnType<typeof Tickets.open>;
  readonly kept: Omit<Shop, Renewed>;
  /** How many processes share the limits of calls. */
  processes: number;
  /** Takes nothing new any more. */
  draining: boolean;
  /** Looks for keys and secrets that have been made or dropped since. */
  refreshSecrets(): Promise<void>;
  close(): Promise<void>;
};

/** Opens it: the database, migrated; who calls; what is left; what is counted. */
export async function open(config: Config, log: Log.Log): Promise<Foundation> {
  const events: Log.Tally = new Map();
  const warn = Log.telling(log, 'warn', events);
  await migrate(config.databaseUrl);
  const sql = Connection.open(config.databaseUrl, connectionsMax);
  const ledgerSql = Connection.open(config.databaseUrl, ledgerConnectionsMax);
  const patientSql = Connection.open(config.databaseUrl, 1, StakesRecord.stakesMsMax);
  const secrets = await SharedSecrets.open(sql, config.publicUrl);
  const desk = Bearer.open(secrets.ring, clock());
  const shared = config.redisUrl === null ? null : SharedCount.open({ url: config.redisUrl, report: warn });
  // What is not asked for is not loaded.
  const tracer = config.tracing && (await import('../adapters/otel/tracer.ts')).open(config.tracing, warn);
  const tell = (event: LaneEvent) => LaneLog.write(log, events, event);
  const lane = new Lane(Books.open(ledgerSql), config.lane, clock, tell, tracer);
  const revocations = await openRevocations(sql, desk);
  const tickets = Tickets.open(sql);
  const foundation: Foundation = {
    log,
    sql,
    ledgerSql,
    metrics: Metrics.open({ lane, clock }, events),
    stakes: StakesRecord.open(patientSql),
    catalogs: openCatalogs(sql),
    claims: openClaims(sql),
    signIns: openSignIns(sql),
    claimSecret: await Accounts.sharedSecret(sql, 'claim-code', secret('clc')),
    revocations,
    tickets,
    kept: {
      publicUrl: config.publicUrl,
      clock,
      desk,
      accounts: Accounts.openAccounts(sql),
      registrations: Registration.openLog(),
      revocations,
      lane,
      keys: AccountKeys.open(sql),
      tickets,
      usage: Usage.open(sql),
      statements: Accounts.openStatements(sql),
      orders: Orders.open(sql, config.lane),
      subscriptions: openSubscriptions(sql),
      topUps: TopUps.open(sql, config.lane),
      gifts: Seller.openGifts(sql),
      promotions: Seller.openPromotions(sql),
      audit: Seller.openAudit(sql),
      console: await Console.open(sql, secret('con')),
      refundRequests: RefundRequests.open(sql),
      notices: Orders.openNotices(sql),
      verifications: RateLimit.create(),
      challengeSecrets: secrets.challenges,
      wallets: Proofs.open(sql),
      held: HeldBytes.create(),
      callLimit: new CallLimit(clock, shared, () => foundation.processes),
      tracer,
      report: Log.telling(log, 'error', events),
    },
    processes: 1,
    draining: false,
    async refreshSecrets() {
      if (await secrets.refresh()) Bearer.changeKeys(desk, secrets.ring);
    },
    async close() {
      shared?.close();
      await tracer?.close();
      await Promise.all([sql, ledgerSql, patientSql].map((pool) => pool.end({ timeout: 2 })));
    },
  };
  return foundation;
}

function openRevocations(sql: Connection.Connection, desk: Bearer.Desk) {
  return Revocations.open(sql, {
    revoked: (id) => Bearer.revoke(desk, id, clock()),
    joined: (join) => Bearer.join(desk, join, clock()),
    frozen: (accounts) => {
      desk.frozen.clear();
      for (const account of accounts) Bearer.freeze(desk, account, true);
    },
    froze: (account, isFrozen) => Bearer.freeze(desk, account, isFrozen),
    sinceMs: () => clock() - RevocationList.holdMs,
  });
}
