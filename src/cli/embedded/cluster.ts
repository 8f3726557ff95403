import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import * as Account from './account.ts';
import * as Binaries from './binaries.ts';
import * as DataFolder from './data-folder.ts';
import * as LockFile from './lock-file.ts';
import * as Server from './server.ts';

export type Options = {
  /** Absolute path of the cluster's folder; created if missing. */
  dir: string;
  /** The database in `url`; created if missing. */
  database: string;
  /** False gives up crash safety for speed, for tests. */
  durable: boolean;
  /** Absolute path of the server's log; its folder must exist. */
  logFile: string;
};

export type Cluster = {
  /** Connection URL of the superuser, with its password. */
  url: string;
  /** True when a killed program had left the server running. */
  adopted: boolean;
  /** The folder that the server's programs run from. */
  binaries: string;
  /** The system account of the server; null: that of this process. */
  account: Account.SystemAccount;
  /** Settles when the server has ended or closed the connection. Open the same folder again to restart it. */
  lost: Promise<void>;
  /** Stops the server: connections are closed, committed data is kept. */
  stop(): Promise<void>;
};

/** Another program owns the cluster. */
export class InUse extends Error {}

/** Advisory lock of the cluster's owner. It ends with the owner's process. */
const ownerLock = 4020;
const ownerMsMax = 3_000;
/** Maximum time to wait for a stopping server before a new one starts. */
const takeOverMsMax = 60_000;
const connectSecondsMax = 10;
const pollMs = 50;

/**
 * Opens the PostgreSQL cluster in `options.dir`: creates it if it is new, adopts a server that a killed program left running, or starts one.
 * Throws `InUse` when another program owns it, and Error with the server's message when it does not start.
 */
export async function openCluster(options: Options): Promise<Cluster> {
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const account = Account.choose(join(options.dir, 'data'));
  const binaries = await Binaries.reachableBy(account, await Binaries.locate(options.dir));
  const place: Server.ServerFiles = { ...options, account, binaries };

  await DataFolder.ready(place);
  for (const end = Date.now() + takeOverMsMax; Date.now() < end; ) {
    const running = await LockFile.untilReadyOrGone(Server.dataFolder(place), Server.readyMsMax);
    const opened = await connect(
      place,
      options.database,
      running ?? (await Server.launch(place)),
      running !== null,
    );
    if (opened) return opened;
    await sleep(pollMs);
  }
  throw new Error(`PostgreSQL in ${options.dir} neither stops nor responds; see ${options.logFile}`);
}

/** Returns the connection URL of a cluster that another program has open; null when it does not run. */
export async function visit(dir: string, database: string): Promise<string | null> {
  const running = await LockFile.read(join(dir, 'data'));
  return running?.ready ? address(await DataFolder.password({ dir }), running.port, database) : null;
}

function address(password: string, port: number, database: string): string {
  return `postgres://${DataFolder.user}:${password}@127.0.0.1:${port}/${database}`;
}

/** Becomes the owner of the server on `port`; null when a running server ended in the meantime. */
async function connect(
  place: Server.ServerFiles,
  database: string,
  port: number,
  adopted: boolean,
): Promise<Cluster | null> {
  const password = await DataFolder.password(place);
  const lost = Promise.withResolvers<void>();
  const sql = postgres(address(password, port, 'postgres'), {
    max: 1,
    max_lifetime: null,
    connect_timeout: connectSecondsMax,
    onnotice: () => {},
    onclose: () => lost.resolve(),
  });
  try {
    await own(sql, place.dir);
    const found = await sql`select from pg_database where datname = ${database}`;
    if (found.length === 0) await sql`create database ${sql(database)}`;
  } catch (error) {
    await sql.end({ timeout: 1 });
    if (error instanceof InUse) throw error;
    if (adopted) return null;
    await Server.halt(place);
    throw error;
  }
  return {
    url: address(password, port, database),
    adopted,
    binaries: place.binaries.root,
    account: place.account,
    lost: lost.promise,
    async stop() {
      // Keeps the lock to the end, so that no other program adopts a server that is stopping.
      await Server.halt(place);
      await sql.end({ timeout: 1 });
    },
  };
}

/** Becomes the owner. The lock of a program that was just killed may take a moment to end. */
async function own(sql: postgres.Sql, dir: string): Promise<void> {
  const end = Date.now() + ownerMsMax;
  for (;;) {
    const [row] = await sql<{ owned: boolean }[]>`select pg_try_advisory_lock(${ownerLock}) as owned`;
    if (row?.owned) return;
    if (Date.now() > end) throw new InUse(`the database in ${dir} is in use by another program`);
    await sleep(100);
  }
}
