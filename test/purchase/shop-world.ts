import { fileURLToPath } from 'node:url';
import { systemClock } from '@sluice/kernel/clock';
import { pino } from 'pino';
import * as Sandbox from '../../packages/stripe-sandbox/src/server.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import * as Maintenance from '../../src/adapters/postgres/maintenance.ts';
import { migrate } from '../../src/adapters/postgres/migrate.ts';
import * as Notify from '../../src/adapters/postgres/notify.ts';
import * as Server from '../../src/http/server/server.ts';
import * as Reconciliation from '../../src/journeys/resolve-in-doubt.ts';
import type { Shop } from '../../src/journeys/shop.ts';
import * as TopUp from '../../src/journeys/top-up.ts';
import * as ConfigReloader from '../../src/process/config-reloader.ts';
import { openResources } from '../../src/process/resources.ts';
import * as Upstream from '../proxy/scripted-upstream.ts';
import { createDatabase } from '../support/database.ts';
import * as Facilitator from '../support/facilitator.ts';
import * as MovingClock from '../support/moving-clock.ts';
import * as Program from '../support/program.ts';
import * as Network from './network.ts';

const tickEveryMs = 20;
const webhookSecret = 'whsec_test';
const catalog = fileURLToPath(new URL('../fixtures/histories.yaml', import.meta.url));
/** The last day of a long month, early in UTC: the end of the month then depends on the time zone and on the month's length. */
const begins = { month: 0, day: 31, hour: 2 };

/** A flaw of a shop: statements for its database, and changes to the dependencies of its processes. */
export type Flaw = {
  sql?: readonly string[];
  meddle?: (shop: Shop, network: Network.Network) => Partial<Shop>;
};

export type Process = {
  url: string;
  shop: Shop;
  /** Runs the periodic jobs of a process. With `isLenient`, an unavailable processor is no error. */
  chores(isLenient: boolean): Promise<void>;
};

/** A shop of two processes, the card network, a facilitator and an upstream, whose common time the test moves. */
export type World = {
  sql: Connection.Connection;
  processes: readonly [Process, Process];
  network: Network.Network;
  facilitator: Facilitator.FacilitatorDouble;
  nowMs(): number;
  advance(ms: number): Promise<void>;
  /** Returns the log lines about faults since the last call. */
  faults(): string[];
  close(): Promise<void>;
};

export async function open(flaw: Flaw = {}): Promise<World> {
  const database = await createDatabase();
  const sql = Connection.openConnection(database.url, 4, 30_000);
  await MovingClock.prepare(sql);
  // Sessions read the setting of their database when they start.
  await sql.end({ timeout: 1 });
  await migrate(database.url);
  const moving = Connection.openConnection(database.url, 4, 30_000);
  await MovingClock.adopt(moving);
  for (const statement of flaw.sql ?? []) await moving.unsafe(statement);
  const upstream = await Upstream.scripted(({ socket, head }) => {
    const max = Number(/max=(\d+)/.exec(head)?.[1] ?? 1);
    socket.write(Upstream.http(200, JSON.stringify({ count: max })));
  });
  const facilitator = await Facilitator.open();
  facilitator.setMood('batching');
  const ports = [await Program.freePort(), await Program.freePort()] as const;
  const sandboxPort = await Program.freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const publicUrl = `http://127.0.0.1:${ports[0]}`;
  const sandbox = await Sandbox.start(
    {
      host: '127.0.0.1',
      port: sandboxPort,
      publicUrl: sandboxUrl,
      dataDir: null,
      businessName: null,
      webhook: { url: `${publicUrl}/webhooks/stripe`, secret: webhookSecret },
    },
    systemClock,
  );
  let leadMs = 0;
  const nowMs = () => Date.now() + leadMs;
  const network = Network.of(sandboxUrl, nowMs);
  const env = {
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    DATABASE_URL: database.url,
    UPSTREAM_URL: upstream.url,
    UPSTREAM_API_KEY: 'upk_1',
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_NETWORK_ID: 'profile_test_sluice',
    STRIPE_API_BASE: sandboxUrl,
    CATALOG: catalog,
    CLIENT_ADDRESS_HEADER: 'x-forwarded-for',
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
    X402_FACILITATOR_URL: facilitator.url,
    LOG_LEVEL: 'error',
  };
  const lines: string[] = [];
  const first = await openProcess({ ...env, PORT: String(ports[0]), LANE: 'a' }, lines, flaw, network);
  const second = await openProcess({ ...env, PORT: String(ports[1]), LANE: 'b' }, lines, flaw, network);
  const world: World = {
    sql: moving,
    processes: [first, second],
    network,
    facilitator,
    nowMs,
    async advance(ms) {
      // The card network counts in whole seconds.
      const seconds = Math.round(ms / 1_000);
      leadMs += seconds * 1_000;
      await MovingClock.advance(moving, seconds * 1_000);
      await Promise.all([first.syncClock(), second.syncClock()]);
      await network.control('/clock', { advance_seconds: seconds });
    },
    faults: () => lines.splice(0),
    async close() {
      await Promise.all([first.stop(), second.stop()]);
      await Promise.all([sandbox.close(), facilitator.close(), upstream.close()]);
      await moving.end({ timeout: 1 });
      await database.drop();
    },
  };
  const start = new Date();
  const year = start.getUTCFullYear() + 1;
  await world.advance(Date.UTC(year, begins.month, begins.day, begins.hour) - start.getTime());
  return world;
}

async function openProcess(
  env: Readonly<Record<string, string>>,
  lines: string[],
  flaw: Flaw,
  network: Network.Network,
): Promise<Process & { syncClock(): Promise<void>; stop(): Promise<void> }> {
  const found = await ConfigReloader.read(env);
  if (found.kind === 'faulty') throw new Error(found.faults.join('\n'));
  const { loadedConfig: stock } = found;
  const log = pino({ level: 'error', base: null }, { write: (line: string) => void lines.push(line) });
  const foundation = await openResources(stock.config, log);
  const reloading = await ConfigReloader.ConfigReloader.open(env, foundation, stock);
  const { writer, clock } = foundation.kept;
  const { drain } = await Server.serve(
    { host: stock.config.host, port: stock.config.port },
    () => reloading.current.answering,
    clock,
  );
  const ticking = setInterval(() => writer.tick(), tickEveryMs);
  await writer.open();
  await Notify.listen(foundation.listener, {
    granted: (account) => writer.touch(account),
    recall: (account) => writer.recall(account),
    returned: (account) => writer.cameBack(account),
    listening: () => writer.resynchronize(),
  });
  const { shop } = reloading.current;
  if (flaw.meddle) Object.assign(shop, flaw.meddle(shop, network));
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    shop,
    async chores(isLenient) {
      const work = [
        () => Maintenance.maintain(foundation.sql),
        () => Reconciliation.resolveAll(shop, { settles: true }),
        () => TopUp.chargeDue(shop),
      ];
      for (const one of work)
        await one().catch((fault: unknown) => {
          if (!isLenient) throw fault;
        });
    },
    syncClock: () => foundation.syncClock(),
    async stop() {
      foundation.draining = true;
      await drain();
      await writer.drain().catch(() => undefined);
      clearInterval(ticking);
      await reloading.current.close();
      await foundation.close();
    },
  };
}
