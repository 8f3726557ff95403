import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Clock } from '@sluice/kernel/clock';
import type { Logger } from 'pino';
import { bootstrap } from './adapters/bootstrap.ts';
import * as DataSetVersions from './adapters/data-set-versions.ts';
import * as DataSets from './adapters/data-sets.ts';
import * as Database from './adapters/database.ts';
import { emailReports } from './adapters/email-reports.ts';
import { keyStore, keys } from './adapters/keys.ts';
import { records, sweep } from './adapters/records.ts';
import { sumUpHours, usageReport } from './adapters/usage-report.ts';
import type { Config } from './config.ts';
import type * as Sample from './data/sample.ts';
import * as EmailTests from './email-tests.ts';
import * as Counters from './emails/counters.ts';
import * as Report from './emails/report.ts';
import * as EmailSettings from './emails/settings.ts';
import * as App from './http/app.ts';
import { apis } from './http/operations.ts';
import * as LiveSources from './live-sources.ts';
import * as Cancellations from './usage/cancellations.ts';
import * as RateWindow from './usage/rate-window.ts';

export type Program = {
  url: string;
  /** Stops accepting requests, waits at most ten seconds for running ones, and closes all connections. */
  stop(): Promise<void>;
};
export type ProgramContext = { clock: Clock; log: Logger; sizes: Sample.Sizes };

type Answer = (request: Request, env: unknown) => Response | Promise<Response>;

const connectionsMax = 8;
/** At most two large searches run at the same time, each with a few statements at once. */
const largeConnectionsMax = 4;
const statementTimeoutMs = 4_000;
const requestTimeoutMs = 30_000;
/** Longer than clients keep idle connections, so that this side never closes a connection that a request is arriving on. */
const keepAliveTimeoutMs = 75_000;
const drainTimeoutMs = 10_000;
const closeIdleEveryMs = 50;
const sweepEveryMs = 60_000;
const cancelEveryMs = 1_000;

/** Prepares the database and starts serving. Throws if the database or the port is unavailable. */
export async function start(config: Config, { clock, log, sizes }: ProgramContext): Promise<Program> {
  const { databaseUrl, apiKey } = config;
  const { cursorSecret, sessionSecret } = await bootstrap({ databaseUrl, apiKey, sizes, nowMs: clock() });
  const { sql, watch, live, closeAll } = await openData(config, cursorSecret, { clock, log });
  let isStopping = false;
  // With port 0 the address is known only after listening, but the application needs its own address.
  let answer: Answer = () => new Response(null, { status: 503 });
  const server = createAdaptorServer({ fetch: (request, env) => answer(request, env) }) as Server;
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  const port = await listen(server, config).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  if (config.emails === null) log.warn(EmailSettings.offNotice);
  const emailTests = config.emails?.isScheduled
    ? EmailTests.start(EmailTests.workerContext(sql, config.emails, clock), (error) =>
        log.error({ err: error }, 'emails'),
      )
    : null;
  const reports = emailReports(sql);
  const counters = emailTests?.counters ?? Counters.create();
  const tokenDigest = config.adminTokenDigest;
  const usage = records(sql);
  const cancellations = Cancellations.create(usage);
  const metrics = async (nowMs: number) => Report.metrics(await reports.at(nowMs), counters) + live.metrics();
  answer = App.create({
    clock,
    service: {
      keys: keys(sql),
      records: usage,
      cancellations,
      wasNotSent: Database.wasNotSent,
      rates: RateWindow.create(),
      dataSets: watch.dataSets,
      liveSource: live.sourceFor,
      publicUrl: config.publicUrl ?? url,
    },
    admin: tokenDigest === null ? null : { tokenDigest, keyStore: keyStore(sql), apis, metrics },
    dashboard: {
      sessionSecret,
      keyStore: keyStore(sql),
      usage: usageReport(sql),
      clientAddressHeader: config.clientAddressHeader,
    },
    isReady: async () => !isStopping && (await sql`select 1`.then(() => true).catch(() => false)),
    isOutage: Database.isOutage,
    withinBudget: Database.withinBudget,
    log: (entry, error) =>
      error === null ? log.info(entry, 'request') : log.error({ ...entry, err: error }, 'request'),
  }).fetch;
  const sweeping = setInterval(() => {
    sweep(sql, clock()).catch((error: unknown) => log.error({ err: error }, 'sweep'));
    sumUpHours(sql, clock()).catch((error: unknown) => log.error({ err: error }, 'usage'));
    DataSetVersions.dropOld(sql, clock()).catch((error: unknown) => log.error({ err: error }, 'drop'));
  }, sweepEveryMs);
  const cancelling = setInterval(() => void cancellations.run().catch(() => {}), cancelEveryMs);
  return {
    url,
    async stop() {
      isStopping = true;
      clearInterval(sweeping);
      clearInterval(cancelling);
      await Promise.all([drain(server), emailTests?.stop(drainTimeoutMs)]);
      await cancellations.run().catch(() => {});
      await closeAll();
    },
  };
}

/** Opens the connections, the data sets and the source of live profiles. */
async function openData(
  config: Config,
  cursorSecret: string,
  { clock, log }: Pick<ProgramContext, 'clock' | 'log'>,
) {
  const { databaseUrl } = config;
  // Separate pools, so that slow searches cannot delay authentication and the settling of records, nor large searches the others.
  const sql = Database.openPool(databaseUrl, { connectionsMax, statementTimeoutMs });
  const data = Database.openPool(databaseUrl, { connectionsMax, statementTimeoutMs, plansEachTime: true });
  const large = Database.openPool(databaseUrl, {
    connectionsMax: largeConnectionsMax,
    statementTimeoutMs: config.largeSearchMs,
    plansEachTime: true,
  });
  const largeSearches = { data: large, termsMax: config.searchTermsMax };
  const watch = await DataSets.watch(sql, data, largeSearches, cursorSecret, (error) =>
    log.error({ err: error }, 'watch'),
  );
  const live = await LiveSources.open(config.live, {
    dataSets: watch.dataSets,
    clock,
    log: (entry, error) =>
      error === null ? log.info(entry, 'live') : log.error({ ...entry, err: error }, 'live'),
    onFault: (error) => log.error({ err: error }, 'live stand-in'),
  });
  if (live.sourceFor(watch.dataSets.live()) === null)
    log.warn('no live profile source: the real-time search answers 501. Set DIRECT_LIVE_URL');
  const closeAll = async () => {
    await live.stop();
    await watch.end();
    await Promise.all([sql, data, large].map((pool) => Database.close(pool, drainTimeoutMs)));
  };
  return { sql, watch, live, closeAll };
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function drain(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cut = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
  // Close kept-alive connections that become idle: `server.close` would wait for them.
  const idle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  server.close(() => resolve());
  return promise.finally(() => {
    clearTimeout(cut);
    clearInterval(idle);
  });
}
