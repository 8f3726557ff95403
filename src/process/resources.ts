import type { Clock } from '@sluice/kernel/clock';
import { id, secret } from '@sluice/kernel/id';
import { openAgentDirectories } from '../adapters/agent-directories.ts';
import { openClientDocuments } from '../adapters/client-metadata.ts';
import { logLedgerEvent } from '../adapters/log/ledger-log.ts';
import * as Log from '../adapters/log/log.ts';
import * as Accounts from '../adapters/postgres/accounts.ts';
import { openCatalogHistory } from '../adapters/postgres/catalogs.ts';
import { openClaims } from '../adapters/postgres/claims.ts';
import type * as Connection from '../adapters/postgres/connection.ts';
import { openDatabaseClock } from '../adapters/postgres/database-clock.ts';
import * as Events from '../adapters/postgres/events.ts';
import { openIdempotencyKeys } from '../adapters/postgres/idempotency-keys.ts';
import { openLedgerStore } from '../adapters/postgres/ledger-store.ts';
import type { Listener } from '../adapters/postgres/listener.ts';
import * as Migrate from '../adapters/postgres/migrate.ts';
import * as PlanHoldings from '../adapters/postgres/plan-holdings.ts';
import * as Revocations from '../adapters/postgres/revocations.ts';
import { openShopTotals } from '../adapters/postgres/shop-totals.ts';
import { openSignIns } from '../adapters/postgres/sign-ins.ts';
import { openUncountableRecord } from '../adapters/postgres/uncountable.ts';
import type { SharedCountOptions } from '../adapters/redis/shared-rate-limit.ts';
import type { Catalogs, Publications } from '../catalog/catalogs.ts';
import type { PlanHoldingsReader } from '../catalog/plan-holdings.ts';
import type { Config } from '../config.ts';
import { type BodyBudgets, openBudgets } from '../http/server/body-budget.ts';
import * as Metrics from '../http/telemetry/metrics.ts';
import * as Bearer from '../identity/bearer.ts';
import type { Claims } from '../identity/claim.ts';
import * as RevocationList from '../identity/revocation-list.ts';
import type { SignIns } from '../identity/sign-in.ts';
import { LedgerWriter } from '../ledger/ledger-writer.ts';
import type { LedgerWriterEvent } from '../ledger/ledger-writer-event.ts';
import { DistributedRateLimit } from '../proxy/distributed-rate-limit.ts';
import { OpenSockets } from '../proxy/open-sockets.ts';
import { UncountableCounts, type UncountableRecord } from '../proxy/uncountable.ts';
import * as DatabasePools from './database-pools.ts';
import { type Kept, openKept } from './kept-members.ts';
import * as SharedSecrets from './shared-secrets.ts';

/** Everything with state, opened once per process and shared by all revisions. */
export type Resources = {
  readonly log: Log.Log;
  readonly sql: Connection.Connection;
  readonly ledgerSql: Connection.Connection;
  readonly listener: Listener;
  readonly metrics: Metrics.Metrics;
  readonly budgets: BodyBudgets;
  /** The WebSockets of this process. */
  readonly sockets: OpenSockets;
  readonly stakes: PlanHoldingsReader;
  readonly catalogs: Catalogs;
  readonly publications: Publications;
  readonly claims: Claims;
  readonly signIns: SignIns;
  readonly claimSecret: string;
  /** The secret of the pairwise ids of buyers. */
  readonly callerSecret: string;
  readonly revocations: Revocations.SharedRevocations;
  readonly idempotencyKeys: ReturnType<typeof openIdempotencyKeys>;
  readonly uncountable: UncountableCounts;
  readonly uncountableRecord: UncountableRecord;
  readonly kept: Kept;
  /** Number of processes that share the rate limits. */
  processes: number;
  /** True during shutdown: no new work is accepted. */
  draining: boolean;
  /** Synchronizes with the database's clock, which all processes use. */
  syncClock(): Promise<void>;
  /** Loads keys and secrets that were created or dropped since. */
  refreshSecrets(): Promise<void>;
  close(): Promise<void>;
};

/** Migrates the database, or checks that it is migrated, and opens everything that lasts for the life of the process. */
export async function openResources(config: Config, log: Log.Log): Promise<Resources> {
  const events: Log.EventCounts = new Map();
  const warn = Log.reporter(log, 'warn', events);
  await prepareDatabase(config);
  const { sql, ledgerSql, patientSql, reportSql, listener, end } = DatabasePools.open(config);
  const databaseClock = await openDatabaseClock(sql, (skewMs) =>
    warn('clock_skew', {
      ahead_s: Math.round(skewMs / 1_000),
      says: 'set the clocks of this host and of the database by NTP',
    }),
  );
  const clock = databaseClock.now;
  const secrets = await SharedSecrets.openSharedSecrets(sql, config.publicUrl, clock);
  const tokenVerifier = Bearer.openTokenVerifier(secrets.ring, clock());
  const shared = await openShared(config, warn);
  // OpenTelemetry is loaded only when tracing is on.
  const tracer =
    config.tracing && (await import('../adapters/otel/tracer.ts')).openTracer(config.tracing, warn);
  const tell = (event: LedgerWriterEvent) => logLedgerEvent(log, events, event);
  const writer = new LedgerWriter(openLedgerStore(ledgerSql), config.writer, clock, tell, tracer);
  const revocations = await openRevocations(sql, listener, tokenVerifier, clock);
  const idempotencyKeys = openIdempotencyKeys(sql);
  const clientDocuments = openClientDocuments(isLocal(config.publicUrl));
  const uncountable = new UncountableCounts(clock);
  const uncountableRecord = openUncountableRecord(sql, id('prc'));
  const resources: Resources = {
    log,
    sql,
    ledgerSql,
    listener,
    metrics: Metrics.createMetrics({ writer, clock, uncountable, ...openTotals(sql, reportSql) }, events),
    uncountable,
    uncountableRecord,
    budgets: openBudgets(config.bodyMemoryBytes),
    sockets: new OpenSockets(config.sockets),
    stakes: PlanHoldings.openPlanHoldings(patientSql, sql),
    ...openCatalogHistory(sql),
    claims: openClaims(sql),
    signIns: openSignIns(sql),
    claimSecret: await Accounts.sharedSecret(sql, 'claim-code', secret('clc')),
    callerSecret: await Accounts.sharedSecret(sql, 'caller-id', secret('cid')),
    revocations,
    idempotencyKeys,
    syncClock: databaseClock.sync,
    kept: await openKept({
      config,
      sql,
      reportSql,
      clock,
      secrets,
      tokenVerifier,
      revocations,
      idempotencyKeys,
      clientDocuments,
      agentDirectories: openAgentDirectories(warn),
      writer,
      tracer,
      uncountable,
      uncountableRecord,
      report: Log.reporter(log, 'error', events),
      callLimit: new DistributedRateLimit(clock, shared, () => resources.processes),
    }),
    processes: 1,
    draining: false,
    async refreshSecrets() {
      if (await secrets.refresh()) Bearer.changeKeys(tokenVerifier, secrets.ring);
    },
    async close() {
      shared?.close();
      await tracer?.close();
      await Promise.all([clientDocuments.close(), resources.kept.agentDirectories.close()]);
      await end();
    },
  };
  return resources;
}

/** The client of Redis is loaded only when it is used. */
async function openShared({ redisUrl: url }: Config, report: SharedCountOptions['report']) {
  if (url === null) return null;
  const { openSharedCount } = await import('../adapters/redis/shared-rate-limit.ts');
  return openSharedCount({ url, report });
}

function openTotals(sql: Connection.Connection, reportSql: Connection.Connection) {
  return { shopTotals: openShopTotals(reportSql), eventTotals: () => Events.readTotals(sql) };
}

function prepareDatabase({ migrates, databaseUrl, databaseOwnerUrl }: Config): Promise<void> {
  return migrates ? Migrate.migrate(databaseUrl, databaseOwnerUrl) : Migrate.requireCurrent(databaseUrl);
}

/** Returns true when the public URL is on this machine. */
function isLocal(publicUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(publicUrl).hostname);
}

function openRevocations(
  sql: Connection.Connection,
  listener: Listener,
  tokenVerifier: Bearer.TokenVerifier,
  clock: Clock,
): Promise<Revocations.SharedRevocations> {
  return Revocations.openRevocations(sql, listener, {
    revoked: (id) => Bearer.revoke(tokenVerifier, id, clock()),
    joined: (join) => Bearer.join(tokenVerifier, join, clock()),
    frozen: (accounts) => {
      tokenVerifier.frozen.clear();
      for (const account of accounts) Bearer.freeze(tokenVerifier, account, true);
    },
    froze: (account, isFrozen) => Bearer.freeze(tokenVerifier, account, isFrozen),
    sinceMs: () => clock() - RevocationList.holdMs,
  });
}
