import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import * as DataSets from './adapters/data-sets.ts';
import * as Database from './adapters/database.ts';
import { emailReports } from './adapters/email-reports.ts';
import * as Generations from './adapters/generations.ts';
import { keys, register } from './adapters/keys.ts';
import { prepare } from './adapters/preparation.ts';
import { records, sweep } from './adapters/records.ts';
import type { Config } from './config.ts';
import type * as Sample from './data/sample.ts';
import * as EmailTests from './email-tests.ts';
import * as Report from './emails/report.ts';
import * as Tally from './emails/tally.ts';
import * as App from './http/app.ts';
import { apis } from './http/operations.ts';
import * as RateWindow from './usage/rate-window.ts';

export type Program = {
  url: string;
  /** Takes no more requests, lets those under way end, for at most ten seconds, and closes everything. */
  stop(): Promise<void>;
};
export type Surroundings = { clock: Clock; log: Logger; sizes: Sample.Sizes };

type Answer = (request: Request) => Response | Promise<Response>;

const connectionsMax = 8;
const statementTimeoutMs = 5_000;
const requestTimeoutMs = 30_000;
/** Longer than those in front keep theirs, so that it is never this side that closes under a request. */
const keepAliveTimeoutMs = 75_000;
const drainTimeoutMs = 10_000;
const closeIdleEveryMs = 50;
const sweepEveryMs = 60_000;

/** Prepares the database and serves. Throws where the database or the port is not to be had. */
export async function start(config: Config, { clock, log, sizes }: Surroundings): Promise<Program> {
  const { databaseUrl, apiKey } = config;
  const { cursorSecret } = await prepare({ databaseUrl, apiKey, sizes, nowMs: clock() });
  // Two pools: a slow search never keeps others from settling what they used.
  const sql = Database.open(databaseUrl, { connectionsMax, statementTimeoutMs });
  const data = Database.open(databaseUrl, { connectionsMax, statementTimeoutMs, plansAnew: true });
  const watch = await DataSets.watch(sql, data, cursorSecret, (error) => log.error({ err: error }, 'watch'));
  const closeAll = async () => {
    await watch.end();
    await Promise.all([sql, data].map((pool) => Database.close(pool, drainTimeoutMs)));
  };
  let isStopping = false;
  // The port may be known only once it is taken, and the application names its own address.
  let answer: Answer = () => new Response(null, { status: 503 });
  const server = createAdaptorServer({ fetch: (request) => answer(request) }) as Server;
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  const port = await listen(server, config).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const emailTests = config.emails?.isScheduled
    ? EmailTests.start(EmailTests.surroundings(sql, config.emails, clock), (error) =>
        log.error({ err: error }, 'emails'),
      )
    : null;
  const reports = emailReports(sql);
  const tally = emailTests?.tally ?? Tally.create();
  const metrics = async (nowMs: number) => Report.metrics(await reports.at(nowMs), tally);
  answer = App.create({
    clock,
    service: {
      keys: keys(sql),
      records: records(sql),
      rates: RateWindow.create(),
      dataSets: watch.dataSets,
      apis,
      publicUrl: config.publicUrl ?? url,
    },
    admin: config.adminToken ? { token: config.adminToken, register: register(sql), apis, metrics } : null,
    isReady: async () => !isStopping && (await sql`select 1`.then(() => true).catch(() => false)),
    isOutage: Database.isOutage,
    log: (entry, error) =>
      error === null ? log.info(entry, 'request') : log.error({ ...entry, err: error }, 'request'),
  }).fetch;
  const sweeping = setInterval(() => {
    sweep(sql, clock()).catch((error: unknown) => log.error({ err: error }, 'sweep'));
    Generations.dropOld(sql, clock()).catch((error: unknown) => log.error({ err: error }, 'drop'));
  }, sweepEveryMs);
  return {
    url,
    async stop() {
      isStopping = true;
      clearInterval(sweeping);
      await Promise.all([drain(server), emailTests?.stop(drainTimeoutMs)]);
      await closeAll();
    },
  };
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
  // A connection whose last answer went out is kept open for more, and would be waited for.
  const idle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  server.close(() => resolve());
  return promise.finally(() => {
    clearTimeout(cut);
    clearInterval(idle);
  });
}
